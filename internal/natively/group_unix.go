//go:build unix

package natively

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the first process of a group, to which the processes belong that it starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends all processes of the group.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
