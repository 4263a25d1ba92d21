//go:build unix

package native

import (
	"os"
	"slices"
	"syscall"
)

// caught reports whether a program can catch a signal.
func caught(s os.Signal) bool {
	return s != syscall.SIGKILL && s != syscall.SIGSTOP && slices.Contains(knownSignals(), s)
}

// endsProcess reports whether an unhandled signal ends the process.
func endsProcess(s os.Signal) bool {
	return s != syscall.SIGCHLD && s != syscall.SIGURG && s != syscall.SIGWINCH && s != syscall.SIGCONT &&
		s != syscall.SIGTSTP && s != syscall.SIGTTIN && s != syscall.SIGTTOU
}

func knownSignals() (list []os.Signal) {
	for n := syscall.Signal(1); n < 65; n++ {
		list = append(list, n)
	}
	return list
}
