package machine

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/addrtable"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/vector"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the parts of a Machine that have no file of their own. Unless a field says
// otherwise, it is of the running execution: Reset sets it to zero.

// numbers gives objects their numbers, beside what the store counts.
type numbers struct {
	made  int   // objects that goroutines have made, in all executions
	Kept  int   // numbers that are set aside, see [Machine.Reserve]
	Given int32 // the number of the next object, 0 for the lowest free one
}

// pathOrder says whether the numbers of goroutines are in the order of paths. It holds for all
// executions.
type pathOrder struct {
	sorted   int  // goroutines that were looked at, by number
	disorder bool // two of these are in another order
}

// marks is what the words of primitives carry, see [Key].
type marks struct {
	word    uint32  // leads to the first place
	places  []place // where keys lead; a machine of Parallel has a copy
	crowded uint64  // the latest epoch that had more primitives than places
	Bare    bool    // no other execution goes on, see zero_locks.go
}

// events is what the execution has performed.
type events struct {
	Count int
	// Described says that the machine computes Latest. A replay does not need it.
	Described  bool
	Latest     trace.Event
	noted      bool           // later events want to know of each: see [Machine.note]
	unnoted    int            // operations that were no events, see prelude.go
	spareOrder []int32        // memory for the order of the goroutine that moves next
	needless   trace.Needless // memory for Latest.Needless
	// Some race need not be reversed, in any execution: see needless.go.
	Needless bool
}

// clock is virtual time: what it is, and what it will move on to. Times are in nanoseconds since
// Config.Start.
type clock struct {
	G         *Goroutine // its events are moves of the clock
	elapsed   int64
	deadlines []deadline   // in no order
	lag       lagClock     // in TimeLag
	Late      int          // moves since main has ended
	moved     bool         // the clock has performed an event
	since     []*Goroutine // if it has: those with later events, in no order
	exact     bool         // Overdue does not hold, see [Goroutine.BubbleTime]
	telling   bool         // a goroutine has asked for the time
	// By event: the latest time that its goroutine knew, while telling is set.
	told []int64

	// These fields hold for all executions.

	Timed bool // a goroutine that is in no bubble has waited for the clock
	// A goroutine has waited for the clock and for others to wait, in TimeDiscrete.
	Settled bool
	// A goroutine has moved the clock to its limit by asking for the time, and asked on.
	AskedToLimit bool
}

// reset begins an execution: the clock says Config.Start again.
func (c *clock) reset() {
	c.deadlines, c.since = c.deadlines[:0], c.since[:0]
	c.elapsed, c.Late, c.exact, c.telling, c.moved = 0, 0, false, false, false
	c.lag.reset()
}

// polling is which goroutines wait in loops that only look: polling.go has those that poll, and
// await.go those that await something.
type polling struct {
	pollers []*Goroutine // wait until the clock moves, to whatever time
	rounds  int32        // looks of the pollers since another goroutine has done something
	relooks int32        // how often a first round has begun since the clock has moved
	Finding bool         // the machine keeps what [Goroutine.Did] wants to know; Reset leaves it

	looping bool // a goroutine has called AwaitAt
	// A goroutine has begun a loop that may await something, in any execution.
	Loops    bool
	Futile   bool         // a goroutine has waited that could have gone on
	asks     bool         // the clock's next event asks a goroutine in awaiting
	Asked    *Goroutine   // makes another turn because of that event
	Awaiting []*Goroutine // await something
}

// reset begins an execution, in which no goroutine waits.
func (p *polling) reset() {
	p.pollers, p.rounds, p.relooks = p.pollers[:0], 0, 0
	p.looping, p.Futile = false, false
	p.asks, p.Asked, p.Awaiting = false, nil, p.Awaiting[:0]
}

// memory is what is known of plain memory.
type memory struct {
	Races    *memoryModel // nil if data races need not be found
	Watching bool         // the executor wants to know of accesses; set by Watch
	// The executor wants to know of the next access, even of one like others; set by Glance.
	Glance atomic.Bool
	// An access was looked at since the executor was last interested. Of known accesses, and those
	// of a goroutine that is alone, no more has to be known than whether an outsider has used what
	// is there.
	plain   atomic.Bool
	Places  bool                             // accesses that may race are to have positions
	Seen    bool                             // plain memory is in use, in any execution
	Missed  bool                             // plain memory was accessed while Races was nil
	Ranged  int32                            // loops over maps that are under way, see live.Ranged
	Lines   Lines                            // of goroutines that are alike
	blocks  memoryBlocks                     // objects that stand for memory
	Shadow  shadowMemory                     // accesses
	carried addrtable.Pointers[vector.Clock] // clocks that memory carries, see [Release]
}

// outside is what the execution has to do with what is not under control: native objects, the
// standard library, the runtime and the process.
type outside struct {
	shadows      addrtable.Pointers[any] // what stands for native objects
	ParallelTest bool                    // natively other tests run at the same time
	// A goroutine performed an operation inside a lock of the standard library, in any execution.
	Crossed bool
	// Undoes what the execution has changed in the process, nil if that is nothing.
	Undo func()
	// Puts back the files that executions have changed, nil if none has.
	Files    live.FileKeeper
	finals   []final // of the epoch finalsIn
	finalsIn uint64
	Surveyed uint64 // the latest epoch in which the program has looked at all its goroutines
}
