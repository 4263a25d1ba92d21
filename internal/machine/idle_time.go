package machine

import "github.com/gopor/gopor/sched/trace"

// This file has time that passes although a goroutine can run. In discrete time the clock does not
// move on while a goroutine can run, since code takes no time. But a goroutine that goes round a
// loop for ever does take time. A search that recognises states sees that: it has come to states
// that lead to nothing but each other, whatever is chosen. There, and only there, it has the clock
// move on. So a goroutine that polls for what a sleeping one is to do is not in a livelock, and no
// look is left out that could have been in time.

// Patience tells whether the clock may move on although goroutines can run, if all of these have
// said that they are in a loop ([Goroutine.Turn]). It takes time in proportion to what is pending.
func (m *Machine) Patience() trace.Patience {
	if m.Time != TimeDiscrete || !m.clockUseful() {
		return trace.Impatient
	}
	p := trace.AtHeads
	for _, op := range m.Pending() {
		switch g := m.Goroutines[op.G]; {
		case g.loop.head == 0:
			return trace.Impatient
		case g.loop.head != g.seq+1:
			p = trace.InTurns
		}
	}
	return p
}

// ClockChoice is the choice by which the clock moves on.
var ClockChoice = trace.Choice{G: clockID}

// passBy orders what goroutines that can run do next after the clock's event: it has passed while
// they went round.
func (m *Machine) passBy() {
	for _, op := range m.pending.ops {
		m.follow(m.Goroutines[op.G], m.current())
	}
}
