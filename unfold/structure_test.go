package unfold

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// unfolding is all of the unfolding of a small program, as plain sets.
type unfolding struct {
	*explorer
	maximal []map[id]bool // the maximal configurations
	before  map[[2]id]bool
	err     error
}

// unfoldAll explores p without ever removing an event, and gives every event of
// every execution its name. It returns nil if there are more than so many executions.
func unfoldAll(t *testing.T, p trace.Program, step, most int) *unfolding {
	t.Helper()
	x, err := newExplorer(Tree{Step: step})
	if err != nil {
		t.Fatal(err)
	}
	x.full = math.MaxInt
	x.alternative = x.combs.lazy
	u := &unfolding{explorer: x, before: make(map[[2]id]bool)}
	x.Trail = search.NewTrail(p, func(e *trace.Execution) bool {
		if len(u.maximal) == most {
			return false
		}
		u.note()
		return u.err == nil
	})
	x.room()
	if ok := x.Explore(x); !ok && u.err == nil && len(u.maximal) == most {
		u = nil
	}
	if _, err := x.Finish(true); err != nil {
		t.Fatal(err)
	}
	return u
}

// note takes down the configuration of the execution that has ended.
func (u *unfolding) note() {
	c := make(map[id]bool)
	ids := make([]id, len(u.Events))
	for k := range u.Events {
		e := u.event(k)
		ids[k], c[e] = e, true
		for j := range k {
			if u.HB.Before(j, k) {
				u.before[[2]id{ids[j], e}] = true
			}
		}
		u.compareUses(k, e)
	}
	u.maximal = append(u.maximal, c)
}

// compareUses sees to it that the event is noted to touch what it has touched.
func (u *unfolding) compareUses(k int, e id) {
	noted, real := u.events[e].uses.list(), u.Events[k].Uses.List()
	same := len(noted) == len(real)
	for i := range noted {
		same = same && (noted[i].object == 0) == (real[i].Obj < 0) && noted[i].mode == real[i].Mode && noted[i].idx == real[i].Idx
	}
	if !same {
		u.err = fmt.Errorf("event %d of %v touches %v, and is noted to touch %v", k, u.Schedule, real, noted)
	}
}

// compatible reports whether e and f are in one configuration.
func (u *unfolding) compatible(e, f id) bool {
	return slices.ContainsFunc(u.maximal, func(c map[id]bool) bool { return c[e] && c[f] })
}

// programs calls check with the unfoldings of random programs.
func programs(t *testing.T, n int64, step int, check func(p *toy.Program, u *unfolding) error) {
	for _, p := range toytest.Programs(t, n) {
		u := unfoldAll(t, toy.New(p), step, 60)
		if u == nil {
			continue
		}
		err := u.err
		if err == nil {
			err = check(p, u)
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
	}
}

// TestRelations compares causality and conflict with what they mean: an event comes
// before another one if it does in an execution, and is in conflict with it if no
// execution has both.
func TestRelations(t *testing.T) {
	for _, step := range []int{1, 2, 3, 4, 7} {
		programs(t, 150, step, func(p *toy.Program, u *unfolding) error {
			for e := id(1); int(e) < len(u.events); e++ {
				for f := id(1); int(f) < len(u.events); f++ {
					if got, want := u.precedes(e, f), e == f || u.before[[2]id{e, f}]; got != want {
						return fmt.Errorf("step %d: precedes(%d, %d) is %v", step, e, f, got)
					}
					if got, want := u.conflict(u.at(e), u.at(f)), !u.compatible(e, f); got != want {
						return fmt.Errorf("step %d: conflict(%d, %d) is %v", step, e, f, got)
					}
				}
			}
			return nil
		})
	}
}

// TestExtensions sees to it that every conflicting extension that was found is an
// event of some execution.
func TestExtensions(t *testing.T) {
	programs(t, 1000, defaultStep, func(p *toy.Program, u *unfolding) error {
		for e := id(1); int(e) < len(u.events); e++ {
			if !u.compatible(e, e) {
				return fmt.Errorf("event %d of goroutine %d, alternative %d, happens in no execution; its history is %v",
					e, u.nodes[e].g, u.nodes[e].alt, u.at(e))
			}
		}
		return nil
	})
}

// TestLargeSteps has steps that are as large as a tree is deep, and larger.
func TestLargeSteps(t *testing.T) {
	const depth = 1 << 16
	for _, step := range []int{1 << 8, depth, depth + 1, math.MaxInt} {
		s, a, b := twoThreads(step, depth)
		first := s.walk(a[0], 1, nil)
		if s.nodes[first].depth != 1 || !s.includes(a, first) || s.includes(b, first) || s.conflict(a, b) {
			t.Errorf("step %d: the relations of two independent threads are wrong", step)
		}
	}
}
