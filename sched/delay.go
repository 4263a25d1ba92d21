package sched

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Delay is by how much an execution in [TimeLag] has had code late, at the most.
type Delay struct {
	By time.Duration
	// Name is the goroutine that was late, and File and Line are where, if the execution
	// was recorded.
	Name, File string
	Line       int
}

// timed is an event of a goroutine, as far as delays have to do with it. It is late if the clock had moved on to
// a moment, and if code took no time the goroutine would have come to the event earlier. The execution needs
// that if the move happens before the event. Else the goroutine was only not chosen: in another execution of
// the same trace the event comes before the move.
type timed struct {
	step, before int // its number, and that of the goroutine's event before it, -1 for none
	moves        int // of the clock that happen before it
	nominal      time.Duration
	g            trace.ID
	pc           uintptr
}

// move is one of the clock.
type move struct {
	step int
	to   time.Duration
}

// Delay returns by how much the execution has had code late up to its event of that
// number, at the most: of all executions of its trace, the least that is possible. It is zero in other modes of time.
func (c *Closure) Delay(step int) (d Delay) {
	if c.atMostLate(step) == 0 || !c.measure() {
		return d
	}
	by, late := c.lateUpTo(step)
	if late == nil {
		return d
	}
	d.By, d.Name = by, c.Name(late.g)
	if late.pc != 0 {
		d.File, d.Line, _ = machine.Place(late.pc)
	}
	return d
}

// atMostLate returns how late code may have been up to an event: a goroutine could go on when the clock moved.
func (c *Closure) atMostLate(step int) (by time.Duration) {
	if c.m.Time != TimeLag {
		return 0
	}
	for _, l := range c.m.Delays() {
		if int(l.Event) <= step {
			by = l.By
		}
	}
	return by
}

// lateUpTo returns the longest delay up to an event, which is known, and the event that is so late: one
// up to then, or the next one of its goroutine, if that comes after a move up to then.
func (c *Closure) lateUpTo(step int) (longest time.Duration, late *timed) {
	for i := range c.timed {
		e := &c.timed[i]
		moves := c.moves[:e.moves]
		if e.step > step {
			if e.before > step {
				continue
			}
			for len(moves) > 0 && moves[len(moves)-1].step > step {
				moves = moves[:len(moves)-1]
			}
		}
		if len(moves) == 0 {
			continue
		}
		if by := moves[len(moves)-1].to - e.nominal; by > longest {
			longest, late = by, e
		}
	}
	return longest, late
}

// measure finds out which delays the latest execution needs. It runs the execution once more, and reports
// false if that cannot be done.
func (c *Closure) measure() bool {
	if c.measured {
		return true
	}
	live, judged, stopped, failures := c.live, c.judged, c.stopped, slices.Clone(c.m.Failures)
	s := c.performed()
	c.Close()
	c.Start()
	t := trace.NewTracker(trace.Dependence)
	c.timed, c.moves = c.timed[:0], c.moves[:0]
	var err error
	for i, choice := range s {
		var ev *trace.Event
		if ev, err = c.Step(choice); err != nil || c.Interrupted() {
			break
		}
		t.Push(int32(ev.G), ev.Accesses(), ev.Order)
		if g := c.m.Gs[ev.G]; g == c.m.Clock {
			c.moves = append(c.moves, move{i, c.m.Now()})
		} else if !g.Pseudo {
			c.timed = append(c.timed, timed{i, t.Prev(i), movesBefore(t, i, c.m.Clock.Id), c.m.Nominal(i), ev.G, ev.PC})
		}
	}
	c.measured = err == nil && !c.Interrupted()
	c.judged, c.stopped, c.m.Failures = judged, stopped, append(c.m.Failures[:0], failures...)
	if !live {
		c.Close()
	}
	return c.measured
}

// movesBefore returns how many events of the clock happen before event i.
func movesBefore(t *trace.Tracker, i int, clock trace.ID) int {
	if vc := t.Clock(i); int(clock) < len(vc) {
		return int(vc[clock])
	}
	return 0
}

// withinLag takes back the failures of an execution that needs code to be later than the lag allows. The clock may
// move on early to a moment that is no further away than the lag, and by then a goroutine may be late already. So
// executions are explored that need up to twice the lag, and nothing is said of those that need more than the lag.
//
// What the whole execution needs decides, and not what is before the failure: that is the same in all executions of
// a trace. A failure that needs less shows in another trace, too, in which the clock does not move on so far after it.
func (c *Closure) withinLag() {
	if len(c.m.Failures) == 0 || c.atMostLate(c.m.N) <= c.opt.Lag || !c.measure() {
		return
	}
	if by, _ := c.lateUpTo(c.m.N); by > c.opt.Lag {
		c.m.Failures = c.m.Failures[:0]
	}
}

// SetLag changes how far the clock may be ahead in executions to come, see [Options.Lag].
func (c *Closure) SetLag(d time.Duration) { c.m.Lag = int64(d) }
