// Package tuning holds amounts of searches that tests have otherwise. Nothing else changes them.
package tuning

import "time"

var (
	// FirstTime is how long the first execution of a search may take at least. A shorter limit of
	// time does not end it: a machine that is busy may be late with it.
	FirstTime = 3 * time.Second
	// AloneSteps is how many steps Auto leaves to its first engine before the others have
	// a turn, by default.
	AloneSteps int64 = 200_000
	// WorkersAfter is how much longer a search has to take for workers to be started. To start them
	// takes a fifth of that.
	WorkersAfter = time.Second
)
