package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// claim says what a search has covered that has come to its end: everything, or
// what the text says of the traces within a bound.
func (b Bound) claim(complete, everything bool) (text string, all bool) {
	switch {
	case b.kind == unbounded || everything:
		return "", true
	case complete:
		return "every trace with " + b.String(), false
	}
	return "some of the traces with " + b.String(), false
}

// Claim says what a search with these statistics, that has come to its end, has
// covered: all there is, or else what the text says.
func (e Naive) Claim(*trace.Stats) (text string, all bool) { return e.Bound.claim(false, false) }

// Claim is as of [Naive].
func (e Classic) Claim(*trace.Stats) (text string, all bool) { return e.Bound.claim(true, false) }

// Claim is as of [Naive].
func (e Nidhugg) Claim(*trace.Stats) (text string, all bool) {
	return e.Bound.claim(e.Complete, false)
}

// Claim is as of [Naive].
func (e Source) Claim(*trace.Stats) (text string, all bool) { return e.Bound.claim(e.Complete, false) }

// Claim is as of [Naive].
func (e Lazy) Claim(s *trace.Stats) (text string, all bool) {
	return e.Bound.claim(e.Slack == Enough, s.Pruned == 0)
}

// Claim is as of [Naive].
func (e Optimal) Claim(s *trace.Stats) (text string, all bool) {
	return e.Bound.claim(e.Slack == Enough, s.Pruned == 0)
}

// Counts says what a search that has covered everything has counted.
func (Naive) Counts() string { return "traces" }

// Counts is as of [Naive].
func (Lazy) Counts() string { return "traces" }

// Counts is as of [Naive].
func (Optimal) Counts() string { return "traces" }

// Counts is as of [Naive].
func (Iterative) Counts() string { return "traces" }
