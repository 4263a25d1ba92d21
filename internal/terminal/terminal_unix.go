//go:build linux || darwin || freebsd || netbsd || openbsd

package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// device opens the controlling terminal, nil if there is none.
func device() *os.File {
	f, err := os.OpenFile("/dev/tty", os.O_WRONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}

// foreground reports whether the terminal is the process's to write to.
func foreground(f *os.File) bool {
	var group int32
	return control(f, syscall.TIOCGPGRP, unsafe.Pointer(&group)) && int(group) == syscall.Getpgrp()
}

// Columns returns how many columns a terminal has, 0 if that is not known or f is none.
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
