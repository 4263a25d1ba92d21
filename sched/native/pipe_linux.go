package native

import "syscall"

// widen gives a pipe as much room as any process may request.
func widen(file uintptr) {
	const setSize, most = 1031, 1 << 20 // F_SETPIPE_SZ, and the default limit
	syscall.Syscall(syscall.SYS_FCNTL, file, setSize, most)
}
