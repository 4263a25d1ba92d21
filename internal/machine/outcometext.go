package machine

import (
	"fmt"
)

// LeakMessage is the message of a [trace.FailLeak] of n goroutines.
func LeakMessage(n int) string {
	if n == 1 {
		return "a goroutine still waits when all others have finished"
	}
	return fmt.Sprintf("%d goroutines still wait when all others have finished", n)
}
