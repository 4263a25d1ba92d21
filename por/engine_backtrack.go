package por

import (
	"sync"

	"github.com/gopor/gopor/sched"
)

// backtracking is the search that DPOR and source-DPOR have in common: depth
// first, with sleep sets, and in every state a set of goroutines to explore that
// grows as races are found further on. They differ in which goroutine a race
// adds.
type backtracking struct {
	trail
	frames stack[backtrackFrame]
	// belongs says which events j after e, up to n, count when the race of
	// events e and n is to be reversed. One of those that can come first among
	// them is explored in the place of e.
	belongs func(t *trail, e, j, n int) bool
	firsts  []int32 // scratch of reverse: the first event of each goroutine among them
	seen    idSet   // scratch of reverse: their goroutines
}

// backtrackFrame belongs to the state in which event k is to be performed. A
// goroutine in backtrack is explored with all its alternatives, so backtrack is
// a set of goroutines, while sleep is one of choices.
type backtrackFrame struct {
	sleep     sleepSet
	backtrack idSet
	forks     forks
}

// backtrackings keeps the frames of finished searches for later ones, since many
// searches are over within microseconds.
var backtrackings = sync.Pool{New: func() any { return new(backtracking) }}

// backtrack searches p.
func backtrack(p sched.Program, visit func(*sched.Execution) bool, belongs func(t *trail, e, j, n int) bool) (sched.Stats, error) {
	s := backtrackings.Get().(*backtracking)
	s.trail, s.belongs = newTrail(p, visit), belongs
	s.frames.at(0).sleep = s.frames.at(0).sleep[:0]
	stats, err := s.finish(s.explore(0))
	backtrackings.Put(s)
	return stats, err
}

// explore is Explore(E, Sleep), where E is the current execution, of length k,
// and Sleep is in frame k.
func (s *backtracking) explore(k int) bool {
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
func (s *backtracking) exploreChoice(k int, c sched.Choice) bool {
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
// explored in the other order too: it adds to backtrack(pre(e)) a goroutine
// whose event comes first among those that count, unless one is there. One that
// sleeps there does as well: adding it would change nothing.
func (s *backtracking) reverse(e, n int) {
	f := s.frames.at(e)
	s.seen.clear()
	firsts := s.firsts[:0]
	add := sched.ID(-1)
	for j := e + 1; j <= n; j++ {
		ev := &s.events[j]
		if s.seen.has(ev.G) || j < n && !s.belongs(&s.trail, e, j, n) {
			continue
		}
		if s.isInitial(j, firsts) {
			if f.backtrack.has(ev.G) || f.sleep.covers(ev, j == n, f.forks) {
				return
			}
			add = ev.G
		}
		s.seen.add(ev.G)
		firsts = append(firsts, int32(j))
	}
	s.firsts = firsts
	f.backtrack.add(add)
}
