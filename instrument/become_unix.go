//go:build unix

package instrument

import (
	"os"
	"syscall"
)

// become replaces this process by a command, which saves starting another process. It returns
// the exit status if that fails.
func become(command []string) int {
	// It returns only on errors, which execute reports.
	_ = syscall.Exec(command[0], command, os.Environ())
	return execute(command, os.Stdout, os.Stderr)
}
