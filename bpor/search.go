package bpor

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// bounded is the search that the engines of this package have in common: depth
// first, with sleep sets, and in every state a set of goroutines to explore that
// grows as races are found further on. It is source-DPOR (Abdulla et al. 2014,
// Algorithm 1) but for what rules say.
type bounded struct {
	search.Trail
	rules
	gauge  gauge // of the trace, where lazy
	frames search.Stack[frame]
	depth  int // frames in use
	end    ending
	loose  bool         // the program has operations that wait for more than their object tells
	most   int          // goroutines of an execution, at the most
	seen   search.IDSet // scratch of initials and conflicts: their goroutines
	firsts []int32      // scratch of initials
	free   []int32      // scratch of initials: its result
	races  []int        // scratch of conflicts
}

// rules tell the engines apart.
type rules struct {
	bound Bound
	// lazy: an execution is given up when its trace is over the bound, and not
	// when it is itself.
	lazy bool
	// causal: of the goroutines that can come first, one is explored whose event
	// happens before the second one of the race.
	causal bool
	// conservative: a race also adds a goroutine in the state where the block of
	// its first event begins.
	conservative bool
	// eager: races are looked for when an operation becomes pending, whether the
	// bound allows to perform it or not, and nothing sleeps.
	eager bool
	// itself: a race adds the goroutine of its second event.
	itself bool
	// keeping: what is over the bound is kept for a larger one.
	keeping bool
}

// ending says why an execution goes no further.
type ending uint8

const (
	maximal ending = iota // nothing is pending
	blocked               // all that is pending sleeps
	pruned                // all that is awake is over the bound
)

// gauge tells whether a trace is within a bound. Event n is the latest one, and
// follows those before it whatever was pushed after them. So many goroutines are
// known to take part in the execution.
type gauge interface {
	push(n int, ev *trace.Event)
	within(goroutines int) bool
}

// frame belongs to the state in which event k is to be performed.
type frame struct {
	sleep     search.SleepSet
	inherited int // how many of sleep slept when the state was entered
	asleep    int // how many of it count for choice
	backtrack []branch
	forks     search.Forks
	fickle    search.Fickle
	ready     []trace.ID   // who can move, in ascending order
	cost      int          // of the schedule up to here
	block     int          // the event that begins the block of event k
	moved     int          // goroutines that have moved
	known     int          // goroutines that have moved or are ready
	choice    trace.Choice // what is being explored
	latest    trace.Choice // the latest one of backtrack that was begun
	begun     int32        // the alternative that its goroutine has begun with
	at        int          // its place in backtrack
	rest      []kept       // what a smaller bound has left
	kept      []kept       // what remains for a larger one
}

// branch is a goroutine to be explored with all its alternatives. A conservative
// one is to begin a block that was begun by another one. It does not sleep
// afterwards, and nothing sleeps in it that was explored in the same state before:
// the next event of that may be independent of all that follows, and would never be
// woken, although it is wanted after the new block.
type branch struct {
	g            trace.ID
	conservative bool
}

// explore searches p.
func (r rules) explore(p trace.Program, visit func(*trace.Execution) bool, g func(*bounded) gauge) (trace.Stats, error) {
	if err := r.bound.valid(); err != nil {
		return trace.Stats{}, err
	}
	b := &bounded{Trail: search.NewTrail(p, visit), rules: r}
	if g != nil {
		b.gauge = g(b)
	}
	return b.Finish(b.explore())
}

// explore is Explore(E, Sleep) from the empty execution on. It is no recursion, so
// that an execution can be run to its end in one go.
func (b *bounded) explore() bool {
	decide := b.next
	for {
		b.Drive(decide)
		if !b.report() {
			return false
		}
		if !b.retreat() {
			return true
		}
	}
}

func (b *bounded) report() bool {
	if b.end == pruned {
		return b.Prune()
	}
	return b.Report(b.end == blocked)
}

// next notes the latest event and decides what to do then. It returns false if
// the execution goes no further.
func (b *bounded) next(ev *trace.Event) (trace.Choice, bool) {
	if ev != nil && !b.record(ev) {
		b.end = pruned
		return trace.Choice{}, false
	}
	k := len(b.Schedule)
	if k == b.depth && !b.enter(k) {
		return trace.Choice{}, false
	}
	return b.frames.At(k).choice, true
}

// record makes ev the latest event, with what follows from its races. It returns
// false if the trace is over the bound.
func (b *bounded) record(ev *trace.Event) bool {
	k := len(b.Events)
	f, next := b.frames.At(k), b.frames.At(k+1)
	next.cost = f.cost + b.price(f, f.choice.G)
	f.block = k
	if k > 0 && b.Mover() == f.choice.G {
		f.block = b.frames.At(k - 1).block
	}
	b.Note(f.choice)
	e := b.Track(f.choice, ev)
	next.moved = f.moved
	if b.HB.Seq(k) == 1 {
		next.moved++
	}
	if !b.eager {
		for _, first := range b.HB.Races(k) {
			b.Stats.Races++
			b.reverse(int(first), k)
		}
		if k+1 >= b.depth {
			next.sleep = b.After(f.sleep[:f.asleep], next.sleep, e)
		}
	}
	if b.gauge == nil {
		return true
	}
	b.gauge.push(k, ev)
	return b.gauge.within(f.known)
}

// enter begins the frame of the current state, which was not visited before. It
// returns false if there is nothing to explore.
func (b *bounded) enter(k int) bool {
	ops := b.Run.Pending()
	b.end = maximal
	if len(ops) == 0 {
		return false
	}
	f := b.frames.At(k)
	f.ready = f.ready[:0]
	for _, op := range ops {
		f.ready = append(f.ready, op.G)
	}
	if b.eager {
		for _, op := range ops {
			b.conflicts(op)
		}
	}
	c, ok := b.pick(f, ops)
	if !ok {
		return false
	}
	f.forks.Note(ops)
	f.fickle.NoteLosers(ops)
	f.backtrack = append(f.backtrack[:0], branch{g: c.G})
	f.choice, f.latest, f.begun, f.at, f.asleep = c, c, c.Alt, 0, len(f.sleep)
	f.rest, f.kept = nil, nil
	f.inherited = len(f.sleep)
	f.known = b.goroutines(f)
	b.most = max(b.most, f.known)
	b.depth = k + 1
	return true
}

// goroutines returns how many have moved or are ready in the current state.
func (b *bounded) goroutines(f *frame) int {
	n := f.moved
	for _, g := range f.ready {
		if b.HB.Last(int32(g)) < 0 {
			n++
		}
	}
	return n
}

// pick returns what to begin with in a state: what is awake and costs least, which
// is to go on with the same goroutine if that can.
func (b *bounded) pick(f *frame, ops []*trace.Op) (c trace.Choice, ok bool) {
	b.end = blocked
	first := trace.ID(-1)
	if b.lazy {
		first = b.First(ops, f.sleep)
	}
	least := 0
	for _, op := range ops {
		alt := f.sleep.Awake(op, b.Turn())
		if alt < 0 {
			continue
		}
		price := b.price(f, op.G)
		switch {
		case !b.affords(f, price):
			b.end = pruned
		case !ok || price < least && c.G != first || op.G == first:
			c, ok, least = trace.Choice{G: op.G, Alt: alt}, true, price
		}
	}
	return c, ok
}

// price returns what it costs to perform an event of goroutine g in a state.
func (b *bounded) price(f *frame, g trace.ID) int {
	last := b.Mover()
	return b.bound.cost(f.ready, max(0, last), g, last < 0)
}

// affords reports whether the schedule may be extended at a price.
func (b *bounded) affords(f *frame, price int) bool {
	return b.lazy || b.bound.Allows(f.cost+price)
}

// retreat goes back to the latest state in which something remains to be
// explored. What was explored there sleeps from now on.
func (b *bounded) retreat() bool {
	var below *frame
	for k := b.depth - 1; k >= 0; k-- {
		f := b.frames.At(k)
		if b.keeping {
			b.keep(f, below)
		}
		if f.asleep == len(f.sleep) && !f.backtrack[f.at].conservative && !b.eager {
			f.sleep = append(f.sleep, search.Sleeper{Choice: f.choice, Uses: b.Events[k].Uses})
		}
		b.Cut(k)
		if b.advance(k) {
			return true
		}
		below = f
	}
	return false
}

// advance turns to the next choice in the state of event k that does not sleep and
// is within the bound.
func (b *bounded) advance(k int) bool {
	f := b.frames.At(k)
	if len(f.rest) > 0 {
		b.resume(k)
		return true
	}
	c := f.latest
	for {
		var more bool
		if c.Alt, more = f.forks.Next(c.G, c.Alt, f.begun); !more {
			if f.at+1 == len(f.backtrack) {
				return false
			}
			f.at++
			c, f.begun = trace.Choice{G: f.backtrack[f.at].g}, 0
		}
		f.latest = c
		if !f.sleep.Has(c) && b.affords(f, b.price(f, c.G)) {
			f.choice, f.asleep = c, len(f.sleep)
			if f.backtrack[f.at].conservative {
				f.asleep = f.inherited
			}
			b.depth = k + 1
			return true
		}
	}
}
