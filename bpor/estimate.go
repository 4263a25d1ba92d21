package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// estimate is a cheap lower limit of what [linear] computes: the number of compulsory switches
// (002, the first approximation of Lazy-BPOR). Between two events of a goroutine it has to be
// left if some event of another goroutine happens after the first and before the second. That
// is a preemption, and costs at least a delay, unless the goroutine had to wait. It may have
// had to if its second event waits for an event that does not happen before the first.
type estimate struct {
	bound Bound
	slack Slack
	hb    *trace.Tracker
	costs []int // per event, of the trace up to it
}

func (s *estimate) push(n int, ev *trace.Event) {
	s.costs = s.costs[:n]
	cost := 0
	if n > 0 {
		cost = s.costs[n-1]
	}
	if s.hb.Seq(n) > 1 && s.compulsory(n, ev.Order) {
		cost++
	}
	s.costs = append(s.costs, cost)
}

// compulsory reports whether the goroutine of event n has to be left before n, while it is
// enabled.
func (s *estimate) compulsory(n int, waits []int32) bool {
	g, prev := int(s.hb.G(n)), s.previous(n)
	for _, w := range waits {
		if int(w) != prev && !(int(w) < prev && s.hb.Before(int(w), prev)) {
			return false
		}
	}
	for i := prev + 1; i < n; i++ {
		if int(s.hb.G(i)) != g && s.hb.Before(prev, i) && s.hb.Before(i, n) {
			return true
		}
	}
	return false
}

// previous returns the event of the same goroutine before event n.
func (s *estimate) previous(n int) int {
	for i := n - 1; ; i-- {
		if s.hb.G(i) == s.hb.G(n) {
			return i
		}
	}
}

func (s *estimate) within(goroutines int) bool {
	return s.bound.Allows(s.costs[len(s.costs)-1] - s.slack.of(goroutines))
}

func (s *estimate) spent(goroutines, left int) bool {
	return !s.bound.Allows(s.costs[len(s.costs)-1] + left + 1 - s.slack.of(goroutines))
}
