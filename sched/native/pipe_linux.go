package native

import "syscall"

// widen gives a pipe more room, as much as any process may.
func widen(file uintptr) {
	const setSize, most = 1031, 1 << 20 // F_SETPIPE_SZ, and what it is by default
	syscall.Syscall(syscall.SYS_FCNTL, file, setSize, most)
}
