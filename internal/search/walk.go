package search

import (
	"sync"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// Walk is what every engine needs: one execution of a program at a time, the
// schedule that led to where it stands, and the counting. An engine moves on
// with step and takes back with back; walk starts the program anew and replays
// when a step follows a back.
type Walk struct {
	program  trace.Program
	visit    func(*trace.Execution) bool
	Run      trace.Run
	halter   halter         // the run, or nil
	coaster  trace.Coaster  // the run, or nil
	futile   trace.Futile   // the run, or nil
	changing changing       // the run, or nil
	spawned  spawned        // the run, or nil
	Schedule trace.Schedule // what was chosen, and not taken back
	stale    bool           // run has gone further than schedule
	choice   trace.Choice   // the one that is being performed
	chosen   bool           // choice is to be performed next: Next has chosen it
	turns    turns
	exec     trace.Execution
	Stats    trace.Stats
	begun    time.Time
	End      Ending // why the latest execution has ended
	Err      error  // why the search cannot go on, if it cannot

	// Lead is the schedule that the first execution begins with. Nothing sleeps in it, and
	// no race was found before, so that any is as good as that which would be taken.
	Lead trace.Schedule
	// Exhausted, if it is not nil, is called when nothing remains to be explored in frame k.
	// As long as frame k is on the path of the first execution, in which nothing sleeps,
	// every trace that begins with the first k events of the schedule was visited then.
	Exhausted func(k int)
}

// NewWalk starts p. The search calls visit with every execution, and Finish at its
// end.
func NewWalk(p trace.Program, visit func(*trace.Execution) bool) Walk {
	w := Walk{program: p, visit: visit, begun: time.Now()}
	w.start()
	return w
}

// start begins an execution.
func (w *Walk) start() {
	w.Run = w.program.Start()
	w.halter, _ = w.Run.(halter)
	w.coaster, _ = w.Run.(trace.Coaster)
	w.futile, _ = w.Run.(trace.Futile)
	w.changing, _ = w.Run.(changing)
	w.spawned, _ = w.Run.(spawned)
}

// halter is a run that knows whether it is to be interrupted.
type halter interface{ Halted() bool }

// changing is a run that knows which of the pending operations may be others than in the
// state before, if Pending was called there.
type changing interface{ Changed() []*trace.Op }

// spawned is a run that knows which events had happened before a goroutine was made that has done nothing yet.
type spawned interface{ Spawned(trace.ID) []int32 }

// Spawned returns the latest events that happen before whatever goroutine g does first, as far as that is known, if it has
// done nothing yet.
func (w *Walk) Spawned(g trace.ID) []int32 {
	if w.spawned == nil {
		return nil
	}
	return w.spawned.Spawned(g)
}

// Changed returns those of the pending operations that may be others than in the state
// before. Where much is pending, engines keep what they know of the rest.
func (w *Walk) Changed(ops []*trace.Op) []*trace.Op {
	if w.changing == nil {
		return ops
	}
	return w.changing.Changed()
}

// Pending returns what can be done next.
func (w *Walk) Pending() []*trace.Op {
	w.catchUp()
	return w.Run.Pending()
}

// Step performs one operation. It returns nil, and sets err, if that fails.
func (w *Walk) Step(c trace.Choice) *trace.Event {
	w.catchUp()
	if w.Err != nil {
		return nil
	}
	ev, err := w.Run.Step(c)
	if err != nil {
		w.Err = err
		return nil
	}
	w.note(c)
	return ev
}

// note says that what c chose was performed.
func (w *Walk) note(c trace.Choice) {
	w.Schedule = append(w.Schedule, c)
	w.Stats.Steps++
}

// drive runs an execution from its start to where decide says that it ends. It
// follows the schedule; then decide is asked for every choice, and has to note
// the one before when it is passed the event that came of it.
func (w *Walk) drive(decide func(*trace.Event) (trace.Choice, bool)) {
	if _, ok := w.Run.(trace.Driver); !ok {
		w.catchUp()
		ev, err := (*trace.Event)(nil), w.Err
		for err == nil {
			c, ok := decide(ev)
			if !ok {
				return
			}
			ev, err = w.Run.Step(c)
		}
		w.Err = err
		return
	}
	w.anew()
	if err := w.Run.(trace.Driver).Drive(w.Schedule, decide); err != nil {
		w.Err = err
	}
}

// anew starts the execution anew if it has gone further than the schedule. That is still to be replayed.
func (w *Walk) anew() {
	if w.stale {
		w.Restart()
		w.Stats.Replayed += int64(len(w.Schedule))
	}
}

// PendingAfter returns what can be done next after another schedule than the
// current one.
func (w *Walk) PendingAfter(s trace.Schedule) []*trace.Op {
	w.Restart()
	w.stale = true
	w.Stats.Replayed += int64(len(s))
	if err := w.Run.Replay(s); err != nil {
		w.Err = err
		return nil
	}
	return w.Run.Pending()
}

// Back takes back all events from number n on.
func (w *Walk) Back(n int) {
	if n < len(w.Schedule) {
		w.Schedule = w.Schedule[:n]
		w.turns.known = 0
		w.stale = true
	}
}

// catchUp brings a stale run to the end of the schedule.
func (w *Walk) catchUp() {
	if !w.stale {
		return
	}
	w.Restart()
	if len(w.Schedule) == 0 {
		return
	}
	w.Stats.Replayed += int64(len(w.Schedule))
	if err := w.Run.Replay(w.Schedule); err != nil && w.Err == nil {
		w.Err = err
	}
}

// Mover returns the goroutine that made the latest step, or -1.
func (w *Walk) Mover() trace.ID {
	if n := len(w.Schedule); n > 0 {
		return w.Schedule[n-1].G
	}
	return -1
}

// Restart puts the run back to the initial state.
func (w *Walk) Restart() {
	w.Run.Close()
	w.start()
	w.stale = false
}

// Report counts the execution that has ended here and shows it to the visitor.
// Blocked says that it was given up as redundant, as it is if it is futile. Report returns false if the
// search is to stop, as it is if the execution was interrupted before its first operation, of which no Step has told.
func (w *Walk) Report(blocked bool) bool {
	if r, ok := w.Run.(interface{ Interrupted() bool }); ok && r.Interrupted() {
		w.Interrupt()
	}
	if w.Err != nil {
		return false
	}
	if blocked = blocked || w.futile != nil && w.futile.Futile(); blocked {
		w.Stats.Blocked++
	} else {
		w.Stats.Executions++
	}
	return w.visited(blocked, false)
}

// Prune is Report for an execution that was given up because of a bound.
func (w *Walk) Prune() bool {
	if w.Err != nil {
		return false
	}
	w.Stats.Pruned++
	return w.visited(false, true)
}

func (w *Walk) visited(blocked, pruned bool) bool {
	w.Stats.MaxDepth = max(w.Stats.MaxDepth, len(w.Schedule))
	if (w.Stats.Executions+w.Stats.Blocked+w.Stats.Pruned)&63 == 0 {
		w.Stats.Elapsed = time.Since(w.begun)
	}
	w.exec = trace.Execution{Run: w.Run, Schedule: w.Schedule, Stats: &w.Stats, Blocked: blocked, Pruned: pruned}
	return w.visit(&w.exec)
}

// Over reports whether the visitor wants no more executions, after the latest, or the
// run is to be interrupted. Engines that compute for long between two steps ask it now
// and then, and give up with [Walk.Interrupt] or where they are.
func (w *Walk) Over() bool {
	return w.exec.Over != nil && w.exec.Over() || w.halter != nil && w.halter.Halted()
}

// Interrupt ends the search where it is, as a run does that is interrupted.
func (w *Walk) Interrupt() {
	if w.Err == nil {
		w.Err = trace.ErrInterrupted
	}
}

// Finish ends the search. Whether everything was covered is for the engine to
// say.
func (w *Walk) Finish(exhaustive bool) (trace.Stats, error) {
	w.Run.Close()
	w.Stats.Elapsed = time.Since(w.begun)
	w.Stats.Exhaustive = exhaustive && w.Err == nil
	return w.Stats, w.Err
}

// Trail is a walk that knows how its events depend on each other.
type Trail struct {
	Walk
	HB     *trace.Tracker
	Events []Performed
	memory *memory
}

// Performed is what a trail keeps of an event.
type Performed struct {
	trace.Choice
	Alts      int32
	Kind      trace.Kind // for people
	Footprint trace.Footprint
	Uses      Uses
}

// memory is what a trail leaves behind for later ones.
type memory struct {
	hb       *trace.Tracker
	events   []Performed
	schedule trace.Schedule
}

var memories = sync.Pool{New: func() any { return &memory{hb: trace.NewTracker(trace.Dependence)} }}

// NewTrail is NewWalk for a trail.
func NewTrail(p trace.Program, visit func(*trace.Execution) bool) Trail {
	m := memories.Get().(*memory)
	t := Trail{Walk: NewWalk(p, visit), HB: m.hb, Events: m.events, memory: m}
	t.Schedule = m.schedule
	return t
}

// Finish ends the search.
func (t *Trail) Finish(exhaustive bool) (trace.Stats, error) {
	stats, err := t.Walk.Finish(exhaustive)
	t.HB.Pop(0)
	*t.memory = memory{t.HB, t.Events[:0], t.Schedule[:0]}
	memories.Put(t.memory)
	t.Walk, t.HB, t.Events, t.memory = Walk{}, nil, nil, nil
	return stats, err
}

// Cut takes back all events from number k on.
func (t *Trail) Cut(k int) {
	t.Back(k)
	t.HB.Pop(k)
	t.Events = t.Events[:k]
}

// Track makes ev the latest event.
func (t *Trail) Track(ev *trace.Event) *Performed {
	k := len(t.Events)
	as := ev.Accesses()
	before := t.HB.Checks
	t.HB.Push(int32(ev.G), as, ev.Order)
	t.Stats.Checks += t.HB.Checks - before
	if k == cap(t.Events) {
		t.Events = append(make([]Performed, 0, 2*k+16), t.Events...)
	}
	t.Events = t.Events[:k+1]
	e := &t.Events[k]
	e.Choice, e.Alts, e.Kind, e.Footprint = ev.Choice(), ev.Alts, ev.Kind, ev.Footprint
	e.Uses.Set(as)
	return e
}

// countPairs counts what it takes to check event k, and each of the first n events, for a
// race by comparing pairs of events.
func (t *Trail) countPairs(k, n int) {
	t.Stats.RaceChecks += int64(n)
	t.Stats.PairChecks += int64(n) * int64(2*k-n+1) / 2
}

// firstAfter returns the first event of goroutine g after event e, or -1.
func (t *Trail) firstAfter(g trace.ID, e int) int {
	j := t.HB.Last(int32(g))
	if int(j) <= e {
		return -1
	}
	for {
		before := t.HB.Prev(int(j))
		if before <= e {
			return int(j)
		}
		j = int32(before)
	}
}
