//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package por

import "os"

// terminalWidth returns how many characters a line of a terminal has, 0 if that is not known.
func terminalWidth(*os.File) int { return 0 }
