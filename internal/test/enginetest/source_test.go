package enginetest

import (
	"github.com/gopor/gopor/sched/trace"
)

// flaw is what is wrong with a brokenSource.
type flaw uint8

const (
	sound flaw = iota
	missesRaces
	firstRaceOnly
	lockRacesIgnored
	neverWakes
	sleepForgotten
	sleepsDependent
	wrongInitial
	notInitial
	alternativesIgnored
	wrongNotdep
	staleBacktrack
	readsCommuteWithWrites
	orderIgnored
	selectIsOneChannel
	countsWrong
)

// source is a simple source-DPOR, sets and replays throughout, with one flaw.
// It exists to show that the suite notices the flaw.
type source struct {
	flaw     flaw
	program  trace.Program
	visit    func(*trace.Execution) bool
	run      trace.Run
	hb       *trace.Tracker
	schedule trace.Schedule
	events   []trace.Event
	frames   []*frame
	stats    trace.Stats
}

type frame struct {
	sleep     []sleeper
	backtrack map[trace.ID]bool
	done      map[trace.ID]bool
	forks     map[trace.ID]int32
}

type sleeper struct {
	trace.Choice
	op trace.Op
}

func (s source) Name() string { return "simple source-DPOR" }

func (s source) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s.program, s.visit, s.hb = p, visit, trace.NewTracker(trace.Dependence)
	s.run = p.Start()
	defer func() { s.run.Close() }()
	s.stats.Exhaustive = s.explore(0, nil)
	if s.flaw == countsWrong {
		s.stats.Executions++
	}
	return s.stats, nil
}

// explore is Explore(E, Sleep) of Algorithm 1, where E has n events. It returns
// false to stop.
func (s *source) explore(n int, sleep []sleeper) bool {
	ops := s.run.Pending()
	if len(ops) == 0 {
		s.stats.Executions++
		return s.visit(&trace.Execution{Run: s.run, Schedule: s.schedule, Stats: &s.stats})
	}
	f := &frame{sleep: sleep, backtrack: map[trace.ID]bool{}, done: map[trace.ID]bool{}, forks: map[trace.ID]int32{}}
	s.frames = append(s.frames[:n], f)
	first := trace.ID(-1)
	for _, op := range ops {
		f.forks[op.G] = op.Alts
		for alt := range op.Alts {
			if first < 0 && !asleep(sleep, trace.Choice{G: op.G, Alt: alt}) {
				first = op.G
			}
		}
	}
	if first < 0 {
		s.stats.Blocked++
		return s.visit(&trace.Execution{Run: s.run, Schedule: s.schedule, Blocked: true, Stats: &s.stats})
	}
	f.backtrack[first] = true
	for g, ok := f.next(); ok; g, ok = f.next() {
		f.done[g] = true
		alts := f.forks[g]
		if s.flaw == alternativesIgnored {
			alts = min(alts, 1)
		}
		for alt := range alts {
			if c := (trace.Choice{G: g, Alt: alt}); !asleep(f.sleep, c) && !s.branch(n, f, c) {
				return false
			}
		}
	}
	return true
}

// next returns the first goroutine of the backtrack set that is not done.
func (f *frame) next() (trace.ID, bool) {
	least, found := trace.ID(0), false
	for g := range f.backtrack {
		if !f.done[g] && (!found || g < least) {
			least, found = g, true
		}
	}
	return least, found
}

func asleep(sleep []sleeper, c trace.Choice) bool {
	for _, z := range sleep {
		if z.Choice == c {
			return true
		}
	}
	return false
}

// branch explores what begins with E.c.
func (s *source) branch(n int, f *frame, c trace.Choice) bool {
	if len(s.schedule) > n {
		s.schedule, s.events = s.schedule[:n], s.events[:n]
		s.hb.Pop(n)
		s.run.Close()
		s.run = s.program.Start()
		if s.run.Replay(s.schedule) != nil {
			return false
		}
	}
	ev, err := s.run.Step(c)
	if err != nil {
		return false
	}
	s.stats.Steps++
	s.schedule, s.events = append(s.schedule, c), append(s.events, *ev)
	accesses, order := ev.Accesses(), ev.Order
	switch {
	case s.flaw == orderIgnored:
		order = nil
	case s.flaw == selectIsOneChannel && ev.Kind == trace.OpSelect && len(accesses) > 1:
		accesses = accesses[:1]
	}
	s.hb.Push(int32(c.G), accesses, order)
	s.races(n)
	if !s.explore(n+1, s.stillAsleep(f.sleep, &s.events[n].Op)) {
		return false
	}
	if s.flaw != sleepForgotten {
		f.sleep = append(f.sleep, sleeper{c, s.events[n].Op})
	}
	return true
}

// stillAsleep returns what sleeps after op.
func (s *source) stillAsleep(sleep []sleeper, op *trace.Op) (after []sleeper) {
	for _, z := range sleep {
		dependent := trace.Dependent(&z.op, op)
		switch s.flaw {
		case neverWakes:
			dependent = false
		case sleepsDependent:
			dependent = !dependent && z.G != op.G
		case readsCommuteWithWrites:
			dependent = dependent && !(z.op.Kind == trace.OpRead || z.op.Kind == trace.OpLoad)
		}
		if !dependent {
			after = append(after, z)
		}
	}
	return after
}

// races sees to it that every race of event n is explored the other way round.
func (s *source) races(n int) {
	races := s.hb.Races(n)
	switch s.flaw {
	case missesRaces:
		if len(races) > 0 && n%3 == 2 {
			races = races[1:]
		}
	case firstRaceOnly:
		races = races[:min(1, len(races))]
	}
	for _, e := range races {
		s.stats.Races++
		if s.flaw == lockRacesIgnored && s.events[e].Kind == trace.OpLock {
			continue
		}
		s.reverse(int(e), n)
	}
}

// reverse adds a goroutine of I(notdep(e, E).n) to the backtrack set at e.
func (s *source) reverse(e, n int) {
	f := s.frames[e]
	if s.flaw == staleBacktrack {
		f = s.frames[n]
	}
	var v []int
	for j := e + 1; j < n; j++ {
		if !s.hb.Before(e, j) || s.flaw == wrongNotdep {
			v = append(v, j)
		}
	}
	v = append(v, n)
	var initials []trace.ID
	seen := map[trace.ID]bool{}
	for i, j := range v {
		g, can := s.events[j].G, !seen[s.events[j].G]
		for _, k := range v[:i] {
			can = can && !s.hb.Before(k, j)
		}
		seen[g] = true
		if can || s.flaw == wrongInitial && j == n {
			initials = append(initials, g)
		}
	}
	if s.flaw == wrongInitial {
		initials = initials[len(initials)-1:]
	}
	if s.flaw == notInitial { // whoever is there already will do
		for g := range f.backtrack {
			initials = append(initials, g)
		}
	}
	for _, g := range initials {
		if f.backtrack[g] {
			return
		}
	}
	f.backtrack[initials[0]] = true
}
