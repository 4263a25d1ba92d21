//go:build unix

package natively

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group that also has its child processes.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends all processes of the group.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
