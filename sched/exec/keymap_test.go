package exec_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// pointers have what is no plain data in maps and pools: what it leads to decides what comes next.
var pointers = map[string]func(){
	"load or store": func() {
		var m sched.Map
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				v, _ := m.LoadOrStore("k", &i)
				x.Add(*v.(*int64))
			})
		}
		if v, ok := m.Load("k"); ok && *v.(*int64) == 1 {
			x.Store(7)
		}
	},
	"store": func() {
		var m sched.Map
		for i := range int64(2) {
			sched.Go(func() { m.Store("k", &i) })
		}
		var x sched.Int64
		if v, ok := m.Load("k"); ok && *v.(*int64) == 1 {
			x.Store(7)
		}
	},
	"swap": func() {
		var m sched.Map
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				if v, ok := m.Swap("k", &i); ok && *v.(*int64) == 1 {
					x.Store(3)
				}
			})
		}
		v, _ := m.LoadAndDelete("k")
		if p, ok := v.(*int64); ok && m.CompareAndSwap("k", p, "") {
			x.Store(4)
		}
		m.Clear()
	},
	"pool": func() {
		var p sched.Pool
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				p.Put(&i)
				if *p.Get().(*int64) == 1 {
					x.Add(5)
				}
			})
		}
		if v, ok := p.Get().(*int64); ok {
			x.Store(*v)
		}
	},
}

// TestKeysOfPointers: what is in maps and pools is told apart by who has put it there.
func TestKeysOfPointers(t *testing.T) {
	effort.Computes(t)
	for name, f := range pointers {
		for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
			c := exec.New(f, exec.Options{AllowLeaks: true})
			if got, err := oracle.EqualFutures(c, k, oracle.Limits{}); err != nil || k.Tracked && got.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, got, err)
			}
			stats, err := engine.Stateful{Keying: k}.Explore(c, func(*trace.Execution) bool { return true })
			if err != nil || stats.States == 0 || !stats.Exhaustive {
				t.Errorf("%s, %v: %+v, %v", name, k, stats, err)
			}
			c.Shutdown()
		}
	}
}

// ranges have maps that are ranged over, where it matters in what order keys have come. They say
// what comes of that.
var ranges = map[string]func(says func(who int, what any)){
	"at once": func(says func(int, any)) {
		var m sched.Map
		m.Range(func(k, _ any) bool { says(0, k); return true })
		sched.Go(func() { m.Store(1, 1) })
	},
	"two keys": func(says func(int, any)) {
		var m sched.Map
		sched.Go(func() { m.Store(1, 1) })
		m.Store(2, 2)
		m.Range(func(k, _ any) bool { says(0, k); return true })
	},
	"who has put it there": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		for i := range 2 {
			sched.Go(func() {
				for _, k := range []string{"k", "ll"} {
					_, loaded := m.LoadOrStore(k, 1)
					says(i+1, loaded)
				}
				if i == 0 {
					says(i+1, x.Add(1))
				}
			})
		}
		m.Range(func(k, _ any) bool { says(0, k); x.Store(int64(len(k.(string)))); return k != "k" })
	},
	"it goes on": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		m.Store("a", 1)
		m.Store("b", 2)
		sched.Go(func() { m.Delete("b"); m.Store("b", 3) })
		sched.Go(func() {
			m.Range(func(_, v any) bool { says(1, v); x.Store(int64(v.(int))); return true })
		})
		m.Range(func(_, v any) bool { says(0, v); return v != 1 })
	},
	"cleared": func(says func(int, any)) {
		var m sched.Map
		m.Store("a", 1)
		sched.Go(func() { m.Clear(); m.Store("a", 2) })
		var x sched.Int64
		m.Range(func(_, v any) bool { says(0, v); x.Store(int64(v.(int))); return true })
	},
	"stored by either": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		a := sched.Go(func() { m.Store("k", 1) })
		b := sched.Go(func() { m.Store("ll", 1); m.Store("k", 1) })
		a.Join()
		b.Join()
		m.Range(func(k, _ any) bool { says(0, k); x.Store(int64(len(k.(string)))); return false })
	},
	"stored by either before": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		a := sched.Go(func() { m.Store("k", 1); m.Store("ll", 1) })
		b := sched.Go(func() { m.Store("k", 1) })
		a.Join()
		b.Join()
		m.Range(func(k, _ any) bool { says(0, k); x.Store(int64(len(k.(string)))); return false })
	},
	"cleared and stored again": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		sched.Go(func() { m.Store("a", 1); m.Clear(); m.Store("a", 2) })
		m.Range(func(_, v any) bool { says(0, v); x.Store(int64(v.(int))); return true })
	},
	"cleared, when either was stored": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		m.Store("a", 0)
		sched.Go(func() { m.Store("a", 1) })
		sched.Go(func() { m.Store("a", 2); m.Clear() })
		m.Range(func(_, v any) bool { says(0, v); x.Store(int64(v.(int))); return true })
	},
	"pointers": func(says func(int, any)) {
		var m sched.Map
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() { m.Store(&i, &i) })
		}
		m.Range(func(_, v any) bool { says(0, *v.(*int64)); x.Store(*v.(*int64)); return true })
	},
}

// TestKeysOfRange: a state knows in what order keys have come, and how far calls of Range are, and
// what was searched before that was learnt is searched once more.
func TestKeysOfRange(t *testing.T) {
	effort.Computes(t)
	for name, f := range ranges {
		var said [3]string
		program := func() {
			said = [3]string{}
			f(func(who int, what any) { said[who] += fmt.Sprint(what, " ") })
		}
		for _, model := range []sched.Model{0, sched.ModelRange} {
			c := exec.New(program, exec.Options{Model: model})
			outcomes := func(e trace.Engine) (map[string]bool, trace.Stats) {
				all := make(map[string]bool)
				stats, err := e.Explore(c, func(*trace.Execution) bool { all[fmt.Sprint(said)] = true; return true })
				if err != nil || !stats.Exhaustive {
					t.Errorf("%s, model %d, %s: %+v, %v", name, model, e.Name(), stats, err)
				}
				return all, stats
			}
			want, _ := outcomes(engine.DFS{})
			for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
				if got, err := oracle.EqualFutures(c, k, oracle.Limits{}); err != nil {
					t.Errorf("%s, model %d, %v: %+v, %v", name, model, k, got, err)
				}
				s := engine.Stateful{Keying: k}
				for _, e := range []trace.Engine{s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s}} {
					if got, stats := outcomes(e); !maps.Equal(got, want) || stats.States == 0 {
						t.Errorf("%s, model %d, %v, %s: %+v, %v and not %v", name, model, k, e.Name(), stats, got, want)
					}
				}
			}
			c.Shutdown()
		}
	}
}

// TestClearedPointersHaveNoKey: what a call of Range will find in a map that was cleared has no key
// unless it is plain data, and the program says so.
func TestClearedPointersHaveNoKey(t *testing.T) {
	c := exec.New(func() {
		var m sched.Map
		m.Store(1, new(int))
		m.Store(2, new(int))
		sched.Go(m.Clear)
		m.Range(func(_, _ any) bool { return true })
	}, exec.Options{})
	defer c.Shutdown()
	if _, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{}); !trace.IsUnkeyed(err) || errors.Is(err, oracle.ErrUnequal) {
		t.Error(err)
	}
}

// TestRangeAssumedOnce: a state in which a key was stored while a call of Range went on is not the
// one in which it was stored before, though nothing else is different: only at the end of that call
// something is taken for granted.
func TestRangeAssumedOnce(t *testing.T) {
	f := func() {
		var m sched.Map
		var mu sched.Mutex
		m.Store("a", 1)
		sched.Go(func() { m.Range(func(_, _ any) bool { mu.Lock(); mu.Unlock(); return true }) })
		mu.Lock()
		m.Store("b", 1)
		m.Delete("b")
		mu.Unlock()
	}
	for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
		c := exec.New(f, exec.Options{})
		stats, err := engine.Stateful{Keying: k}.Explore(c, func(*trace.Execution) bool { return true })
		a := c.Assumptions()
		late := slices.ContainsFunc(a, func(a exec.Assumption) bool { return a.Kind == sched.AssumeModel })
		if err != nil || stats.Matched == 0 || !late {
			t.Errorf("%v: %v is taken for granted; %+v, %v", k, a, stats, err)
		}
		c.Shutdown()
	}
}
