package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestReverseItems has the stack of items stay as small as the events are many, squared, where the
// traces are exponentially many.
func TestReverseItems(t *testing.T) {
	effort.Computes(t)
	for _, x := range []struct {
		name   string
		n      int
		traces int64
	}{
		{"readers-writers", 6, 32}, {"readers-writers", 12, 2048},
		{"mpat", 3, 48}, {"mpat", 5, 3840}, {"lastzero", 10, 2560}, {"ring", 11, 2046},
	} {
		p, _ := paper.Named(x.name)
		c := exec.New(p.Make(x.n, 0), p.Options)
		most, steps := 0, 0
		var r *reverse
		r = newReverse(c, func(*trace.Execution) bool {
			most, steps = max(most, len(r.items.all)), max(steps, len(r.items.nodes))
			return true
		})
		r.explore(nil)
		stats, err := r.Finish(true)
		c.Shutdown()
		t.Logf("%s(%d): %d traces of %d events, %d items of %d steps", x.name, x.n, stats.Executions, stats.MaxDepth, most, steps)
		if err != nil || stats.Executions != x.traces || most > stats.MaxDepth*stats.MaxDepth {
			t.Errorf("%s(%d): %d traces, want %d; %d items wait where there are %d events (%v)", x.name, x.n, stats.Executions, x.traces, most, stats.MaxDepth, err)
		}
	}
}

// TestReverseLong has the steps of the items that an execution leaves be as many as its events,
// though each of the items begins with hundreds of them.
func TestReverseLong(t *testing.T) {
	c := exec.New(func() {
		var mu sched.Mutex
		var n sched.Int64
		for range 4 {
			sched.Go(func() {
				for range 100 {
					mu.Lock()
					n.Add(1)
					mu.Unlock()
				}
			})
		}
	}, exec.Options{})
	defer c.Shutdown()
	executions := 0
	var r *reverse
	r = newReverse(c, func(x *trace.Execution) bool {
		executions++
		events, steps := len(x.Schedule), len(r.items.nodes)
		t.Logf("%d events, %d items of %d steps", events, len(r.items.all), steps)
		if len(r.items.all) < 100 || steps > 8*events {
			t.Errorf("execution of %d events: %d items of %d steps", events, len(r.items.all), steps)
		}
		return executions < 3
	})
	r.explore(nil)
	if _, err := r.Finish(false); err != nil {
		t.Error(err)
	}
}

// driven is a closure that does not go on by itself.
type driven struct{ *exec.Closure }

type drivenRun struct {
	trace.Driver
	closure *exec.Closure
}

func (d driven) Start() trace.Run        { return drivenRun{d.Closure.Start().(trace.Driver), d.Closure} }
func (r drivenRun) Changed() []*trace.Op { return r.closure.Changed() }
func (r drivenRun) Futile() bool         { return r.closure.Futile() }

// forgetful is a closure of which a part is told in vain now and then, before the execution is begun anew.
type forgetful struct {
	*exec.Closure
	r *rand.Rand
	n int // how often
}

type forgetfulRun struct {
	trace.Coaster
	program *forgetful
}

func (f *forgetful) Start() trace.Run { return forgetfulRun{f.Closure.Start().(trace.Coaster), f} }

func (r forgetfulRun) Changed() []*trace.Op { return r.program.Changed() }
func (r forgetfulRun) Futile() bool         { return r.program.Closure.Futile() }

func (r forgetfulRun) Coast(s trace.Schedule, from, events int, tell func(*trace.Event) bool) error {
	if r.program.r.IntN(3) > 0 {
		return r.Coaster.Coast(s, from, events, tell)
	}
	r.program.n++
	more := 1 + r.program.r.IntN(10)
	if err := r.Coaster.Coast(s, from, events, func(ev *trace.Event) bool {
		more--
		return tell(ev) && more > 0
	}); err != nil {
		return err
	}
	return trace.ErrTold
}

// selects has events with several alternatives that come before others.
func selects(_, _ int) func() {
	return func() {
		a, b, end := sched.NewChan[int](2), sched.NewChan[int](2), sched.NewChan[int](0)
		for i := range 2 {
			a.Send(i)
			b.Send(i)
		}
		end.Close()
		for range 2 {
			sched.Go(func() { a.Recv(); b.Send(2) })
			sched.Go(func() {
				sched.Select(sched.RecvCase(a, nil, nil), sched.RecvCase(b, nil, nil), sched.RecvCase(end, nil, nil))
			})
		}
	}
}

// TestReverseCoasts has a search of executions that go on by themselves visit the same ones, in the same order, and
// leave the same items, as one that makes every choice by what is pending; long ones are fair all the same. So does one that is told what is not
// so, and then what is.
func TestReverseCoasts(t *testing.T) {
	effort.Computes(t)
	for _, patient := range []int{patience, 7} {
		restore := SetPatience(patient, 5)
		for _, p := range append(paper.Programs(), paper.Program{Name: "selects", Make: selects}) {
			n, m := p.N.Default, p.M.Default
			c := exec.New(p.Make(n, m), p.Options)
			seen := func(program trace.Program) (all []string) {
				var r *reverse
				r = newReverse(program, func(e *trace.Execution) bool {
					all = append(all, fmt.Sprint(e.Blocked, e.Schedule, len(r.items.all), len(r.items.nodes), r.Stats.Races, r.Stats.Steps, r.bent))
					return len(all) < 1000
				})
				r.explore(nil)
				if _, err := r.Finish(true); err != nil {
					t.Errorf("%s(%d,%d): %v", p.Name, n, m, err)
				}
				return all
			}
			want := seen(driven{c})
			vain := &forgetful{Closure: c, r: rand.New(rand.NewPCG(5, 6))}
			for _, program := range []trace.Program{c, vain} {
				got := seen(program)
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Errorf("%s(%d,%d), %T: execution %d of %d is\n%v, not\n%v", p.Name, n, m, program, i, len(want), got[min(i, len(got)-1)], want[i])
						break
					}
				}
				if len(got) > len(want) {
					t.Errorf("%s(%d,%d), %T: %d executions, not %d", p.Name, n, m, program, len(got), len(want))
				}
			}
			if vain.n == 0 && len(want) > 10 {
				t.Errorf("%s(%d,%d): nothing was told in vain", p.Name, n, m)
			}
			c.Shutdown()
		}
		restore()
	}
}

// TestReverseSorts checks that what an execution has left is explored in order of what it has in common with it, the most first.
func TestReverseSorts(t *testing.T) {
	moved := 0
	for _, p := range paper.Programs() {
		c := exec.New(p.Make(p.N.Default, p.M.Default), p.Options)
		var r *reverse
		before, visits := 0, 0
		r = newReverse(c, func(e *trace.Execution) bool {
			left := r.items.all[before:]
			if !slices.IsSortedFunc(left, func(a, b item) int { return cmp.Compare(a.common, b.common) }) ||
				!slices.IsSortedFunc(left, func(a, b item) int { return cmp.Compare(a.end, b.end) }) {
				t.Errorf("%s: %+v", p.Name, left)
			}
			for i := range left {
				if left[i].end == left[max(i-1, 0)].end && i > 0 {
					moved++
				}
			}
			before = len(r.items.all) - 1
			visits++
			return visits < 300
		})
		r.explore(nil)
		if _, err := r.Finish(true); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		c.Shutdown()
	}
	if moved == 0 {
		t.Error("no item was left before one that comes first")
	}
}

// TestReverseComesAfter has a block in which the lowest name comes last, since it has to come after another one that the turn
// depends on: all are reads of what the turn writes.
func TestReverseComesAfter(t *testing.T) {
	c := exec.New(func() {
		var x, y sched.Var[int]
		sched.Go(func() { x.Store(1) })
		sched.Go(func() { y.Load(); x.Load() })
		sched.Go(func() { x.Load() })
		sched.Go(func() { x.Load(); y.Store(1) })
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	all := func(*trace.Execution) bool { return true }
	got, err := Reverse(c, all)
	want, wrong := Optimal(c, all)
	if err != nil || wrong != nil || got.Executions != want.Executions {
		t.Errorf("%d executions, not %d: %v, %v", got.Executions, want.Executions, err, wrong)
	}
}
