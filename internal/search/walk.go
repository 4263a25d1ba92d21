package search

import (
	"reflect"
	"sync"
	"time"

	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/sched/trace"
)

// Walk is the part that every engine needs: one execution of a program at a time, its schedule,
// and statistics. An engine moves on with Step and takes back with Back. When a Step follows a
// Back, Walk starts the program anew and replays the schedule.
type Walk struct {
	program trace.Program
	visit   func(*trace.Execution) bool
	Run     trace.Run
	// isPointer says that Run is one, so that comparing it cannot panic.
	isPointer bool
	halter    trace.Halter   // Run, or nil if it is not one
	coaster   trace.Coaster  // Run, or nil if it is not a Coaster
	futile    trace.Futile   // Run, or nil if it is not Futile
	changing  trace.Changing // Run, or nil if it is not one
	spawned   trace.Spawning // Run, or nil if it is not one
	leaving   trace.Leaving  // Run, or nil if it is not one
	Schedule  trace.Schedule // the choices that were made and not taken back
	stale     bool           // Run has gone further than Schedule
	choice    trace.Choice   // the choice that is being performed
	chosen    bool           // choice is the next one, made by Next
	turns     turns
	exec      trace.Execution
	Stats     trace.Stats
	begun     time.Time
	End       Ending // why the latest execution ended
	Err       error  // why the search cannot go on, or nil

	// Lead is the schedule that the first execution begins with. Nothing sleeps in it, and no
	// race was found before it. So any schedule is as good as the one that the engine would
	// choose.
	Lead trace.Schedule
	// guesses is nil if the engine does not guess first executions. If it does, Lead may have a
	// choice that is not pending, and ends there.
	guesses *guesses
	// Exhausted, if not nil, is called when nothing remains to be explored in frame k. While
	// frame k is on the path of the first execution, in which nothing sleeps, every trace that
	// begins with the first k events of the schedule was visited then.
	Exhausted func(k int)
	only      func() bool // what executions are shown with, see trace.Execution.Only; or nil
}

// NewWalk starts p. The search calls visit with every execution, and must call Finish at its
// end.
func NewWalk(p trace.Program, visit func(*trace.Execution) bool) Walk {
	w := Walk{program: p, visit: visit, begun: time.Now()}
	w.start()
	return w
}

// start begins an execution.
func (w *Walk) start() {
	run := w.program.Start()
	if w.isPointer && run == w.Run { // a program may use one Run for all executions
		return
	}
	w.Run, w.isPointer = run, reflect.TypeOf(run).Kind() == reflect.Pointer
	w.halter, _ = w.Run.(trace.Halter)
	w.coaster, _ = w.Run.(trace.Coaster)
	w.futile, _ = w.Run.(trace.Futile)
	w.changing, _ = w.Run.(trace.Changing)
	w.spawned, _ = w.Run.(trace.Spawning)
	w.leaving, _ = w.Run.(trace.Leaving)
}

// Spawned returns the latest events that happen before the first event of goroutine g, as far
// as known. The goroutine must not have moved yet.
func (w *Walk) Spawned(g trace.ID) []int32 {
	if w.spawned == nil {
		return nil
	}
	return w.spawned.Spawned(g)
}

// Changed returns the pending operations that may differ from those in the state before.
// Engines keep what they know of the others, which saves time where many operations are
// pending.
func (w *Walk) Changed(ops []*trace.Op) []*trace.Op {
	if w.changing == nil {
		return ops
	}
	return w.changing.Changed()
}

// Pending returns the pending operations, after replaying the schedule if needed.
func (w *Walk) Pending() []*trace.Op {
	w.catchUp()
	return w.Run.Pending()
}

// Step performs one operation. It returns nil, and sets Err, if that fails.
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

// note appends c, which was performed, to the schedule.
func (w *Walk) note(c trace.Choice) {
	w.Schedule = append(room.ForOne(w.Schedule), c)
	w.Stats.Steps++
}

// drive runs an execution from its start until decide ends it. It follows the schedule, and
// then asks decide for every choice. When decide receives an event, it has to note the choice
// that made it.
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

// anew starts the execution anew if it has gone further than the schedule. The caller has to
// replay the schedule.
func (w *Walk) anew() {
	if w.stale {
		w.Restart()
		w.Stats.Replayed += int64(len(w.Schedule))
	}
}

// PendingAfter returns the operations that are pending after another schedule than the current
// one.
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

// Discard gives up the present run. The next step replays the schedule in another one.
func (w *Walk) Discard() { w.stale = true }

// Restart puts the run back to the initial state.
func (w *Walk) Restart() {
	w.Run.Close()
	w.start()
	w.stale = false
}

// Report counts the execution that has ended and shows it to the visitor. An execution is
// blocked if it is redundant or futile. Report returns false if the search is to stop. It also
// does so if the execution was interrupted before its first operation, which no Step has
// reported.
func (w *Walk) Report(blocked bool) bool {
	if r, ok := w.Run.(trace.Interruptible); ok && r.Interrupted() {
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

// Prune is Report for an execution that was abandoned because of a bound.
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
	w.exec = trace.Execution{Run: w.Run, Schedule: w.Schedule, Stats: &w.Stats, Blocked: blocked, Pruned: pruned, Only: w.only}
	return w.visit(&w.exec)
}

// Over reports whether the visitor wants no more executions after the latest one, or the run
// has to be interrupted. Engines that compute for long between two steps ask Over now and then.
// They stop with [Walk.Interrupt], or where they are.
func (w *Walk) Over() bool {
	return w.exec.Over != nil && w.exec.Over() || w.halter != nil && w.halter.Halted()
}

// Interrupt ends the search like an interrupted run.
func (w *Walk) Interrupt() {
	if w.Err == nil {
		w.Err = trace.ErrInterrupted
	}
}

// Finish ends the search. The engine says whether it has covered everything.
func (w *Walk) Finish(exhaustive bool) (trace.Stats, error) {
	w.Run.Close()
	w.Stats.Elapsed = time.Since(w.begun)
	w.Stats.Exhaustive = exhaustive && w.Err == nil
	return w.Stats, w.Err
}

// Trail is a walk that tracks the happens-before relation of its events.
type Trail struct {
	Walk
	HB     *trace.Tracker
	Events []Performed
	memory *memory
	// What is pending in the states that NotePending was told of.
	pending stateDependent
	// leaves says that races of two events within libraries are not among the Races of HB (see
	// trace.Op.Within). The search must lose nothing else by that: each of its executions must
	// make sense by itself.
	leaves bool
	open   []int32 // what needed returns
	far    []int32 // those of them that are no races of HB
}

// Performed is the part of an event that a trail keeps.
type Performed struct {
	trace.Choice
	Alts      int32
	Kind      trace.Kind // for messages
	Footprint trace.Footprint
	Quiet     bool
	Obj       int32
	Uses      Uses
}

// memory is the part of a trail that later trails reuse.
type memory struct {
	hb       *trace.Tracker
	events   []Performed
	schedule trace.Schedule
	pending  stateDependent
}

var memories = sync.Pool{New: func() any { return &memory{hb: trace.NewTracker(trace.Dependence)} }}

// NewTrail is NewWalk for a trail.
func NewTrail(p trace.Program, visit func(*trace.Execution) bool) Trail {
	m := memories.Get().(*memory)
	t := Trail{Walk: NewWalk(p, visit), HB: m.hb, Events: m.events, memory: m, pending: m.pending}
	t.Schedule = m.schedule
	return t
}

// Finish ends the search.
func (t *Trail) Finish(exhaustive bool) (trace.Stats, error) {
	stats, err := t.Walk.Finish(exhaustive)
	t.HB.Pop(0)
	t.pending.cut(0)
	*t.memory = memory{t.HB, t.Events[:0], t.Schedule[:0], t.pending}
	memories.Put(t.memory)
	t.Walk, t.HB, t.Events, t.memory, t.pending = Walk{}, nil, nil, nil, stateDependent{}
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
	if t.leaves && ev.Within != 0 {
		t.pushWithin(ev)
	} else {
		t.HB.Push(int32(ev.G), as, ev.Order)
	}
	t.Stats.Checks += t.HB.Checks - before
	t.Events = room.ForOne(t.Events)[:k+1]
	e := &t.Events[k]
	e.Choice, e.Alts, e.Kind, e.Footprint, e.Quiet, e.Obj = ev.Choice(), ev.Alts, ev.Kind, ev.Footprint, ev.Quiet, ev.Obj
	e.Uses.Set(as)
	return e
}

// pushWithin tracks an event within a library, and says which races it leaves.
func (t *Trail) pushWithin(ev *trace.Event) {
	left := t.HB.PushWithin(int32(ev.G), ev.Accesses(), ev.Order)
	if len(left) == 0 {
		return
	}
	t.Stats.Left += int64(len(left))
	if t.leaving != nil {
		t.leaving.Left(ev.Within)
	}
}

// isOnly reports whether the execution that has ended is the first one, and the only one: no events
// of it are in a race, and none has another alternative.
func (t *Trail) isOnly() bool {
	if t.Stats.Executions != 1 || t.Stats.Blocked+t.Stats.Pruned > 0 || t.Err != nil {
		return false
	}
	for k := range t.Events {
		if t.Events[k].Alts > 1 || len(t.HB.Races(k)) > 0 {
			return false
		}
	}
	return true
}

// countPairs counts the comparisons of pairs of events that a race check of event k against
// each of the first n events takes.
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
