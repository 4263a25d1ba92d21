//go:build !unix

package main

import "os/exec"

// endAll leaves the command as it is: what it has started is not known.
func endAll(*exec.Cmd) {}
