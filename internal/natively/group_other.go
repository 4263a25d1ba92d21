//go:build !unix

package natively

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the process. What it has started is not known.
func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
