//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package terminal

import "os"

// device returns nil: detecting a terminal is not supported on this system.
func device() *os.File { return nil }

func foreground(*os.File) bool { return false }

// Columns returns 0: the width of a terminal is not available on this system.
func Columns(*os.File) int { return 0 }
