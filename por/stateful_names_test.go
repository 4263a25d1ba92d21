package por_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has what becomes of programs whose states have no names, and of executions and searches that end early.

// TestWithoutNames: a program whose states cannot be named is searched all the same, and the verdict says
// what it is that has no name.
func TestWithoutNames(t *testing.T) {
	for _, test := range []struct {
		what string
		f    func()
		opts []por.Option
	}{
		{"a deadline that is asked for after it has passed", func() {
			ctx, cancel := sched.WithTimeout(sched.Background(), time.Millisecond)
			defer cancel()
			sched.Loop()
			sched.Sleep(2 * time.Millisecond)
			ctx.Deadline()
		}, nil},
		{"time that may pass at any moment, in any order or by lag; discrete time can be named", func() { sched.Sleep(1) }, []por.Option{por.Time(sched.TimeAnyOrder)}},
		{"time that may pass at any moment, in any order or by lag; discrete time can be named", func() { sched.Sleep(1) }, []por.Option{por.Time(sched.TimeLag)}},
		{"a value that is not plain data, of sched.Loop", func() { sched.Loop(new(int)) }, nil},
		{"a sync.Map of pointers that is cleared while a goroutine ranges over it", func() {
			var m sched.Map
			m.Store(1, new(int))
			m.Store(2, new(int))
			sched.Go(m.Clear)
			m.Range(func(_, _ any) bool { return true })
		}, nil},
		{"a value that is not plain data, of a goroutine that has called sched.Loop", func() {
			var p sched.Pointer[int]
			sched.Loop()
			p.Store(new(int))
		}, nil},
		{"a value that is not plain data, of a goroutine that has called sched.Loop", func() {
			p := new(unsafe.Pointer)
			sched.Loop()
			hook.StorePointer(p, unsafe.Pointer(new(int)))
		}, nil},
		{"memory of which several operations use different parts", func() {
			n := new(int64)
			hook.Load(n)
			hook.Load((*int32)(unsafe.Pointer(n)))
		}, nil},
		{"memory that the standard library guards by itself", func() {
			n := new(int64)
			machine.Release(unsafe.Pointer(n))
			hook.Load(n)
		}, nil},
		{"a variable whose accesses are not explored, where goroutines promise to share none", func() {
			var v sched.Var[int]
			v.Store(1)
		}, nil},
	} {
		e := engine.DLSPOR{Stateful: engine.Stateful{Keying: trace.Keying{Tracked: true}}}
		res, err := por.Explore(test.f, append(test.opts, por.Engine(e))...)
		want, _ := por.Explore(test.f, append(test.opts, por.Engine(engine.Source{}))...)
		text := res.Verdict.String()
		if err != nil || !strings.Contains(text, "no state was recognised (states have no names: "+test.what+")") || strings.Contains(text, "final state") || !strings.Contains(text, "source-DPOR in place of DL-S-POR") {
			t.Errorf("%s: %v, %s", test.what, err, text)
		}
		if a, b, _ := strings.Cut(want.Verdict.String(), " explored"); res.Verdict.Covered && !strings.HasPrefix(text, a) {
			t.Errorf("%s: %s, by source-DPOR: %s%s", test.what, text, a, b)
		}
	}
}

// TestWithoutNamesByLag: of two searches the verdict says which one has recognised states.
func TestWithoutNamesByLag(t *testing.T) {
	res, err := por.Explore(func() {
		var x sched.Int64
		sched.Go(func() { sched.Sleep(time.Millisecond); x.Store(1) })
		x.Load()
	}, por.Engine(engine.DLSPOR{}))
	text := res.Verdict.String()
	for _, part := range []string{
		"the only final state explored in discrete time by DL-S-POR, it does not fail; all 2 traces explored by lag of ",
		"(source-DPOR in place of DL-S-POR, ",
		"; states told apart by what goroutines have done",
		" no state was recognised (states have no names: time that may pass at any moment",
	} {
		if err != nil || !strings.Contains(text, part) {
			t.Errorf("%v, not %q: %s", err, part, text)
		}
	}
}

// TestFallenBackCounts: what is shown is counted on when it comes out that states have no names.
func TestFallenBackCounts(t *testing.T) {
	c := exec.New(func() {
		var x, y sched.Int64
		sched.Go(func() { x.Store(1) })
		if x.Load() == 1 {
			ctx, cancel := sched.WithTimeout(sched.Background(), time.Millisecond)
			defer cancel()
			sched.Loop()
			sched.Sleep(2 * time.Millisecond)
			ctx.Deadline()
		}
		y.Load()
	}, exec.Options{})
	defer c.Shutdown()
	n := int64(0)
	stats, err := engine.Stateful{Keying: trace.Keying{Tracked: true}}.Explore(c, func(x *trace.Execution) bool {
		if n++; x.Stats.Executions != n {
			t.Errorf("%d of %d", x.Stats.Executions, n)
		}
		return true
	})
	if err != nil || n != 3 || stats.Executions != 3 || stats.Again != 1 || !stats.Exhaustive {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestVisitorEnds: who wants no more is shown no more.
func TestVisitorEnds(t *testing.T) {
	for _, e := range statefulEngines(trace.Keying{}) {
		c := exec.New(peterson, exec.Options{})
		n := 0
		stats, err := e.Explore(c, func(*trace.Execution) bool { n++; return n < 2 })
		c.Shutdown()
		if err != nil || n != 2 || stats.Exhaustive {
			t.Errorf("%s: %d times, %+v, %v", e.Name(), n, stats, err)
		}
	}
}

// TestSeed: what is explored first depends on the seed, and what all comes to does not.
func TestSeed(t *testing.T) {
	firsts, finals := make(map[string]bool), make(map[int64]bool)
	for seed := range uint64(5) {
		c := exec.New(peterson, exec.Options{})
		n := int64(0)
		_, err := engine.DLSPOR{Stateful: engine.Stateful{Seed: seed, Keying: trace.Keying{Tracked: true}}}.Explore(c, func(x *trace.Execution) bool {
			if n++; n == 1 {
				firsts[fmt.Sprint(x.Schedule)] = true
			}
			return true
		})
		c.Shutdown()
		if finals[n] = true; err != nil {
			t.Error(err)
		}
	}
	if len(firsts) < 2 || len(finals) != 1 {
		t.Errorf("%d first executions, %v final states", len(firsts), finals)
	}
}

// TestCountsGoroutines: what depends on everything does so on a step that uses nothing.
func TestCountsGoroutines(t *testing.T) {
	for _, e := range append(statefulEngines(trace.Keying{}), engine.DFS{}) {
		counts := make(map[int]bool)
		n := 0
		c := exec.New(func() {
			n = 0
			sched.Go(func() { sched.Choose(2) }) // and it is over
			n = sched.NumGoroutine()
		}, exec.Options{})
		_, err := e.Explore(c, func(*trace.Execution) bool { counts[n] = true; return true })
		c.Shutdown()
		if err != nil || !counts[1] || !counts[2] {
			t.Errorf("%s: %v, %v", e.Name(), counts, err)
		}
	}
}

// TestCutStatesAreOthers: an execution that is cut at the limit of steps has not been where a shorter one comes to, and
// goes on.
func TestCutStatesAreOthers(t *testing.T) {
	for _, e := range statefulEngines(trace.Keying{Tracked: true}) {
		over := false
		c := exec.New(func() {
			over = false
			var x, y sched.Int64
			x.Load() // both ways know it
			if sched.Choose(2) == 0 {
				x.Load()
				x.Load()
			}
			sched.Loop()
			y.Load()
			over = true
		}, exec.Options{MaxSteps: 4})
		ends := make(map[bool]bool)
		_, err := e.Explore(c, func(*trace.Execution) bool { ends[over] = true; return true })
		c.Shutdown()
		if err != nil || !ends[true] || !ends[false] {
			t.Errorf("%s: %v, %v", e.Name(), ends, err)
		}
	}
}

// opaque is a program that hides what it could say of its states.
type opaque struct{ c *exec.Closure }

func (p opaque) Start() trace.Run { return p.c.Start() }

// TestNotKeyed: a program that does not know its states is searched all the same, with the final states it would have.
func TestNotKeyed(t *testing.T) {
	c := exec.New(peterson, exec.Options{Awaits: true})
	defer c.Shutdown()
	for _, e := range []trace.Engine{engine.Stateful{}, engine.SPOR{}, engine.DESPOR{}, engine.DLSPOR{}} {
		n := 0
		by := "source-DPOR in place of " + trace.Describe(e).Title
		stats, err := e.Explore(opaque{c}, func(x *trace.Execution) bool {
			if !x.Blocked {
				n++
			}
			if x.Stats.By != by {
				t.Errorf("%s: shown by %q", e.Name(), x.Stats.By)
			}
			return true
		})
		if err != nil || !stats.Exhaustive || n != 4 || stats.Basis != "no state was recognised (states have no names: the program is not Keyed)" || stats.Counts != "traces" || stats.By != by {
			t.Errorf("%s: %+v, %v, %d executions", e.Name(), stats, err, n)
		}
	}
}

// TestCutBeforeRenamed: an execution that is cut at the limit of steps is shown once, though it has come before it was
// learnt that somebody ranges over a map.
func TestCutBeforeRenamed(t *testing.T) {
	for _, k := range []trace.Keying{{}, {Tracked: true, Exact: true}} {
		s := engine.Stateful{Keying: k}
		for i, e := range []trace.Engine{s, engine.SPOR{Stateful: s}} { // others leave out what comes after the limit
			c := exec.New(func() {
				var m sched.Map
				var x, y sched.Int64
				sched.Go(func() { y.Load(); m.Range(func(_, _ any) bool { return true }) })
				m.Store(1, 1)
				m.Store(2, 2)
				for {
					x.Add(1)
				}
			}, exec.Options{MaxSteps: 7})
			shown := make(map[string]bool)
			stats, err := e.Explore(c, func(x *trace.Execution) bool {
				s := fmt.Sprint(x.Schedule)
				if shown[s] {
					t.Errorf("%v, %s (%d): %s is shown again", k, e.Name(), i, s)
				}
				shown[s] = true
				return true
			})
			c.Shutdown()
			if err != nil || len(shown) < 2 || stats.Basis == "" {
				t.Errorf("%v, %s (%d): %+v, %v", k, e.Name(), i, stats, err)
			}
		}
	}
}
