package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Lazy is Lazy-BPOR (002, algorithm 10 and the last one): source-DPOR that gives
// an execution up when its *trace* is over the bound, that is when all executions
// that differ from it only in the order of independent events are. So there are no
// conservative branches, and never more executions than of source-DPOR.
type Lazy struct {
	Bound Bound
	// Slack is by how much the traces that are explored may exceed the bound. A
	// trace is found by reversing a race in another one, which may be over the bound
	// although the trace itself is not. 0 is as printed, and may miss traces within
	// the bound; [Enough] visits all of them.
	Slack Slack
	// Estimate lets compulsory switches be counted in place of the exact minimum,
	// as the first approximation of the slides does. It takes less time for every
	// event and explores traces that are over the bound.
	Estimate bool
}

// Slack is an excess over a bound.
type Slack int

// Enough is the slack that makes an engine visit every trace within the bound: two
// less than the number of goroutines that take part.
const Enough Slack = -1

// of returns the slack of a trace of n goroutines.
func (s Slack) of(n int) int {
	if s == Enough {
		return max(0, n-2)
	}
	return int(s)
}

// Name returns "lazy-bpor", "lazy-bpor-slack" if it has [Enough], and either with
// "-estimate".
func (e Lazy) Name() string {
	name := "lazy-bpor"
	if e.Slack == Enough {
		name += "-slack"
	}
	if e.Estimate {
		name += "-estimate"
	}
	return name
}

// Explore visits traces of p within the bound, and within the slack, none twice.
func (e Lazy) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := rules{bound: e.Bound, lazy: true}.explore(p, visit, e.gauge)
	e.Bound.claim(&stats, e.Slack == Enough, stats.Pruned == 0)
	return stats, err
}

func (e Lazy) gauge(b *bounded) gauge {
	if e.Estimate {
		return &estimate{bound: e.Bound, slack: e.Slack, hb: b.HB}
	}
	return newLinear(e.Bound, e.Slack, b.HB)
}
