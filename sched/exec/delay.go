package exec

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Delay is by how much an execution in [sched.TimeLag] has had code late, at the most.
type Delay struct {
	By time.Duration
	// Name is the goroutine that was late, and File and Line are where, if the execution
	// was recorded.
	Name, File string
	Line       int
}

// timed is an event of a goroutine, as far as delays have to do with it. It is late if the clock
// had moved on to a moment, and if code took no time the goroutine would have come to the event
// earlier. The execution needs that if the move happens before the event. Else the goroutine was
// only not chosen: in another execution of the same trace the event comes before the move.
type timed struct {
	step, before int // its number, and that of the goroutine's event before it, -1 for none
	moves        int // of the clock that happen before it
	nominal      time.Duration
	g            trace.ID
	pc           uintptr
}

// measured is what is known of an execution when it is measured.
type measured struct {
	known bool
	timed []timed
	moves []time.Duration // the moments to which the clock has moved
	order *trace.Tracker  // what happens before what
}

// Timed reports whether in any execution so far something has waited for the clock, so
// that [sched.TimeLag] makes a difference. That is not so in bubbles of package
// testing/synctest. It says no if any execution has called for discrete time, as synctest.Wait
// does.
func (c *Closure) Timed() bool { return c.m.Clock.Timed && !c.m.Clock.Settled }

// Delay returns by how much the execution has had code late up to its event of that number, at the
// most: of all executions of its trace, the least that is possible. It is zero in other modes of
// time.
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
		d.File, d.Line, _ = format.Place(late.pc)
	}
	return d
}

// atMostLate returns how late code may have been up to an event: a goroutine could go on when the
// clock moved.
func (c *Closure) atMostLate(step int) (by time.Duration) {
	if c.m.Time != machine.TimeLag {
		return 0
	}
	for _, l := range c.m.Delays() {
		if int(l.Event) <= step {
			by = l.By
		}
	}
	return by
}

// lateUpTo returns the longest delay up to an event, which is known, and the event that is so late.
// The moves of the clock count that happen before the former: in another execution of the same
// trace the others come later. An event counts if what its goroutine did before it does not come
// after the former: in another execution of the same trace the goroutine is that far by then. With
// the number of events, all of the execution counts.
func (c *Closure) lateUpTo(step int) (longest time.Duration, late *timed) {
	m := &c.measured
	upTo := len(m.moves)
	if step < m.order.Len() {
		upTo = movesBefore(m.order, step, c.m.Clock.G.ID)
	}
	for i := range m.timed {
		e := &m.timed[i]
		if e.before > step && m.order.Before(step, e.before) {
			continue
		}
		if n := min(e.moves, upTo); n > 0 {
			if by := m.moves[n-1] - e.nominal; by > longest {
				longest, late = by, e
			}
		}
	}
	return longest, late
}

// measure finds out which delays the latest execution needs. It runs the execution once more, and
// reports false if that cannot be done.
func (c *Closure) measure() bool {
	m := &c.measured
	if m.known {
		return true
	}
	live, judged, stopped, failures := c.life.live, c.life.judged, c.life.stopped, slices.Clone(c.m.Failures)
	s := c.performed()
	c.Close()
	c.Start()
	t := trace.NewTracker(trace.Dependence)
	m.timed, m.moves, m.order = m.timed[:0], m.moves[:0], t
	var err error
	for i, choice := range s {
		var ev *trace.Event
		if ev, err = c.Step(choice); err != nil || c.Interrupted() {
			break
		}
		t.Push(int32(ev.G), ev.Accesses(), ev.Order)
		if g := c.m.Goroutines[ev.G]; g == c.m.Clock.G {
			m.moves = append(m.moves, c.m.Now())
		} else if g.MayBeLate() {
			m.timed = append(m.timed, timed{i, t.Prev(i), movesBefore(t, i, c.m.Clock.G.ID), c.m.Nominal(i), ev.G, ev.PC})
		}
	}
	m.known = err == nil && !c.Interrupted()
	c.life.judged, c.life.stopped, c.m.Failures = judged, stopped, append(c.m.Failures[:0], failures...)
	if !live {
		c.Close()
	}
	return m.known
}

// movesBefore returns how many events of the clock happen before event i.
func movesBefore(t *trace.Tracker, i int, clock trace.ID) int {
	if vc := t.Clock(i); int(clock) < len(vc) {
		return int(vc[clock])
	}
	return 0
}

// withinLag takes back the failures of an execution that needs code to be later than the lag
// allows. The clock may move on early to a moment that is no further away than the lag, and by then
// a goroutine may be late already. So executions are explored that need up to twice the lag, and
// nothing is said of those that need more than the lag.
//
// What the whole execution needs decides, and not what is before the failure: that is the same in
// all executions of a trace. A failure that needs less shows in another trace, too, in which the
// clock does not move on so far after it.
func (c *Closure) withinLag() {
	if len(c.m.Failures) == 0 || c.atMostLate(c.m.Events.Count) <= c.opt.Lag || !c.measure() {
		return
	}
	if by, _ := c.lateUpTo(c.m.Events.Count); by > c.opt.Lag {
		c.m.Failures = c.m.Failures[:0]
	}
}

// SetLag changes how far the clock may be ahead in executions to come, see [Options.Lag].
func (c *Closure) SetLag(d time.Duration) { c.m.Lag = int64(d) }

// HoldLag says whether the lag is how late code may be in executions to come. If it is not, the
// clock may move on early as [Options.Lag] says, and code may be up to twice as late.
func (c *Closure) HoldLag(held bool) { c.m.Held = held }
