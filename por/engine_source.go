package por

import (
	"sync"

	"github.com/gopor/gopor/sched"
)

// Source is source-DPOR: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic
// partial order reduction", POPL 2014, Algorithm 1. It explores one maximal
// execution of every Mazurkiewicz trace, and besides executions that it has to
// give up as redundant ("blocked").
type Source struct{}

// Name returns "source".
func (Source) Name() string { return "source" }

// Explore visits every Mazurkiewicz trace of p once.
func (Source) Explore(p sched.Program, visit func(*sched.Execution) bool) (sched.Stats, error) {
	s := sourcePool.Get().(*source)
	s.trail = newTrail(p, visit)
	s.frames.at(0).sleep = s.frames.at(0).sleep[:0]
	stats, err := s.finish(s.explore(0))
	sourcePool.Put(s)
	return stats, err
}

// sourcePool keeps the frames of finished searches for later ones, since many
// searches are over within microseconds.
var sourcePool = sync.Pool{New: func() any { return new(source) }}

type source struct {
	trail
	frames stack[sourceFrame]
	firsts []int32 // scratch of reverse: the first event of each goroutine in v
	seen   idSet   // scratch of reverse: their goroutines
}

// sourceFrame belongs to the state in which event k is to be performed. A
// goroutine in backtrack is explored with all its alternatives, so backtrack is
// a set of goroutines, while sleep is one of choices.
type sourceFrame struct {
	sleep     sleepSet
	backtrack idSet
	forks     forks
}

// explore is Explore(E, Sleep), where E is the current execution, of length k,
// and Sleep is in frame k.
func (s *source) explore(k int) bool {
	ops := s.pending()
	if len(ops) == 0 {
		return s.report(false)
	}
	f := s.frames.at(k)
	p, ok := f.sleep.pick(ops, s.mover())
	if !ok {
		return s.report(true)
	}
	f.forks.note(ops)
	f.backtrack.clear()
	f.backtrack.add(p.G)
	for i := 0; i < len(f.backtrack.ids); i++ { // the set grows meanwhile
		g := f.backtrack.ids[i]
		for alt := range f.forks.alts(g) {
			if c := (sched.Choice{G: g, Alt: alt}); !f.sleep.has(c) && !s.exploreChoice(k, c) {
				return false
			}
		}
	}
	return true
}

// exploreChoice explores what begins with E.c, and puts c to sleep then.
func (s *source) exploreChoice(k int, c sched.Choice) bool {
	ev := s.step(k, c)
	if ev == nil {
		return false
	}
	for _, e := range s.hb.Races(k) {
		s.stats.Races++
		s.reverse(int(e), k)
	}
	f, next := s.frames.at(k), s.frames.at(k+1)
	next.sleep = s.after(f.sleep, next.sleep, ev)
	if !s.explore(k + 1) {
		return false
	}
	f.sleep = append(f.sleep, sleeper{c, s.events[k].uses})
	return true
}

// reverse sees to it that the race of event e with the latest event n is
// explored in the other order too: lines 6 to 9 of Algorithm 1. With
// E' = pre(e) and v = notdep(e, E).n, it adds a goroutine of I(v) to
// backtrack(E') unless there is one. A goroutine of I(v) that sleeps at E' does
// as well: adding it would change nothing.
func (s *source) reverse(e, n int) {
	f := s.frames.at(e)
	s.seen.clear()
	firsts := s.firsts[:0]
	initial := sched.ID(-1)
	for j := e + 1; j <= n; j++ {
		g := s.events[j].G
		if s.seen.has(g) || j < n && s.hb.Before(e, j) {
			continue
		}
		if s.isInitial(j, firsts) {
			if f.backtrack.has(g) || f.sleep.covers(&s.events[j], j == n, f.forks) {
				return
			}
			initial = g
		}
		s.seen.add(g)
		firsts = append(firsts, int32(j))
	}
	s.firsts = firsts
	f.backtrack.add(initial)
}
