package por

import "github.com/gopor/gopor/sched"

// Source is source-DPOR: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic
// partial order reduction", POPL 2014, Algorithm 1. It explores one maximal
// execution of every Mazurkiewicz trace, and besides executions that it has to
// give up as redundant ("blocked").
type Source struct{}

// Name returns "source".
func (Source) Name() string { return "source" }

// Explore visits every Mazurkiewicz trace of p once.
func (Source) Explore(p sched.Program, visit func(*sched.Execution) bool) (sched.Stats, error) {
	s := source{trail: newTrail(p, visit)}
	return s.finish(s.explore(0))
}

type source struct {
	trail
	frames stack[sourceFrame]
	first  []int32 // scratch of covered: the first event of each goroutine in v
	seen   idSet   // scratch of covered: their goroutines
}

// sourceFrame belongs to the state in which event k is to be performed. A
// goroutine in backtrack is explored with all its alternatives, so that
// backtrack is a set of goroutines while sleep is one of choices.
type sourceFrame struct {
	sleep     sleepSet
	backtrack idSet
}

// explore is Explore(E, Sleep), where E is the current execution, of length k,
// and Sleep is in frame k.
func (s *source) explore(k int) bool {
	f := s.frames.at(k)
	f.backtrack.clear()
	ops := s.pending()
	if len(ops) == 0 {
		return s.report(false)
	}
	p, ok := f.sleep.pick(ops, s.mover())
	if !ok {
		return s.report(true)
	}
	f.backtrack.add(p.G)
	for i := 0; i < len(f.backtrack.ids); i++ { // which grows meanwhile
		c := sched.Choice{G: f.backtrack.ids[i]}
		for alts := int32(1); c.Alt < alts; c.Alt++ {
			if f.sleep.has(c) {
				alts = max(alts, c.Alt+2) // see Lemma in sleepSet
				continue
			}
			ev := s.step(k, c)
			if ev == nil {
				return false
			}
			alts = ev.alts
			s.reverseRaces(k)
			next := s.frames.at(k + 1)
			next.sleep = s.after(f.sleep, next.sleep, ev)
			used := ev.uses
			if !s.explore(k + 1) {
				return false
			}
			f.sleep = append(f.sleep, sleeper{c, used})
		}
	}
	return true
}
