package sched_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file is the dumb explorer that the tests of this package judge by.

// found is what there is to a program.
type found struct {
	Traces   int
	Runs     int // executions, or with dedup those that were run to their end
	Outcomes map[string]int
	Failures map[trace.FailureKind]trace.Failure // one of each kind
	failing  int                                 // traces that fail
}

func (f *found) list() string {
	var s []string
	for o := range f.Outcomes {
		s = append(s, o)
	}
	sort.Strings(s)
	return strings.Join(s, " | ")
}

// class is a trace, as met.
type class struct {
	outcome string
	runs    int
	want    int // linear extensions
}

// explorer runs all interleavings of a program. With exact set it checks that
// every trace has as many interleavings as its partial order has linear
// extensions, and that they all end the same. With dedup set it cuts executions
// whose prefix is equivalent to an earlier one.
type explorer struct {
	t     testing.TB
	c     *sched.Closure
	out   *string
	exact bool
	dedup bool
	limit int
	final func() string   // the outcome, if it is not what the closure returns
	rel   *trace.Relation // dependence, if it is not that of this package

	seen    map[uint64]bool
	classes map[uint64]*class
	found   *found
	tracker *trace.Tracker
	alts    []int32
	sched   trace.Schedule
	todo    [][]trace.Choice
}

func (e *explorer) fingerprint() uint64 {
	return e.tracker.Fingerprint(func(i int) int32 { return e.alts[i] })
}

func (e *explorer) step(run trace.Run, ch trace.Choice) {
	ev, err := run.Step(ch)
	if err != nil {
		e.t.Fatalf("step %v after %v: %v", ch, e.sched, err)
	}
	e.tracker.Push(int32(ev.G), ev.Accesses(), ev.Order)
	e.alts = append(e.alts, ev.Alt)
}

func (e *explorer) run() {
	if !e.try() {
		e.t.Fatalf("more than %d executions", e.limit)
	}
}

// try reports whether the program could be explored within the limit.
func (e *explorer) try() bool {
	defer e.c.Shutdown()
	for {
		e.execute()
		for len(e.todo) > 0 && len(e.todo[len(e.todo)-1]) == 0 {
			e.todo = e.todo[:len(e.todo)-1]
			e.sched = e.sched[:len(e.sched)-1]
		}
		if len(e.todo) == 0 {
			return true
		}
		if e.found.Runs >= e.limit {
			return false
		}
		last := len(e.todo) - 1
		e.sched[last] = e.todo[last][0]
		e.todo[last] = e.todo[last][1:]
	}
}

// execute performs e.sched and goes on from there to the end.
func (e *explorer) execute() {
	run := e.c.Start()
	defer run.Close()
	e.tracker = trace.NewTracker(trace.Dependence)
	if e.rel != nil {
		e.tracker = trace.NewTracker(e.rel)
	}
	e.alts = e.alts[:0]
	for i, ch := range e.sched {
		e.step(run, ch)
		if e.dedup && i == len(e.sched)-1 && e.cut() {
			return
		}
	}
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		var cs []trace.Choice
		for _, op := range p {
			for a := range op.Alts {
				cs = append(cs, trace.Choice{G: op.G, Alt: a})
			}
		}
		e.todo = append(e.todo, cs[1:])
		e.sched = append(e.sched, cs[0])
		e.step(run, cs[0])
		if e.dedup && e.cut() {
			return
		}
	}
	e.finish(run)
}

func (e *explorer) cut() bool {
	fp := e.fingerprint()
	if e.seen[fp] {
		return true
	}
	e.seen[fp] = true
	return false
}

func (e *explorer) finish(run trace.Run) {
	e.found.Runs++
	outcome := *e.out
	if e.final != nil {
		outcome = e.final()
	}
	fails := run.Outcome()
	for _, f := range fails {
		e.found.Failures[f.Kind] = f
		outcome += " !" + f.Kind.String()
		if f.Kind == trace.FailPanic || f.Kind == trace.FailFatal {
			outcome += " " + f.Msg
		}
	}
	fp := e.fingerprint()
	cl := e.classes[fp]
	if cl == nil {
		cl = &class{outcome: outcome}
		if e.exact {
			cl.want = extensions(e.tracker)
		}
		e.classes[fp] = cl
		e.found.Traces++
		if len(fails) > 0 {
			e.found.failing++
		}
	}
	cl.runs++
	if cl.outcome != outcome {
		e.t.Fatalf("two interleavings of one trace differ: %q and %q, %v", cl.outcome, outcome, e.sched)
	}
	e.found.Outcomes[outcome]++
}

// extensions counts the linear extensions of the order that t holds.
func extensions(t *trace.Tracker) int {
	n := t.Len()
	byG := map[int32][]int{}
	var gs []int32
	for i := range n {
		g := t.G(i)
		if byG[g] == nil {
			gs = append(gs, g)
		}
		byG[g] = append(byG[g], i)
	}
	memo := map[string]int{}
	done := make([]byte, len(gs))
	var count func(left int) int
	count = func(left int) int {
		if left == 0 {
			return 1
		}
		if v, ok := memo[string(done)]; ok {
			return v
		}
		sum := 0
		for k, g := range gs {
			if int(done[k]) == len(byG[g]) {
				continue
			}
			clock := t.Clock(byG[g][done[k]])
			ready := true
			for j, h := range gs {
				if h != g && int(h) < len(clock) && clock[h] > int32(done[j]) {
					ready = false
				}
			}
			if ready {
				done[k]++
				sum += count(left - 1)
				done[k]--
			}
		}
		memo[string(done)] = sum
		return sum
	}
	return count(n)
}

func newExplorer(t testing.TB, f func() string, o sched.Options) *explorer {
	out := new(string)
	body := func() { *out = ""; *out = f() }
	return &explorer{t: t, c: sched.New(body, o), out: out, limit: 1_000_000,
		seen: map[uint64]bool{}, classes: map[uint64]*class{},
		found: newFound()}
}

func newFound() *found {
	return &found{Outcomes: map[string]int{}, Failures: map[trace.FailureKind]trace.Failure{}}
}

// exact explores every interleaving and checks the happens-before relation.
func exact(t testing.TB, o sched.Options, f func() string) *found {
	t.Helper()
	e := newExplorer(t, f, o)
	e.exact = true
	e.run()
	for _, cl := range e.classes {
		if cl.runs != cl.want {
			t.Errorf("a trace (outcome %q) has %d interleavings and %d linear extensions", cl.outcome, cl.runs, cl.want)
		}
	}
	return e.found
}

// traces explores every trace, relying on the happens-before relation.
func traces(t testing.TB, o sched.Options, f func()) *found {
	t.Helper()
	e := newExplorer(t, func() string { f(); return "" }, o)
	e.dedup = true
	e.run()
	return e.found
}

// outcomes explores every trace and returns the results of f.
func outcomes(t testing.TB, o sched.Options, f func() string) *found {
	t.Helper()
	e := newExplorer(t, f, o)
	e.dedup = true
	e.run()
	return e.found
}

// once runs one execution, the first one, to its end.
func once(t testing.TB, o sched.Options, f func()) []trace.Failure {
	t.Helper()
	c := sched.New(f, o)
	defer c.Shutdown()
	run := c.Start()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	return append([]trace.Failure(nil), run.Outcome()...)
}

// alone returns what f returns in an execution of one goroutine, or what it
// panics with.
func alone(t testing.TB, f func() string) (result string) {
	t.Helper()
	for _, fail := range once(t, sched.Options{}, func() { result = caught(f) }) {
		t.Errorf("%v\n%s", fail, fail.Stack)
	}
	return result
}

// caught returns what f returns, or what it panics with.
func caught(f func() string) (result string) {
	defer func() {
		if r := recover(); r != nil {
			kind := "panic"
			if _, ok := r.(error); ok {
				kind = "runtime panic"
			}
			result = fmt.Sprintf("%s: %v", kind, r)
		}
	}()
	return f()
}

func wantTraces(t *testing.T, name string, want int, f func()) {
	t.Helper()
	if got := traces(t, sched.Options{}, f); got.Traces != want || got.failing > 0 {
		t.Errorf("%s: %d traces, %d of them failing, want %d", name, got.Traces, got.failing, want)
	}
}
