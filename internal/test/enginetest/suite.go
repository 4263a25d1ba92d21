// Package enginetest is the conformance suite of the engines: it compares what
// an engine visits with what brute force (internal/test/oracle) finds. Every engine
// is held to what it promises, on toy programs: a corpus, the papers' programs
// at small sizes, and random ones.
package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// Promise is what an engine promises of its executions. Whatever it promises,
// each execution must be one of the program.
type Promise struct {
	// Covers tells the trace classes that must be visited; nil means none.
	Covers func(*oracle.Class) bool
	// Once: no class is visited twice.
	Once bool
	// Unblocked: no execution is given up as redundant.
	Unblocked bool
	// Interleavings: every interleaving is visited, and exactly once.
	Interleavings bool
	// States: final states and failures are covered, rather than classes. The engine may find
	// late that states have no names, and begin once more with another engine.
	States bool
	// Samples is the number of executions after which the suite stops an engine
	// that goes on for ever; 0 means none.
	Samples int
}

// Every class has to be covered.
func Every(*oracle.Class) bool { return true }

// The promises of the usual classes of engines.
var (
	Exhaustive = Promise{Covers: Every, Interleavings: true, Unblocked: true}
	Complete   = Promise{Covers: Every}                              // each class at least once
	SleepSets  = Promise{Covers: Every, Once: true}                  // once, and blocked executions
	Optimal    = Promise{Covers: Every, Once: true, Unblocked: true} // once, and nothing else
	Sampling   = Promise{Samples: 20, Unblocked: true}
	Stateful   = Promise{Covers: Every, States: true}
)

// WithinPreemptions is what an engine with a bound on preemptions covers.
func WithinPreemptions(bound int) func(*oracle.Class) bool {
	return func(c *oracle.Class) bool { return c.Preemptions <= bound }
}

// WithinDelays is what an engine with a bound on delays covers.
func WithinDelays(bound int) func(*oracle.Class) bool {
	return func(c *oracle.Class) bool { return c.Delays <= bound }
}

// Verify runs engine e on program p, of which the oracle knows want, and reports the
// first promise that it breaks. What the engine shows is performed on second, another
// instance of the program.
func Verify(e trace.Engine, promise Promise, p, second trace.Program, want *oracle.Result) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	v := verifier{promise: promise, want: want, second: second, hb: trace.NewTracker(trace.Dependence), visits: make(map[uint64]int64)}
	stats, err := e.Explore(p, v.visit)
	if v.err != nil {
		return v.err
	}
	if err != nil {
		return fmt.Errorf("Explore: %w", err)
	}
	if stats.Executions != v.executions || stats.Blocked != v.blocked || stats.Pruned != v.pruned {
		return fmt.Errorf("the engine counts %d executions, %d blocked and %d pruned, but has visited %d, %d and %d",
			stats.Executions, stats.Blocked, stats.Pruned, v.executions, v.blocked, v.pruned)
	}
	if promise.Samples == 0 && !stats.Exhaustive {
		return fmt.Errorf("the engine says that it was not exhaustive")
	}
	return v.covered()
}

type verifier struct {
	promise    Promise
	want       *oracle.Result
	second     trace.Program
	hb         *trace.Tracker
	visits     map[uint64]int64 // by class
	executions int64
	blocked    int64
	pruned     int64
	state      []byte // scratch
	err        error
}

// visit judges one execution.
func (v *verifier) visit(x *trace.Execution) bool {
	if x.Pruned {
		v.pruned++
		return true
	}
	if x.Blocked {
		if v.blocked++; v.promise.Unblocked {
			v.err = fmt.Errorf("a blocked execution: %v", x.Schedule)
		}
		// An engine in an endless loop has to be stopped.
		if v.blocked > 1000+100*v.want.Executions {
			v.err = fmt.Errorf("%d blocked executions, where there are %d interleavings", v.blocked, v.want.Executions)
		}
		return v.err == nil
	}
	v.executions++
	if v.err = v.execution(x); v.err == nil && x.Only != nil && x.Only() && len(v.want.Classes) > 1 {
		v.err = fmt.Errorf("the engine says that %v is the only execution, where there are %d traces", x.Schedule, len(v.want.Classes))
	}
	return v.err == nil && (v.promise.Samples == 0 || v.executions < int64(v.promise.Samples))
}

func (v *verifier) execution(x *trace.Execution) error {
	fp, err := v.class(x.Schedule)
	if err != nil {
		return err
	}
	c := v.want.Classes[fp]
	switch {
	case c == nil:
		return fmt.Errorf("an execution of no known trace: %v", x.Schedule)
	case len(x.Run.Pending()) > 0:
		return fmt.Errorf("an execution that is not at its end: %v", x.Schedule)
	}
	if failures := oracle.FailureTexts(x.Run.Outcome()); !slices.Equal(failures, c.Failures) {
		return fmt.Errorf("%v ends in failures %q, the oracle says %q", x.Schedule, failures, c.Failures)
	}
	if s, ok := x.Run.(oracle.Stateful); ok {
		if v.state = s.AppendState(v.state[:0]); string(v.state) != c.State {
			return fmt.Errorf("%v ends in\n%s\nthe oracle says\n%s", x.Schedule, v.state, c.State)
		}
	}
	v.visits[fp]++
	switch n := v.visits[fp]; {
	case v.promise.Once && n > 1:
		return fmt.Errorf("a trace is visited twice, the second time by %v", x.Schedule)
	case v.promise.States && n <= 2*c.Executions:
	case v.promise.Samples == 0 && n > c.Executions:
		return fmt.Errorf("a trace with %d interleavings is visited %d times, at last by %v", c.Executions, n, x.Schedule)
	}
	return nil
}

// class performs a schedule on the second instance of the program and returns
// its trace class.
func (v *verifier) class(s trace.Schedule) (uint64, error) {
	run := v.second.Start()
	defer run.Close()
	v.hb.Pop(0)
	for _, c := range s {
		ev, err := run.Step(c)
		if err != nil {
			return 0, fmt.Errorf("schedule %v does not fit: %w", s, err)
		}
		v.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
	}
	return v.hb.Fingerprint(func(i int) int32 { return s[i].Alt }), nil
}

// covered reports what should have been visited and was not.
func (v *verifier) covered() error {
	if v.promise.Covers == nil {
		return nil
	}
	states := make(map[string]bool)
	for fp := range v.visits {
		states[v.want.Classes[fp].State] = true
	}
	missing, first := 0, (*oracle.Class)(nil)
	for fp, c := range v.want.Classes {
		if !v.promise.Covers(c) || v.visits[fp] > 0 || v.promise.States && states[c.State] {
			continue
		}
		if missing++; first == nil || oracle.Less(c.Schedule, first.Schedule) {
			first = c
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d traces are missed, one of them %v, which ends in\n%s", missing, len(v.want.Classes), first.Schedule, first.State)
	}
	if v.promise.Interleavings && v.executions != v.want.Executions {
		return fmt.Errorf("%d executions, where there are %d interleavings", v.executions, v.want.Executions)
	}
	return nil
}

// Subject is an engine and what it promises.
type Subject struct {
	Name    string // defaults to the engine's
	Engine  trace.Engine
	Promise Promise
}

func (s Subject) name() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Engine.Name()
}

// VerifyAll runs all subjects on p and reports every broken promise. A program
// that exceeds the limits is oracle.ErrTooBig.
func VerifyAll(subjects []Subject, p *toy.Program, limits oracle.Limits) error {
	want, err := oracle.Enumerate(toy.New(p), limits)
	if err != nil {
		return err
	}
	var errs []string
	for _, s := range subjects {
		if err := Verify(s.Engine, s.Promise, toy.New(p), toy.New(p), want); err != nil {
			errs = append(errs, s.name()+": "+err.Error())
		}
	}
	if errs == nil {
		return nil
	}
	sort.Strings(errs)
	return fmt.Errorf("%s", strings.Join(errs, "\n"))
}

// Small is what a program may have for all of its interleavings to be performed in a
// moment.
var Small = oracle.Limits{Executions: 1000, Depth: 14}

// Random holds subjects to their promises on n random programs, or as many as the
// environment wants, as far as they are small. It ends with the first that fails, or
// with as many as the environment wants to see.
func Random(t *testing.T, subjects []Subject, n int64) {
	t.Helper()
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	var all, big, failed int64
	for i, p := range toytest.Programs(t, n) {
		all++
		err := VerifyAll(subjects, p, Small)
		if errors.Is(err, oracle.ErrTooBig) {
			big++
			continue
		}
		if err != nil {
			t.Logf("program %d:", i)
			complain(t, subjects, p)
			if failed++; failed >= most {
				break
			}
		}
	}
	t.Logf("%d programs, %d of them too big", all, big)
}

// complain reports that p fails, after shrinking it.
func complain(t testing.TB, subjects []Subject, p *toy.Program) {
	t.Helper()
	fails := func(q *toy.Program) bool {
		err := VerifyAll(subjects, q, Small)
		return err != nil && !errors.Is(err, oracle.ErrTooBig)
	}
	q := toy.Shrink(p, fails)
	t.Errorf("%v\nthe program, for testdata/corpus:\n%v", VerifyAll(subjects, q, Small), q)
}
