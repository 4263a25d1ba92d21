package faults

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// MostPlans is how many plans with a number of faults there are at most, and how many sites of a
// plan are kept. If there are more, some are drawn.
const MostPlans = 20_000

// Sites are the sites that executions with a plan have had.
type Sites struct {
	List []Site
	Lack bool // some are missing
	of   any  // the program by which index is
	// Places in List, by the number of the goroutine in that program and the number of the use.
	index map[[2]int32]int
}

// By makes ready for executions of a program. Goroutines have other numbers in each program: number
// returns that of a path.
func (s *Sites) By(program any, number func(path []int32) int32) {
	if s.of == program {
		return
	}
	s.of, s.index = program, make(map[[2]int32]int)
	for i, x := range s.List {
		s.index[[2]int32{number(x.Path), x.N}] = i
	}
}

// Note adds the use with number n of a goroutine. Path returns the path of the goroutine.
func (s *Sites) Note(g, n int32, kinds Kind, path func() []int32) {
	key := [2]int32{g, n}
	if i, ok := s.index[key]; ok {
		s.List[i].Kinds |= kinds
	} else if len(s.List) == MostPlans {
		s.Lack = true
	} else {
		s.index[key] = len(s.List)
		s.List = append(s.List, Site{Path: path(), N: n, Kinds: kinds})
	}
}

// Planned is a plan of a search, and what its executions have shown.
type Planned struct {
	Plan    Plan
	Sites   Sites
	Covered bool // everything with the plan was covered
	News    bool // an execution has reached a property that none had reached before
	// Reached has the properties that executions of the latest call of With have reached, each
	// with the number of the first of these executions, from 1 on.
	Reached map[string]int64
	Again   bool // the plan is of an earlier search: see Kept
	near    bool // such executions had one fault less
}

// Next returns the plans with one fault more than those of a level. Those come first that have a
// fault more than executions which have reached a property first. Otherwise those that come first
// differ in goroutines and kinds. The result all says that these are all plans.
func Next(level []Planned, rnd *rand.Rand) (next []Planned, all bool) {
	all = true
	known := make(map[string]bool)
	for i := range level {
		p := &level[i]
		all = all && p.Covered && !p.Sites.Lack
		for _, s := range p.Sites.List {
			for _, f := range s.faults() {
				plan, ok := p.Plan.With(f)
				if text := plan.String(); ok && !known[text] {
					known[text] = true
					if q := (Planned{Plan: plan, near: p.News}); len(next) < MostPlans {
						next = append(next, q)
					} else if all = false; true {
						if i := rnd.IntN(len(known)); i < MostPlans {
							next[i] = q
						}
					}
				}
			}
		}
	}
	rnd.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	alike := make(map[string]int)
	order := make(map[string]int, len(next))
	for i := range next {
		p := &next[i]
		var b strings.Builder
		for _, f := range p.Plan {
			fmt.Fprint(&b, f.Kind, f.Path)
		}
		alike[b.String()]++
		order[p.Plan.String()] = alike[b.String()]
	}
	slices.SortStableFunc(next, func(a, b Planned) int {
		switch {
		case a.near && !b.near:
			return -1
		case b.near && !a.near:
			return 1
		}
		return cmp.Compare(order[a.Plan.String()], order[b.Plan.String()])
	})
	return next, all
}

// faults returns the faults that may come at a site.
func (s *Site) faults() (all []Fault) {
	for _, k := range s.Kinds.Each() {
		times := k.Times()
		if s.N >= Stops {
			times = []time.Duration{0}
		}
		for _, d := range times {
			all = append(all, Fault{Kind: k, Path: s.Path, N: s.N, For: d})
		}
	}
	return all
}

// Fewer returns a plan without the faults that it does not take: still reports whether a failure
// shows with a plan.
func (p Plan) Fewer(still func(Plan) bool) Plan {
	for i := 0; i < len(p) && len(p) > 1; {
		if q := p.Without(i); still(q) {
			p = q
		} else {
			i++
		}
	}
	return p
}
