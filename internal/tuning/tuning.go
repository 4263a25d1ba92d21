// Package tuning holds amounts of searches that tests have otherwise. Nothing else changes them.
package tuning

import "time"

var (
	// FirstTime is how long the first execution of a search may take at least, whatever the limit of
	// time: a machine that is busy may be late with it.
	FirstTime = 3 * time.Second
	// AloneSteps is how many steps por/engine.Auto has its first engine make before there is anything
	// else, by default.
	AloneSteps int64 = 200_000
	// WorkersAfter is how much longer a search has to take for workers to be started. To start them
	// takes a fifth of that.
	WorkersAfter = time.Second
)
