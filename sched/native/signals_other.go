//go:build !unix

package native

import "os"

// On these systems a program cannot send itself a signal that it can catch.

func caught(os.Signal) bool      { return false }
func endsProcess(os.Signal) bool { return false }

func knownSignals() []os.Signal { return []os.Signal{os.Interrupt} }
