//go:build unix

package instrument

import (
	"os"
	"syscall"
)

// become has a command take the place of this process, which saves starting another one, and returns its exit
// status if that cannot be done.
func become(command []string) int {
	_ = syscall.Exec(command[0], command, os.Environ()) // returns only to say what is wrong, as execute does
	return execute(command, os.Stdout, os.Stderr)
}
