//go:build !unix

package natively

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the process. Its child processes are unknown.
func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
