package sched

import "github.com/gopor/gopor/internal/machine"

// By these bits Machine.met remembers the use of the clock, and the order of a Map.
const (
	metClock machine.Model = 1 << 7
	metOrder machine.Model = 1 << 6
)

// usual notes, once in an execution, that it met the usual model of a primitive in a
// way that could matter.
func (g *goroutine) usual(m machine.Model, what string) { g.meet(m, machine.AssumeModel, what) }

// usesClock notes that g depends on how time passes.
func (g *goroutine) usesClock(what string) {
	if g.m.Time == machine.TimeDiscrete {
		g.meet(metClock, machine.AssumeClock, what)
	}
}

func (g *goroutine) meet(m machine.Model, k machine.AssumptionKind, what string) {
	if met := &g.m.met; *met&m == 0 {
		*met |= m
		g.m.ex.assume(g, k, what)
	}
}
