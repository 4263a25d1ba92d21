//go:build linux || darwin || freebsd || netbsd || openbsd

package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// device opens the controlling terminal. It returns nil if there is none.
func device() *os.File {
	f, err := os.OpenFile("/dev/tty", os.O_WRONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}

// foreground reports whether the process is in the foreground of the terminal.
func foreground(f *os.File) bool {
	var group int32
	return control(f, syscall.TIOCGPGRP, unsafe.Pointer(&group)) && int(group) == syscall.Getpgrp()
}

// Columns returns the number of columns of a terminal, 0 if it is unknown or f is not a
// terminal.
func Columns(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	if !control(f, syscall.TIOCGWINSZ, unsafe.Pointer(&size)) {
		return 0
	}
	return int(size.columns)
}

func control(f *os.File, request uintptr, p unsafe.Pointer) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(p))
	return errno == 0
}
