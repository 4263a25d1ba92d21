//go:build !unix

package native

import "os"

// There a program cannot send itself a signal that it could catch.

func caught(os.Signal) bool      { return false }
func endsProcess(os.Signal) bool { return false }

func knownSignals() []os.Signal { return []os.Signal{os.Interrupt} }
