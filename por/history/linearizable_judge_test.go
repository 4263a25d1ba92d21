package history

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// Random small clients of structures, some of them right: whether there is a history that is
// not linearizable, and an outcome that no execution with one call at a time has, is found
// out here without package porcupine, without a History and without reduction, and then held
// against what Linearizable and Refines say under every engine.

// act is a call of a structure: all have one operation that changes them, and one that looks.
type act struct {
	Change bool
	By     int // the client
}

func (a act) String() string {
	if a.Change {
		return fmt.Sprintf("change by %d", a.By)
	}
	return "look"
}

// shape is a kind of structure. The calls of a structure tell tick whenever they have
// performed an operation; loop is what they hand to sched.Loop, if they call that.
type shape struct {
	name string
	make func(clients int) func(a act, loop int, tick func()) int
	// step is the sequential specification: what a call returns in a state, and the next one.
	step func(state int, a act) (output, next int)
}

func counting(state int, a act) (int, int) {
	if a.Change {
		return state + 1, state + 1
	}
	return state, state
}

func register(state int, a act) (int, int) {
	if a.Change {
		return 0, a.By + 1
	}
	return state, state
}

func twice(state int, a act) (int, int) {
	if a.Change {
		return 0, state + 1
	}
	return 2 * state, state
}

var shapes = []shape{
	{"atomic counter", func(int) func(act, int, func()) int {
		n := new(sched.Int64)
		return func(a act, _ int, tick func()) int {
			defer tick()
			if a.Change {
				return int(n.Add(1))
			}
			return int(n.Load())
		}
	}, counting},
	{"hasty counter", func(int) func(act, int, func()) int {
		n := new(sched.Int64)
		return func(a act, _ int, tick func()) int {
			v := n.Load()
			tick()
			if a.Change {
				v++
				n.Store(v)
				tick()
			}
			return int(v)
		}
	}, counting},
	{"retrying counter", func(int) func(act, int, func()) int {
		n := new(sched.Int64)
		return func(a act, loop int, tick func()) int {
			for {
				sched.Loop(loop)
				v := n.Load()
				tick()
				if !a.Change {
					return int(v)
				}
				ok := n.CompareAndSwap(v, v+1)
				tick()
				if ok {
					return int(v) + 1
				}
			}
		}
	}, counting},
	// It looks twice before it acts.
	{"wary counter", func(int) func(act, int, func()) int {
		n := new(sched.Int64)
		return func(a act, loop int, tick func()) int {
			for {
				sched.Loop(loop)
				v := n.Load()
				tick()
				if !a.Change {
					return int(v)
				}
				again := n.Load()
				tick()
				if v == again {
					n.Store(v + 1)
					tick()
					return int(v) + 1
				}
			}
		}
	}, counting},
	{"locked counter", func(int) func(act, int, func()) int {
		var mu sched.Mutex
		n := new(sched.Int64)
		return func(a act, _ int, tick func()) int {
			mu.Lock()
			tick()
			v := n.Load()
			tick()
			if a.Change {
				v++
				n.Store(v)
				tick()
			}
			mu.Unlock()
			tick()
			return int(v)
		}
	}, counting},
	// What others have written is not seen: operations of different clients are independent.
	{"private register", func(clients int) func(act, int, func()) int {
		n := make([]sched.Int64, clients)
		return func(a act, _ int, tick func()) int {
			defer tick()
			if a.Change {
				n[a.By].Store(int64(a.By) + 1)
				return 0
			}
			return int(n[a.By].Load())
		}
	}, register},
	{"register", func(clients int) func(act, int, func()) int {
		n := new(sched.Int64)
		return func(a act, _ int, tick func()) int {
			defer tick()
			if a.Change {
				n.Store(int64(a.By) + 1)
				return 0
			}
			return int(n.Load())
		}
	}, register},
	// Two halves that are changed one after the other, and looked at in turn.
	{"halves", func(clients int) func(act, int, func()) int {
		n := make([]sched.Int64, 2)
		return func(a act, _ int, tick func()) int {
			sum := 0
			for i := range n {
				if a.Change {
					n[i].Add(1)
				} else {
					sum += int(n[i].Load())
				}
				tick()
			}
			return sum
		}
	}, twice},
}

// client is a program: what each goroutine calls.
type client struct {
	shape *shape
	acts  [][]act
}

func newClient(r *rand.Rand) client {
	c := client{shape: &shapes[r.IntN(len(shapes))]}
	left := 2 + r.IntN(2)
	for by := range 2 + r.IntN(2) {
		n := 1
		if left > 2 {
			n, left = 2, 0
		}
		var acts []act
		for range n {
			acts = append(acts, act{Change: r.IntN(2) == 0, By: by})
		}
		c.acts = append(c.acts, acts)
	}
	return c
}

func (c client) calls() (n int) {
	for _, acts := range c.acts {
		n += len(acts)
	}
	return n
}

// quietTB is a [muted.TB] that keeps its log to itself.
type quietTB struct{ muted.TB }

func (*quietTB) Log(...any)          {}
func (*quietTB) Logf(string, ...any) {}

func (c client) String() string { return fmt.Sprintf("%s %v", c.shape.name, c.acts) }

// run runs the client; do makes a call.
func (c client) run(do func(by int, a act, call func(tick func()) int)) (wait func()) {
	structure := c.shape.make(len(c.acts))
	var all []sched.Handle
	for by, acts := range c.acts {
		all = append(all, sched.Go(func() {
			for i, a := range acts {
				do(by, a, func(tick func()) int { return structure(a, i, tick) })
			}
		}))
	}
	return func() {
		for _, h := range all {
			h.Join()
		}
	}
}

// span is a call as the test has seen it: the first and the last of its operations.
type span struct {
	act
	out         int
	first, last int
}

// truth runs all interleavings, and returns whether all have histories that are
// linearizable, and outcomes that calls one at a time have.
func (c client) truth(t *testing.T) (linearizable, refines bool) {
	linearizable, refines = true, true
	sequential := make(map[string]bool)
	c.merges(make([]int, len(c.acts)), 0, make([][]int, len(c.acts)), sequential)
	var calls [][]*span
	p := exec.New(func() {
		calls = make([][]*span, len(c.acts))
		now := 0
		c.run(func(by int, a act, call func(func()) int) {
			s := &span{act: a, first: -1}
			calls[by] = append(calls[by], s)
			s.out = call(func() {
				if s.first < 0 {
					s.first = now
				}
				s.last = now
				now++
			})
		})
	}, exec.Options{})
	defer p.Shutdown()
	_, err := engine.DFS{}.Explore(p, func(x *trace.Execution) bool {
		if f := x.Run.Outcome(); len(f) > 0 {
			t.Errorf("%v: %v", c, f)
			return false
		}
		var all []*span
		outs := make([][]int, len(calls))
		for by := range calls {
			all = append(all, calls[by]...)
			for _, s := range calls[by] {
				outs[by] = append(outs[by], s.out)
			}
		}
		linearizable = linearizable && c.linear(all, 0, 0)
		refines = refines && sequential[fmt.Sprint(outs)]
		return linearizable || refines
	})
	if err != nil {
		t.Fatal(err)
	}
	return linearizable, refines
}

// merges adds the outcomes of what is left of the calls, one at a time.
func (c client) merges(at []int, state int, outs [][]int, all map[string]bool) {
	over := true
	for by, acts := range c.acts {
		if at[by] == len(acts) {
			continue
		}
		over = false
		out, next := c.shape.step(state, acts[at[by]])
		at[by]++
		outs[by] = append(outs[by], out)
		c.merges(at, next, outs, all)
		outs[by] = outs[by][:len(outs[by])-1]
		at[by]--
	}
	if over {
		all[fmt.Sprint(outs)] = true
	}
}

// linear reports whether the calls that are not in done can follow, from that state.
func (c client) linear(calls []*span, done uint, state int) bool {
	if done == 1<<len(calls)-1 {
		return true
	}
	for i, s := range calls {
		if done>>i&1 == 1 {
			continue
		}
		first := true
		for k, u := range calls {
			first = first && (done>>k&1 == 1 || k == i || u.last >= s.first)
		}
		out, next := c.shape.step(state, s.act)
		if first && out == s.out && c.linear(calls, done|1<<i, next) {
			return true
		}
	}
	return false
}

// model is the specification as package porcupine has it.
func (c client) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			out, next := c.shape.step(state.(int), input.(act))
			return out == output, next
		},
	}
}

// judges are the engines that are held against the truth, of which those that recognise
// states do so in all ways.
func judges() (all []trace.Engine) {
	all = []trace.Engine{engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.DFS{}, engine.Eager{}, engine.EagerAdaptive{},
		unfold.QPOR{K: 2}, unfold.Optimal{}, bpor.Iterative{UpTo: bpor.Preemptions(100)}}
	for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
		s := engine.Stateful{Keying: k}
		all = append(all, s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s})
	}
	return all
}

func TestLinearizableIsRight(t *testing.T) {
	effort.Computes(t)
	n, source := toytest.Seeds(t, int64(effort.Of(100, 25)))
	found := make(map[string]int)
	for i := range n {
		c := newClient(source(i))
		linearizable, refines := c.truth(t)
		found[fmt.Sprintf("%s: linearizable %v, refines %v", c.shape.name, linearizable, refines)]++
		for _, e := range judges() {
			switch e.(type) {
			case engine.DFS, engine.Stateful, engine.SPOR:
				if c.calls() > 2 {
					continue // calls and returns are many
				}
			}
			o := &quietTB{muted.TB{TB: t}}
			Linearizable(o, c.model(), func(h *History) {
				c.run(func(_ int, a act, call func(func()) int) {
					Call(h, a, func() int { return call(func() {}) })
				})()
			}, por.Direct(), por.NoSave(), por.Engine(e), por.MaxTime(0))
			if bad := strings.Contains(o.Report, notLinearizable); bad == linearizable || !bad && o.Report != "" {
				t.Fatalf("program %d, %v, %s, %+v: linearizable %v, but\n%s", i, c, e.Name(), e, linearizable, o.Report)
			}
			o = &quietTB{muted.TB{TB: t}}
			Refines(o, func(h *History) {
				c.run(func(_ int, a act, call func(func()) int) {
					Call(h, a, func() int { return call(func() {}) })
				})()
			}, por.Direct(), por.NoSave(), por.Engine(e), por.MaxTime(0))
			if bad := strings.Contains(o.Report, notAtomic); bad == refines || !bad && o.Report != "" {
				t.Fatalf("program %d, %v, %s, %+v: refines %v, but\n%s", i, c, e.Name(), e, refines, o.Report)
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%4d  %s", found[line], line)
	}
}
