package exec

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the parts of a Closure that have no file of their own.

// coroutines is what goroutines run on.
type coroutines struct {
	on    []*coroutine // by goroutine, nil if it does not run
	idle  []*coroutine
	spent []*coroutine // sit too deep in deferred calls to be used again
}

// life is how far the execution is.
type life struct {
	live    bool // between Start and Close
	begun   bool // main has been launched
	judged  bool // the outcome has been told
	stopped bool // the step limit was reached
	reached properties
}

// course is which way the execution goes: along a schedule first, and then as decide says.
type course struct {
	schedule trace.Schedule
	pos      int                                     // choices of schedule that were made
	from     int                                     // events before schedule
	decide   func(*trace.Event) (trace.Choice, bool) // nil to stop at the end of schedule
	// The goroutine that moves next, nil to stop.
	next *machine.Goroutine
	alt  int32 // the alternative that next takes
	// Next has moved, and another has to be chosen.
	moved  bool
	single [1]trace.Choice // the schedule of a Step
	// A choice that the step limit forbids was to be made.
	refused error
}

// trail compares the execution with the one before, to notice nondeterminism.
type trail struct {
	marks  []mark // of the execution so far, and then of the one before
	same   bool   // both agree so far
	parted int    // events before they parted, unless same is set
}

// rerun is an execution that is run again up to where it was, see repeat.
type rerun struct {
	again    bool // it has to be
	schedule trace.Schedule
	pos      int // choices of schedule that were made again
}

// starts is which goroutines begin later than they were started, when they are to move.
type starts struct {
	beginnings []beginning // by goroutine
	late       latecomers  // were started, and have not begun
	lateness   bool        // some were late in this execution
	prompt     bool        // all begin at once in this execution
	mistakes   int         // executions that were run again because of late goroutines
}

// watchdog is what another goroutine sees of executions, and sets: see progress.go.
type watchdog struct {
	// Twice what Progress has returned; odd if no goroutine has moved since.
	progress atomic.Int64
	halted   atomic.Bool  // by Interrupt
	plain    atomic.Int64 // accesses of memory that were seen after Progress
	patience int          // steps, 0 for any number; see SetPatience
	lost     bool         // an execution has had more steps than patience
	cut      int          // steps of the latest execution that was ended by Interrupt
}

// endless is what is found out of an execution that was stopped at the step limit.
type endless struct {
	novelty  *novelty // of its later half, if that is looked for
	livelock []string // the goroutines in a livelock, once that has been looked for
	starved  string   // why its schedule is unfair, empty if it is not
}
