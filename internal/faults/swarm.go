package faults

import (
	"math/rand/v2"
	"time"
)

// This file draws plans where there are too many to try each, and an execution may have several
// faults. Each plan has a mix of kinds of its own, and a number of faults: see Groce, Zhang, Eide,
// Chen and Regehr, "Swarm testing", ISSTA 2012. A mix that lacks some kinds has more of the others.

// Mixed says how many plans were drawn so, and how many executions there were with these.
type Mixed struct {
	Plans      int
	Executions int64
}

// mostMisses is how many drawn plans in a row were drawn before when no more are.
const mostMisses = 1000

// tooMany reports whether there is no time to draw executions with each plan of one fault.
func (s *Search) tooMany(without *Planned) bool {
	if s.End.IsZero() || s.Most < 2 {
		return false
	}
	plans := 0
	for i := range without.Sites.List {
		plans += len(without.Sites.List[i].faults())
	}
	// Of the time a half is for one fault, and a half of that for drawing.
	return time.Duration(plans*Draws)*s.Pace > time.Until(s.End)/4
}

// swarm draws plans until a time, and one execution with each.
func (s *Search) swarm(without *Planned, end time.Time) (m Mixed) {
	if len(without.Sites.List) == 0 {
		return m
	}
	tried := make(map[string]bool)
	for misses := 0; misses < mostMisses && !passed(end) && !s.Over(); {
		p := &Planned{Plan: without.Sites.mixed(s.Rand, s.Most)}
		text := p.Plan.String()
		if tried[text] {
			misses++
			continue
		}
		tried[text], misses = true, 0
		m.Executions += s.fresh(p, 1, uint64(m.Plans), end)
		m.Plans++
	}
	return m
}

// mixed returns a plan with up to so many faults, of a mix of the kinds that there are.
func (s *Sites) mixed(r *rand.Rand, most int) (plan Plan) {
	var there, mix Kind
	for i := range s.List {
		there |= s.List[i].Kinds
	}
	for mix == 0 {
		for _, k := range there.Each() {
			if r.IntN(2) == 0 {
				mix |= k
			}
		}
	}
	kinds := mix.Each()
	for range 1 + r.IntN(most) {
		k := kinds[r.IntN(len(kinds))]
		at := r.IntN(len(s.List))
		for s.List[at].Kinds&k == 0 { // some site has the kind
			at = (at + 1) % len(s.List)
		}
		x, times := &s.List[at], k.Times()
		if q, ok := plan.With(Fault{Kind: k, Path: x.Path, N: x.N, For: times[r.IntN(len(times))]}); ok {
			plan = q
		}
	}
	return plan
}
