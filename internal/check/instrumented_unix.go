//go:build unix

package check

import (
	"os"
	"syscall"
)

// replaceProcess runs the program in place of this one.
func replaceProcess(name string) error {
	return syscall.Exec(name, os.Args, os.Environ())
}
