package por

import (
	"sync"
	"time"

	"github.com/gopor/gopor/internal/hb"
	"github.com/gopor/gopor/sched"
)

// walk is what every engine needs: one execution of a program at a time, the
// schedule that led to where it stands, and the counting. An engine moves on
// with step and takes back with back; walk starts the program anew and replays
// when a step follows a back.
type walk struct {
	program  sched.Program
	visit    func(*sched.Execution) bool
	run      sched.Run
	schedule sched.Schedule // what was chosen, and not taken back
	stale    bool           // run has gone further than schedule
	turns    turns
	exec     sched.Execution
	stats    sched.Stats
	begun    time.Time
	err      error // why the search cannot go on, if it cannot
}

func newWalk(p sched.Program, visit func(*sched.Execution) bool) walk {
	return walk{program: p, visit: visit, run: p.Start(), begun: time.Now()}
}

// pending returns what can be done next.
func (w *walk) pending() []*sched.Op {
	w.catchUp()
	return w.run.Pending()
}

// step performs one operation. It returns nil, and sets err, if that fails.
func (w *walk) step(c sched.Choice) *sched.Event {
	w.catchUp()
	if w.err != nil {
		return nil
	}
	ev, err := w.run.Step(c)
	if err != nil {
		w.err = err
		return nil
	}
	w.note(c)
	return ev
}

// note says that what c chose was performed.
func (w *walk) note(c sched.Choice) {
	w.schedule = append(w.schedule, c)
	w.stats.Steps++
}

// drive runs an execution from its start to where decide says that it ends. It
// follows the schedule; then decide is asked for every choice, and has to note
// the one before when it is told the event that came of it.
func (w *walk) drive(decide func(*sched.Event) (sched.Choice, bool)) {
	d, ok := w.run.(sched.Driver)
	if !ok {
		w.catchUp()
		ev, err := (*sched.Event)(nil), w.err
		for err == nil {
			c, ok := decide(ev)
			if !ok {
				return
			}
			ev, err = w.run.Step(c)
		}
		w.err = err
		return
	}
	if w.stale {
		w.restart()
		w.stats.Replayed += int64(len(w.schedule))
	}
	if err := d.Drive(w.schedule, decide); err != nil {
		w.err = err
	}
}

// pendingAfter returns what can be done next after another schedule than the
// current one.
func (w *walk) pendingAfter(s sched.Schedule) []*sched.Op {
	w.restart()
	w.stale = true
	w.stats.Replayed += int64(len(s))
	if err := w.run.Replay(s); err != nil {
		w.err = err
		return nil
	}
	return w.run.Pending()
}

// back takes back all events from number n on.
func (w *walk) back(n int) {
	if n < len(w.schedule) {
		w.schedule = w.schedule[:n]
		w.turns.known = 0
		w.stale = true
	}
}

// catchUp brings a stale run to the end of the schedule.
func (w *walk) catchUp() {
	if !w.stale {
		return
	}
	w.restart()
	if len(w.schedule) == 0 {
		return
	}
	w.stats.Replayed += int64(len(w.schedule))
	if err := w.run.Replay(w.schedule); err != nil && w.err == nil {
		w.err = err
	}
}

// mover returns the goroutine that made the latest step, or -1.
func (w *walk) mover() sched.ID {
	if n := len(w.schedule); n > 0 {
		return w.schedule[n-1].G
	}
	return -1
}

// restart puts the run back to the initial state.
func (w *walk) restart() {
	w.run.Close()
	w.run = w.program.Start()
	w.stale = false
}

// report counts the execution that has ended here and shows it to the visitor.
// It returns false if the search is to stop.
func (w *walk) report(blocked bool) bool {
	if w.err != nil {
		return false
	}
	w.stats.MaxDepth = max(w.stats.MaxDepth, len(w.schedule))
	if blocked {
		w.stats.Blocked++
	} else {
		w.stats.Executions++
	}
	if (w.stats.Executions+w.stats.Blocked)&63 == 0 {
		w.stats.Elapsed = time.Since(w.begun)
	}
	w.exec = sched.Execution{Run: w.run, Schedule: w.schedule, Blocked: blocked, Stats: &w.stats}
	return w.visit(&w.exec)
}

// finish ends the search. Whether everything was covered is for the engine to
// say.
func (w *walk) finish(exhaustive bool) (sched.Stats, error) {
	w.run.Close()
	w.stats.Elapsed = time.Since(w.begun)
	w.stats.Exhaustive = exhaustive && w.err == nil
	return w.stats, w.err
}

// trail is a walk that knows how its events depend on each other.
type trail struct {
	walk
	hb     *hb.Tracker
	events []performed
	memory *memory
}

// performed is what a trail keeps of an event.
type performed struct {
	sched.Choice
	alts int32
	kind sched.Kind
	uses uses
}

// memory is what a trail leaves behind for later ones.
type memory struct {
	hb       *hb.Tracker
	events   []performed
	schedule sched.Schedule
}

var memories = sync.Pool{New: func() any { return &memory{hb: hb.NewTracker(sched.Relation)} }}

func newTrail(p sched.Program, visit func(*sched.Execution) bool) trail {
	m := memories.Get().(*memory)
	t := trail{walk: newWalk(p, visit), hb: m.hb, events: m.events, memory: m}
	t.schedule = m.schedule
	return t
}

// finish ends the search.
func (t *trail) finish(exhaustive bool) (sched.Stats, error) {
	stats, err := t.walk.finish(exhaustive)
	t.hb.Pop(0)
	*t.memory = memory{t.hb, t.events[:0], t.schedule[:0]}
	memories.Put(t.memory)
	t.walk, t.hb, t.events, t.memory = walk{}, nil, nil, nil
	return stats, err
}

// cut takes back all events from number k on.
func (t *trail) cut(k int) {
	t.back(k)
	t.hb.Pop(k)
	t.events = t.events[:k]
}

// track makes ev, which c chose, the latest event.
func (t *trail) track(c sched.Choice, ev *sched.Event) *performed {
	k := len(t.events)
	as := ev.Accesses()
	before := t.hb.Checks
	t.hb.Push(int32(ev.G), as, ev.Order)
	t.stats.Checks += t.hb.Checks - before
	if k == cap(t.events) {
		t.events = append(make([]performed, 0, 2*k+16), t.events...)
	}
	t.events = t.events[:k+1]
	e := &t.events[k]
	e.Choice, e.alts, e.kind = c, ev.Alts, ev.Kind
	e.uses.set(as)
	return e
}

// isInitial reports whether none of the events happens before event j.
func (t *trail) isInitial(j int, events []int32) bool {
	for _, i := range events {
		if t.hb.Before(int(i), j) {
			return false
		}
	}
	return true
}
