//go:build !unix

package instrument

import "os"

// become runs a command in place of this process, and returns its exit status.
func become(command []string) int { return execute(command, os.Stdout, os.Stderr) }
