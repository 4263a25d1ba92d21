// Package closures explores closures for tests: all interleavings, one execution of each trace, or
// a single execution.
package closures

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Found is what there is to a program.
type Found struct {
	Traces   int
	Outcomes map[string]bool
	Failures map[trace.FailureKind]trace.Failure // one of each kind
	Failing  int                                 // traces that fail
}

// List returns the outcomes in order.
func (f *Found) List() string {
	return strings.Join(slices.Sorted(maps.Keys(f.Outcomes)), " | ")
}

// Program is a closure as the oracle (internal/test/oracle) is to see it: executions
// end in the state that they return, and in their failures.
type Program struct {
	*exec.Closure
	final func() string
	found *Found
}

type execution struct {
	trace.Run
	p *Program
}

// ProgramOf makes one of a function that returns a state, or of one that leaves it for
// final to tell.
func ProgramOf(f func() string, final func() string, o exec.Options) *Program {
	var out string
	if final == nil {
		final = func() string { return out }
	}
	return &Program{exec.New(func() { out = ""; out = f() }, o), final,
		&Found{Outcomes: map[string]bool{}, Failures: map[trace.FailureKind]trace.Failure{}}}
}

func (p *Program) Start() trace.Run { return execution{p.Closure.Start(), p} }

// AppendState implements [oracle.Stateful].
func (x execution) AppendState(b []byte) []byte {
	b = append(b, x.p.final()...)
	for _, f := range x.Run.Outcome() {
		x.p.found.Failures[f.Kind] = f
		if b = append(b, " !"+f.Kind.String()...); f.Kind == trace.FailPanic || f.Kind == trace.FailFatal {
			b = append(b, " "+f.Msg...)
		}
	}
	return b
}

// By returns what explore finds in the program. With exact set, every trace has to
// have as many interleavings as its partial order has linear extensions, and all have
// to end the same.
func (p *Program) By(explore func(trace.Program, oracle.Limits) (*oracle.Result, error), most int64, exact bool) (*Found, error) {
	defer p.Shutdown()
	all, err := explore(p, oracle.Limits{Executions: most})
	if err == nil && exact {
		err = all.Check()
	}
	for _, c := range all.Classes {
		p.found.Traces++
		p.found.Outcomes[c.State] = true
		if len(c.Failures) > 0 {
			p.found.Failing++
		}
	}
	return p.found, err
}

// MostExecutions is more than the executions of any program that has to be explored.
const MostExecutions = 1_000_000

// Exact explores every interleaving and checks the happens-before relation.
func Exact(t testing.TB, o exec.Options, f func() string) *Found {
	t.Helper()
	all, err := ProgramOf(f, nil, o).By(oracle.Enumerate, MostExecutions, true)
	if err != nil {
		t.Error(err)
	}
	return all
}

// Outcomes explores every trace, relying on the happens-before relation, and returns
// the results of f.
func Outcomes(t testing.TB, o exec.Options, f func() string) *Found {
	t.Helper()
	all, err := ProgramOf(f, nil, o).By(oracle.Traces, MostExecutions, false)
	if err != nil {
		t.Error(err)
	}
	return all
}

// Traces is outcomes of what returns nothing.
func Traces(t testing.TB, o exec.Options, f func()) *Found {
	t.Helper()
	return Outcomes(t, o, func() string { f(); return "" })
}

// Once runs one execution, the first one, to its end.
func Once(t testing.TB, o exec.Options, f func()) []trace.Failure {
	t.Helper()
	c := exec.New(f, o)
	defer c.Shutdown()
	run := c.Start()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	return append([]trace.Failure(nil), run.Outcome()...)
}

// Alone returns what f returns in an execution of one goroutine, or what it
// panics with.
func Alone(t testing.TB, f func() string) (result string) {
	t.Helper()
	for _, fail := range Once(t, exec.Options{}, func() { result = Caught(f) }) {
		t.Errorf("%v\n%s", fail, fail.Details())
	}
	return result
}

// Caught returns what f returns, or what it panics with.
func Caught(f func() string) (result string) {
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

// WantTraces checks that f has so many traces, none of which fails.
func WantTraces(t testing.TB, name string, want int, f func()) {
	t.Helper()
	if got := Traces(t, exec.Options{}, f); got.Traces != want || got.Failing > 0 {
		t.Errorf("%s: %d traces, %d of them failing, want %d", name, got.Traces, got.Failing, want)
	}
}

// Load is a plain read, as rewritten code has it.
func Load[T any](p *T) T {
	hook.ReadMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	return *p
}

// Store is a plain write, as rewritten code has it.
func Store[T any](p *T, v T) {
	hook.WriteMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	*p = v
}

// InTurns performs one execution, in which the goroutines that can move in turn, and returns
// what is wrong with it.
func InTurns(t testing.TB, f func(), o exec.Options) []trace.Failure {
	t.Helper()
	c := exec.New(f, o)
	defer c.Shutdown()
	r := c.Start()
	last := trace.ID(-1)
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		next := max(0, slices.IndexFunc(ops, func(op *trace.Op) bool { return op.G > last }))
		last = ops[next].G
		if _, err := r.Step(trace.Choice{G: last}); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Clone(r.Outcome())
}

// LastFirst runs an execution to its end, goroutine by goroutine, the last one first.
func LastFirst(t testing.TB, run trace.Run) {
	t.Helper()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[len(p)-1].G}); err != nil {
			t.Fatal(err)
		}
	}
}

// Walk runs n executions, always moving the last goroutine that is ready, and
// stops each after the given number of steps, if that is not negative.
func Walk(t testing.TB, c *exec.Closure, n, steps int) {
	t.Helper()
	for range n {
		run := c.Start()
		for k := 0; k != steps; k++ {
			p := run.Pending()
			if len(p) == 0 {
				break
			}
			if _, err := run.Step(trace.Choice{G: p[len(p)-1].G}); err != nil {
				t.Fatal(err)
			}
		}
		run.Close()
		run.Close()
	}
}

// Record returns a schedule of the program that takes every goroutine in turn.
func Record(b testing.TB, c *exec.Closure) trace.Schedule {
	run := c.Start()
	defer run.Close()
	var s trace.Schedule
	last := trace.ID(-1)
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		next := p[0].G
		for _, op := range p {
			if op.G > last {
				next = op.G
				break
			}
		}
		last = next
		s = append(s, trace.Choice{G: next})
		if _, err := run.Step(s[len(s)-1]); err != nil {
			b.Fatal(err)
		}
	}
	return s
}
