package machine

import "time"

// This file has the limit of virtual time. The clock does not move on beyond it while main has not
// ended. An execution in which main waits for more than that is over, and hangs.
//
// By default it is the limit of time that go test has. In a bubble of testing/synctest time costs
// nothing natively, so that limit does not hold there. Where states are told apart, it is a limit
// of every single move of the clock. Otherwise each state would have the date in it, and no loop
// around a clock would come back to a state. A search that tells states apart finds such loops by
// itself.

// limitsDates reports whether the limit is a date, which makes a difference to states.
func (m *Machine) limitsDates() bool { return m.MaxClock != 0 && !m.Natively }

// isBeyond reports whether d lies beyond the limit of time.
func (m *Machine) isBeyond(d *deadline) bool {
	switch {
	case m.repeats.stuck:
		return true
	case m.MaxClock == 0 || m.Natively && m.Clock.exact:
		return false
	case m.Natively && m.Keyed:
		return d.when-m.Clock.elapsed > m.MaxClock
	}
	return d.when > m.MaxClock
}

// counts reports whether the clock may move on to d. As long as main has not ended, it may not move
// beyond the limit of time. By lag main has ended for certain if the move comes after all that it
// has done. To what was stopped the clock moves only if that is near.
func (m *Machine) counts(d *deadline) bool {
	if d.stopped && d.when-m.Clock.elapsed > m.Lag {
		return false
	}
	if !m.isBeyond(d) {
		return d.useful()
	}
	main := m.Goroutines[MainID]
	ended := main.State == StateEnded && (m.Time != TimeLag || main.nominal < d.when-m.Lag)
	return ended && d.useful()
}

// hangs reports whether only what lies beyond the limit of time would let main go on.
func (m *Machine) hangs() bool {
	_, ok := m.Hang()
	return ok
}

// withinLimit returns for how long a goroutine waits that polls: d, or up to the limit of time if
// that is less, for d is any duration.
func (m *Machine) withinLimit(d int64) time.Duration {
	if left := m.MaxClock - m.Clock.elapsed; m.MaxClock != 0 && left > 0 {
		d = min(d, left)
	}
	return time.Duration(d)
}

// mostOvertime is how many times a goroutine may ask for the time when that has come to the limit
// by its asking. Each look moved the clock on, the more so the longer the loop was, and natively
// the loop may take microseconds. A loop that counts its turns ends meanwhile, and one that waits
// for a later time does not.
const mostOvertime = 2_000

// mostAsked is the same for a loop that only asks for the time: its looks cost little. Tests have
// loops of ten thousand turns that measure what each turn takes.
const mostAsked = 100_000

// overtime is how many times a goroutine that polls may ask for the time at the limit. By lag each
// look is an operation, so that a loop which only asks for the time seems to poll.
func (m *Machine) overtime() int32 {
	if m.Time == TimeLag {
		return mostAsked
	}
	return mostOvertime
}

// atLimit reports whether the clock has come to the limit of time, and does not move on for main.
// Where the limit is one of every single move, it comes to none.
func (m *Machine) atLimit() bool {
	return m.MaxClock != 0 && m.Clock.elapsed >= m.MaxClock && !(m.Natively && (m.Clock.exact || m.Keyed))
}

// Hang is what would let a goroutine go on in an execution that hangs: a goroutine that sleeps, or
// a timer.
type Hang struct {
	In      time.Duration // until the clock moves on to that
	Sleeper *Goroutine
	Timer   *TimerState
}

// Hang returns what would come first in an execution that hangs. It reports false if the limit
// of time keeps nothing from happening.
func (m *Machine) Hang() (h Hang, ok bool) {
	if m.MaxClock == 0 {
		return h, false
	}
	for i := range m.Clock.deadlines {
		d := &m.Clock.deadlines[i]
		if d.stopped || !d.useful() || m.counts(d) {
			continue
		}
		if left := time.Duration(d.when - m.Clock.elapsed); !ok || left < h.In {
			h, ok = Hang{In: left, Timer: d.t, Sleeper: d.g}, true
		}
	}
	return h, ok
}

// Waiter returns the goroutine that waits for the sleep or the timer to end, nil if there is none.
func (h *Hang) Waiter() *Goroutine {
	if h.Timer == nil {
		return h.Sleeper
	}
	if c := h.Timer.Ch; c != nil {
		if w := front(&c.recvq); w != nil {
			return w.g
		}
	}
	return nil
}

// Owner returns the goroutine of which the firing of t is an event.
func (t *TimerState) Owner() *Goroutine { return t.g }
