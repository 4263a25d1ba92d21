//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endAll has a command that is ended end all that it has started.
func endAll(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
