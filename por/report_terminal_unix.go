//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package por

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalWidth returns how many characters a line of a terminal has, 0 if the file is none.
func terminalWidth(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); err != 0 {
		return 0
	}
	return int(size.columns)
}
