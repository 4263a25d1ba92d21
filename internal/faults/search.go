package faults

import (
	"math/rand/v2"
	"time"
)

// Search goes through the plans, by their numbers of faults. There may be more plans than can be
// searched. So a few executions are drawn with each plan of a number of faults, and then each is
// searched. Half of the time that is left goes to each number of faults, if more are to come.
type Search struct {
	Most int       // faults of an execution
	End  time.Time // of the search, zero for never
	Rand *rand.Rand
	Pace time.Duration // that an execution takes, about
	// With searches with a plan up to a time, zero for no limit. It returns how many executions
	// there were. Unless draws is 0 it only draws so many, with that seed.
	With func(p *Planned, draws int64, seed uint64, until time.Time) int64
	Over func() bool // the search is to end
	Corpus

	// Seen are the kinds that have had a site in an execution, after Run.
	Seen Kind
}

// Draws is how many executions are drawn with each plan of a number of faults.
const Draws = 3

// Level says what was covered of the executions with a number of faults. A plan says which faults
// an execution has, and where.
type Level struct {
	Faults     int
	Plans      int  // that there are, as far as is known
	All        bool // there are no others
	Drawn      int  // plans with which executions were drawn
	Earlier    int  // plans with which none were, but in earlier searches
	Covered    int  // plans with which everything was covered
	Executions int64
}

// Exhausted reports whether everything was covered.
func (l *Level) Exhausted() bool { return l.All && l.Covered == l.Plans }

// Run searches. The argument says which sites executions without faults have, and what was covered
// of these. What earlier searches have kept comes first. If there are too many plans, plans with
// several faults are drawn then, for half of the time.
func (s *Search) Run(without Planned) (again Again, mixed Mixed, levels []Level) {
	s.again()
	if s.tooMany(&without) {
		mixed = s.swarm(&without, part(s.End, false))
	}
	plans, known := []Planned{without}, true
	for n := 1; n <= s.Most && !s.Over(); n++ {
		next, all := Next(plans, s.Rand)
		s.see(plans)
		known = known && all // a plan that is missing may have led to others
		s.order(next)
		l := Level{Faults: n, Plans: len(next), All: known}
		end := part(s.End, n == s.Most)
		s.draw(next, part(end, false), &l)
		if !s.Over() {
			s.exhaust(next, end, &l)
		}
		l.Earlier = s.earlier(next[max(l.Drawn, l.Covered):])
		levels = append(levels, l)
		if len(next) == 0 {
			break
		}
		plans = next
	}
	return s.Corpus.again, mixed, levels
}

// see notes the kinds of all sites.
func (s *Search) see(plans []Planned) {
	for i := range plans {
		for _, x := range plans[i].Sites.List {
			s.Seen |= x.Kinds
		}
	}
}

// part returns the end of half of the time, or of all of it.
func part(end time.Time, all bool) time.Time {
	if end.IsZero() || all {
		return end
	}
	return time.Now().Add(time.Until(end) / 2)
}

// passed reports whether a time has passed.
func passed(end time.Time) bool { return !end.IsZero() && time.Now().After(end) }

// draw draws some executions with each plan.
func (s *Search) draw(plans []Planned, end time.Time, l *Level) {
	for i := range plans {
		if passed(end) {
			return
		}
		l.Executions += s.fresh(&plans[i], Draws, uint64(i), end)
		if s.Over() {
			return
		}
		l.Drawn++
		s.Drew = append(s.Drew, plans[i].Plan.hash())
	}
}

// exhaust searches all executions with each plan. A plan that takes long leaves time for others.
func (s *Search) exhaust(plans []Planned, end time.Time, l *Level) {
	for i := range plans {
		if passed(end) {
			return
		}
		until := end
		if left := len(plans) - i; !end.IsZero() && left > 1 {
			until = time.Now().Add(max(time.Until(end)/time.Duration(min(left, 8)), time.Millisecond))
		}
		l.Executions += s.With(&plans[i], 0, 0, until)
		if s.Over() {
			return
		}
		if plans[i].Covered {
			l.Covered++
		}
	}
}
