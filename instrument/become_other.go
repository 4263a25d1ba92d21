//go:build !unix

package instrument

import "os"

// become has a command do what this process is for, and returns its exit status.
func become(command []string) int { return execute(command, os.Stdout, os.Stderr) }
