//go:build !unix

package check

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs the program as this one's child and ends as it does.
func replaceProcess(name string) error {
	cmd := exec.Command(name)
	cmd.Args = os.Args
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	}
	return err
}
