package bpor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// checked is an eager search that compares what it finds in the way of conflicts with what a look at all
// events finds.
type checked struct {
	*eager
	t     *testing.T
	found int
}

func (c *checked) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	c.recent.cut(k)
	c.compare(ops...)
	return c.eager.Enter(k, ops)
}

func (c *checked) compare(ops ...*trace.Op) {
	for _, op := range ops {
		n, uses := c.pend(op)
		got := slices.Clone(c.latest(nil, n, func() { c.dependent(n, uses) }))
		got = append(got, c.latest(nil, n, func() { c.meets(n, uses) })...)
		want := c.byAll(n, func(e *search.Performed) bool { return trace.Dependence.Dependent(e.Uses.List(), uses.List()) })
		want = append(want, c.byAll(n, func(e *search.Performed) bool {
			return c.bound.kind == delays || c.loose || slices.ContainsFunc(e.Uses.List(), func(a trace.Access) bool {
				return slices.ContainsFunc(uses.List(), func(b trace.Access) bool { return a.Obj == b.Obj })
			})
		})...)
		if !slices.Equal(got, want) {
			c.t.Errorf("before event %d: %v, and not %v", n, got, want)
		}
		c.found += len(want)
		c.HB.Pop(n)
		c.Events = c.Events[:n]
	}
}

// byAll returns the latest event of every goroutine but that of the pending operation n that counts.
func (c *checked) byAll(n int, counts func(*search.Performed) bool) (races []int32) {
	var seen search.IDSet
	seen.Add(c.Events[n].G)
	for i := n - 1; i >= 0; i-- {
		e := &c.Events[i]
		if seen.Has(e.G) || !counts(e) {
			continue
		}
		seen.Add(e.G)
		causes := append([]int32{}, c.Spawned(c.Events[n].G)...)
		if prev := c.HB.Prev(n); prev >= 0 {
			causes = []int32{int32(prev)}
		}
		if !slices.Contains(c.HB.Causes(nil, i-1, causes...), int32(i)) {
			races = append(races, int32(i))
		}
	}
	return races
}

// TestRecent: the latest events that are kept by object are those that a look at all events finds.
func TestRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	found := 0
	for i := range 300 {
		for _, bound := range []Bound{Preemptions(1), Delays(1)} {
			b, err := newBounded(toy.New(toy.Generate(r.IntN)), func(*trace.Execution) bool { return true }, bound)
			if err != nil {
				t.Fatal(err)
			}
			c := &checked{eager: &eager{bounded: b, candidates: (*bounded).second, conservative: (*bounded).second}, t: t}
			if _, err := c.Finish(c.Trail.Explore(c)); err != nil {
				t.Fatal(i, err)
			}
			found += c.found
		}
	}
	if found == 0 {
		t.Error("nothing to compare")
	}
}

// TestRecentByHand is TestRecent for executions that no program has, in which accesses are of all modes.
func TestRecentByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	modes := []trace.Mode{trace.ModeRead, trace.ModeWrite, trace.ModeReadBytes, trace.ModeWriteBytes, trace.ModeRecv,
		trace.ModeClose, trace.ModeSend, trace.ModeAcquire, trace.ModeShare, trace.ModeTry, trace.ModeAll}
	operation := func(few []trace.Mode) *trace.Op {
		op := &trace.Op{G: trace.ID(r.IntN(5)), WaitsOnUses: true}
		as := make([]trace.Access, 1+r.IntN(2))
		for i := range as {
			as[i] = trace.Access{Obj: int32(2*i + r.IntN(2)), Mode: few[r.IntN(len(few))], Idx: 1 + r.Int32N(3)}
		}
		if r.IntN(30) == 0 {
			as = []trace.Access{{Obj: trace.Everything}}
		}
		op.SetAccesses(as...)
		return op
	}
	for range 200 {
		b := bounded{Trail: search.Trail{HB: trace.NewTracker(trace.Dependence)}, bound: Preemptions(1)}
		c := &checked{eager: &eager{bounded: b}, t: t}
		few := make([]trace.Mode, 4)
		for i := range few {
			few[i] = modes[r.IntN(len(modes))]
		}
		for range 150 {
			if n := len(c.Events); n > 0 && r.IntN(25) == 0 {
				n = r.IntN(n)
				c.recent.cut(n)
				c.Cut(n)
			}
			e := c.Track(&trace.Event{Op: *operation(few)})
			c.recent.push(len(c.Events)-1, e)
			c.compare(operation(few), operation(few))
		}
		if c.found == 0 {
			t.Error("nothing to compare")
		}
	}
}

// TestLongEvents: what is compared for an operation does not grow with the length of an execution.
func TestLongEvents(t *testing.T) {
	for name, f := range map[string]func(n int) func(){
		"one goroutine": func(n int) func() {
			return func() {
				var mu [3]sched.Mutex
				for i := range n {
					mu[i%3].Lock()
					mu[i%3].Unlock()
				}
			}
		},
		"each by itself": func(n int) func() {
			return func() {
				for range 2 {
					sched.Go(func() {
						var x sched.Int64
						for range n {
							x.Add(1)
						}
					})
				}
			}
		},
		"who reads what others read": func(n int) func() {
			return func() {
				var x sched.Int64
				for range 2 {
					sched.Go(func() {
						for range n {
							x.Load()
						}
					})
				}
			}
		},
	} {
		per := func(n int) int64 {
			c := exec.New(f(n), exec.Options{})
			defer c.Shutdown()
			stats, err := Classic{Bound: Preemptions(0)}.Explore(c, func(*trace.Execution) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			return stats.Checks / stats.Steps
		}
		if few, many := per(1000), per(10_000); many > few+1 {
			t.Errorf("%s: %d comparisons a step, and %d in an execution ten times as long", name, few, many)
		}
	}
}
