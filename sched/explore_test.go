package sched_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// found is what there is to a program.
type found struct {
	Traces   int
	Outcomes map[string]bool
	Failures map[trace.FailureKind]trace.Failure // one of each kind
	failing  int                                 // traces that fail
}

func (f *found) list() string {
	return strings.Join(slices.Sorted(maps.Keys(f.Outcomes)), " | ")
}

// program is a closure as the oracle (internal/test/oracle) is to see it: executions
// end in the state that they return, and in their failures.
type program struct {
	*sched.Closure
	final func() string
	found *found
}

type execution struct {
	trace.Run
	p *program
}

// programOf makes one of a function that returns a state, or of one that leaves it for
// final to tell.
func programOf(f func() string, final func() string, o sched.Options) *program {
	var out string
	if final == nil {
		final = func() string { return out }
	}
	return &program{sched.New(func() { out = ""; out = f() }, o), final,
		&found{Outcomes: map[string]bool{}, Failures: map[trace.FailureKind]trace.Failure{}}}
}

func (p *program) Start() trace.Run { return execution{p.Closure.Start(), p} }

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

// by returns what explore finds in the program. With exact set, every trace has to
// have as many interleavings as its partial order has linear extensions, and all have
// to end the same.
func (p *program) by(explore func(trace.Program, oracle.Limits) (*oracle.Result, error), most int64, exact bool) (*found, error) {
	defer p.Shutdown()
	all, err := explore(p, oracle.Limits{Executions: most})
	if err == nil && exact {
		err = all.Check()
	}
	for _, c := range all.Classes {
		p.found.Traces++
		p.found.Outcomes[c.State] = true
		if len(c.Failures) > 0 {
			p.found.failing++
		}
	}
	return p.found, err
}

// mostExecutions is more than the executions of any program that has to be explored.
const mostExecutions = 1_000_000

// exact explores every interleaving and checks the happens-before relation.
func exact(t testing.TB, o sched.Options, f func() string) *found {
	t.Helper()
	all, err := programOf(f, nil, o).by(oracle.Enumerate, mostExecutions, true)
	if err != nil {
		t.Error(err)
	}
	return all
}

// outcomes explores every trace, relying on the happens-before relation, and returns
// the results of f.
func outcomes(t testing.TB, o sched.Options, f func() string) *found {
	t.Helper()
	all, err := programOf(f, nil, o).by(oracle.Traces, mostExecutions, false)
	if err != nil {
		t.Error(err)
	}
	return all
}

// traces is outcomes of what returns nothing.
func traces(t testing.TB, o sched.Options, f func()) *found {
	t.Helper()
	return outcomes(t, o, func() string { f(); return "" })
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
		t.Errorf("%v\n%s", fail, fail.Details())
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
