package search

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/sched/trace"
)

// Optimal is optimal DPOR: it visits one execution of every Mazurkiewicz trace of
// p (Abdulla et al. 2014, Algorithm 2).
func Optimal(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return OptimalWithin(p, visit, nil)
}

// OptimalWithin is Optimal for the traces within a bound. Gauge returns a function that is
// called with every latest event of a trail, and reports whether the trace is within the bound.
// If a trace is not, no extension of it may be either.
func OptimalWithin(p trace.Program, visit func(*trace.Execution) bool, gauge func(*Trail) func(ev *trace.Event) bool) (trace.Stats, error) {
	begun, steps, lead := time.Now(), int64(0), trace.Schedule(nil)
	for left := mostGuesses; ; left-- {
		o := optimal{Trail: NewTrail(p, visit), asked: make(map[[2]int32]*Question)}
		o.leaves, o.only = gauge == nil, o.isOnly
		if gauge != nil {
			o.within = gauge(&o.Trail)
		} else {
			o.Lead, o.guesses = lead, &guesses{left: left}
		}
		o.frames.At(0)
		o.asking = Asking{All: o.questions, Known: func(k int) int32 { return o.frames.Get(k).known }}
		o.begun, o.Stats.Replayed = begun, steps
		whole := o.Explore(&o)
		if o.guesses == nil || o.guesses.next == nil {
			return o.Finish(whole)
		}
		lead = o.guesses.next
		steps += o.Stats.Steps
		o.Finish(false)
	}
}

type optimal struct {
	Trail
	frames Stack[optimalFrame]
	races  []reversal              // of the present execution, in the order of their second events
	asked  map[[2]int32]*Question  // by the two events of the race
	within func(*trace.Event) bool // or nil
	nodes  wakeupNodes
	places places
	notdep []int32    // notdep(e, E) of the present race, as far as it was listed
	rest   trace.Rest // the part of notdep that is not listed yet
	// Scratch of insert: the remaining part of the sequence, as far as it was listed.
	w       []int32
	taken   int            // the number of events of notdep that were moved to w
	whole   bool           // w has the whole sequence, up to the second event
	matched []int32        // scratch of insert: the events of the sequence that the branch has
	need    []int32        // scratch of insert: the events of it that must not be left out
	branch  trace.Schedule // scratch of insert: the path down the tree
	// Scratch of insert: the goroutines of the branch that are not in the sequence.
	strangers IDSet
	keep      []int32        // scratch of shortened
	roots     []int32        // scratch of shortened and causes
	mixed     Uses           // scratch of nodeWeakInitial
	probe     trace.Schedule // scratch of askWeakInitial
	asking    Asking         // about the present execution
}

// optimalFrame belongs to the state in which event k is to be performed, and later to event k
// itself.
type optimalFrame struct {
	wut   int32 // the leftmost branch of the wakeup tree
	below int32 // the part of the tree below the choice that is being explored
	// Objects below this number are known: this state or an earlier one has them.
	known int32
	// The first race of event k with a later event, and the last one: 1 + index into races, 0 for
	// none.
	first, last int32
	// The state was reached by a leaf of a wakeup tree, or from such a state.
	leaf   bool
	asleep *SleepSet // nil as long as nothing has slept in the state
}

// sleep returns what sleeps in the state.
func (f *optimalFrame) sleep() SleepSet {
	if f.asleep == nil {
		return nil
	}
	return *f.asleep
}

// setSleep changes what sleeps in the state.
func (f *optimalFrame) setSleep(s SleepSet) {
	if f.asleep == nil {
		f.asleep = new(SleepSet)
	}
	*f.asleep = s
}

// reversal is a race (e, e') to be reversed. The other alternatives of event e count as races of e
// with itself: second is e then, and alt the other alternative. Otherwise alt is 0, because the
// number of alternatives that e' has before e is not known, and they race with each other.
type reversal struct {
	first, second int32
	alt           int32
	// The race needs no work while the event of this number lives; open if it does.
	settled int32
	// The race before this one and the one after it, of those with the same first event: as in
	// optimalFrame.
	before, after int32
	far           bool // see [Question]
	asked         bool // it is among the questions
}

const open = -1

// question returns the question about a race.
func (o *optimal) question(r *reversal) *Question {
	pair := [2]int32{r.first, r.second}
	if !r.asked {
		r.asked, o.asked[pair] = true, &Question{First: r.first, Second: r.second, Far: r.far}
	}
	return o.asked[pair]
}

// race notes that a race is to be reversed.
func (o *optimal) race(first, second, alt int32, far bool) {
	f := o.frames.Get(int(first))
	n := len(o.races)
	o.races = room.ForOne(o.races)[:n+1]
	o.races[n] = reversal{first: first, second: second, alt: alt, settled: open, before: f.last, far: far}
	if f.last == 0 {
		f.first = int32(n + 1)
	} else {
		o.races[f.last-1].after = int32(n + 1)
	}
	f.last = int32(n + 1)
}

// unrace forgets the race that was noted last.
func (o *optimal) unrace() {
	n := len(o.races) - 1
	r := &o.races[n]
	f := o.frames.Get(int(r.first))
	f.last = r.before
	if f.last == 0 {
		f.first = 0
	} else {
		o.races[f.last-1].after = 0
	}
	if r.asked {
		delete(o.asked, [2]int32{r.first, r.second})
	}
	o.races = o.races[:n]
}

// Enter takes the first sequence of the wakeup tree. If the tree is empty, it takes a sequence
// of any goroutine.
func (o *optimal) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f := o.frames.Get(k)
	o.look(f, k, ops)
	if f.wut == 0 {
		p, ok := o.led(k, ops)
		if !ok {
			p, ok = f.sleep().Pick(ops, o.First(ops, f.sleep()), o.Turn())
		}
		if !ok {
			return p, false
		}
		f.wut = o.nodes.leaf(p)
	}
	o.End = Redundant // if everything in the tree sleeps
	return o.advance(f)
}

// advance turns to the next branch of the wakeup tree that does not sleep.
func (o *optimal) advance(f *optimalFrame) (c trace.Choice, ok bool) {
	for f.wut != 0 {
		c, f.below = o.nodes.takeFirst(&f.wut)
		if !f.sleep().Has(c) {
			return c, true
		}
		o.nodes.dropAll(&f.below)
	}
	return c, false
}

// Next puts the explored choice to sleep and takes the next sequence of the wakeup tree.
func (o *optimal) Next(k int) (trace.Choice, bool) {
	f := o.frames.Get(k)
	f.setSleep(append(f.sleep(), o.Sleeper(k)))
	c, ok := o.advance(f)
	if ok {
		o.forget(k)
		o.Cut(k)
	}
	return c, ok
}

// look updates frame k from the pending operations.
//
// Nothing sleeps in a state that a leaf has led to, since a sequence is inserted only if every
// sleeper depends on some event of it. That can fail if an operation uses more objects at one
// position than at another (see usesBefore). Then the sleepers are woken: a trace may be
// visited twice, but none is missed.
func (o *optimal) look(f *optimalFrame, k int, ops []*trace.Op) {
	if !f.leaf {
		o.refresh(f.wut, ops)
	} else if f.asleep != nil {
		*f.asleep = (*f.asleep)[:0]
	}
	f.known = 0
	if k > 0 {
		f.known = o.frames.Get(k - 1).known
	}
	f.known = KnownBelow(f.known, o.Changed(ops))
	o.NotePending(k, ops)
}

// Record notes the races of ev, computes what sleeps after it, and keeps the rest of the wakeup
// tree. It returns false if the trace is not within the bound.
func (o *optimal) Record(ev *trace.Event) bool {
	k := len(o.Events)
	f, next := o.frames.Get(k), o.frames.At(k+1)
	e := o.Track(ev)
	for alt := range e.Alts {
		if alt != e.Alt {
			o.race(int32(k), int32(k), alt, false)
		}
	}
	races := o.HB.Races(k)
	if o.far = o.far[:0]; o.within == nil && ev.Needless != nil {
		races = o.needed(k, ev)
	}
	for _, first := range races {
		o.Stats.Races++
		o.race(first, int32(k), 0, slices.Contains(o.far, first))
	}
	if s := f.sleep(); len(s) > 0 || next.asleep != nil {
		next.setSleep(o.After(s, next.sleep(), e))
	}
	next.wut, next.leaf = f.below, f.below == 0
	if o.within == nil || o.within(ev) {
		return true
	}
	o.nodes.dropAll(&next.wut)
	return false
}

// forget drops what is known of the races of events from k on.
func (o *optimal) forget(k int) {
	o.places.pop(o.Events, k)
	for n := len(o.races); n > 0 && int(o.races[n-1].second) >= k; n-- {
		o.unrace()
	}
	for i := range o.races {
		if r := &o.races[i]; int(r.settled) >= k {
			r.settled = open
		}
	}
}

// Ended reverses the races of an execution that goes no further.
func (o *optimal) Ended() bool {
	if o.End == Maximal { // perhaps by a limit, and not at a leaf
		o.nodes.dropAll(&o.frames.Get(len(o.Events)).wut)
	}
	return o.End != Maximal && o.End != Pruned || o.reverseRaces()
}

// reverseRaces is the race detection phase, lines 3 to 7 of Algorithm 2: E is maximal, and for
// every race (e, e') of E, with E' = pre(e), the sequence v = notdep(e, E).e' is inserted into
// wut(E') unless a weak initial of it sleeps there.
//
// The paper does so for all races of every maximal execution. Here a race is not looked at
// again while the prefix of E stays that contains the reasons for its result, since v only gets
// more events appended. And a needless race is not reversed: see [Trail.needed].
//
// The sequence notdep(e, E) may be most of E. It is listed only as far as the sleepers or the
// tree need it, which is far if they have nothing in common with v. The visitor may therefore
// stop the search before all races are done. The result is false if the search cannot go on.
func (o *optimal) reverseRaces() bool {
	o.asking.Begin()
	for e := len(o.Events) - 1; e >= 0; e-- {
		known := false
		for i := o.frames.Get(e).first; i != 0; i = o.races[i-1].after {
			r := &o.races[i-1]
			if r.settled != open {
				continue
			}
			if o.Over() {
				return false
			}
			if !known {
				o.notdep, o.rest = o.notdep[:0], o.HB.Rest(e)
				known = true
			}
			r.settled = o.insert(e, r)
			if o.Err != nil {
				return false
			}
		}
	}
	return true
}
