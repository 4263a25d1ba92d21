//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package putback

import (
	"os"
	"syscall"
)

// lock locks an open file, or waits until it can. It reports whether it has.
func lock(f *os.File, alone, wait bool) bool {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err == nil
		}
	}
}

func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
