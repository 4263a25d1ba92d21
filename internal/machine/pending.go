package machine

import "github.com/gopor/gopor/sched/trace"

// pendingSet is which goroutines are ready, and what has changed of that. What takes time in
// proportion to changes, and not to goroutines, depends on it.
type pendingSet struct {
	ops       []*trace.Op  // of the goroutines that were ready when Ready was last called, by ID
	altered   []*Goroutine // those that may be ready or not otherwise than then, and those that are not static
	changed   []*trace.Op  // what [Machine.Changed] returns
	changedAt int          // the number of events for which changed holds, -1 for none
	alone     [1]*trace.Op // the clock's, where no goroutine is ready
	yielding  []*Goroutine // wait until the others have moved
}
