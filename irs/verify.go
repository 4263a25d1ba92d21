package irs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Options says how a program is verified. The zero value has the defaults.
type Options struct {
	// Sched says how the closure is run under control. With sched.RaceExplore, plain accesses
	// of shared variables are events, which can be ordered. Otherwise they are not events, and
	// an execution with a race of two of them fails. [Run] counts events by the same mode.
	Sched exec.Options
	// MaxExecutions ends the search after this many executions, 0 for no limit.
	MaxExecutions int64
	// Barrier makes events beyond the configuration wait for all of it, in place of the events
	// on which they were seen to depend. There are more constraints then, and they do not
	// depend on what comes later.
	Barrier bool
	// Candidates is the number of first executions of a closure that are tried. Each is
	// executed some times with all of its constraints, and prefixes of the fastest one are
	// verified. If an execution fails in the end, the others are verified as well, and the
	// result is the one with the fewest constraints. With 0 the first execution is the one that
	// the search finds first. [VerifyProgram] ignores Candidates.
	Candidates int
	// First is the schedule to begin with, if it is correct, or nil for any. It uses the
	// program's numbers of goroutines, so it is for [VerifyProgram].
	First trace.Schedule
	// Relaxed, if not nil, is called with every admissible prefix, each shorter than the one
	// before, by the goroutine that verifies. With Candidates the last one may be a prefix of
	// another execution, with fewer constraints.
	Relaxed func(*Prefix)
}

// Result is the result of a verification.
type Result struct {
	// Prefix is the shortest admissible prefix, or nil if no correct execution is known.
	Prefix *Prefix
	// First is the schedule of the execution of which all prefixes are prefixes.
	First trace.Schedule
	// Failure is an execution that fails, or nil if none was met. No shorter prefix is
	// admissible then.
	Failure *Failure
	// Tried is the number of executions up to the first correct one, itself included.
	Tried int64
	// Stats has the statistics of the search from there on.
	Stats trace.Stats
	// Assumptions has the assumptions of the prefix, such as that an uncontrolled goroutine
	// that was met does nothing that matters. See [sched.AssumptionKind].
	Assumptions []exec.Assumption
}

// Failure is an execution that fails.
type Failure struct {
	Schedule trace.Schedule
	What     []trace.Failure
}

func (f *Failure) String() string { return f.What[0].String() }

// ErrNoCorrectSchedule says that a program fails under every schedule.
var ErrNoCorrectSchedule = errors.New("irs: every schedule fails: there is no correct one to enforce")

// ErrNotFound says that the search ended before it found a correct execution.
var ErrNotFound = errors.New("irs: no correct execution was found before the search was ended")

// Verify looks for a correct execution of f and then explores, depth first and completely, what
// else may happen. When everything below a prefix of that execution was explored, and nothing
// failed, that prefix is admissible.
//
// Verify ends when the prefix is empty, since the whole program is safe. It ends when an
// execution fails, since no shorter prefix is safe. It also ends at a limit. The result then
// has the shortest prefix so far, and the error is nil.
//
// The error is [ErrNoCorrectSchedule] if every execution fails, [ErrNotFound] if no execution
// up to a limit was correct, and [ErrNotControlled] if f performs no controlled operation. It
// is another error if f is not deterministic. The result has no prefix then, but in the first
// two cases a failure.
//
// It takes as long as optimal DPOR for the verified part of the program, and memory for the
// events of the first execution and the constraints.
func Verify(ctx context.Context, f func(), o Options) (*Result, error) {
	c := exec.New(f, o.Sched)
	defer c.Shutdown()
	if o.Candidates > 0 {
		o.First = fastest(ctx, c, o, f)
	}
	r, err := verify(ctx, c, o, f)
	if err == nil && r.Failure != nil {
		r = fewest(ctx, c, o, f, r)
	}
	if err == nil {
		r.Assumptions = c.Assumptions()
	}
	return r, err
}

// VerifyProgram is [Verify] for any program. Its result serves [Filter]; only the prefix of a
// closure can be enforced.
func VerifyProgram(ctx context.Context, p trace.Program, o Options) (*Result, error) {
	return verify(ctx, p, o, nil)
}

func verify(ctx context.Context, p trace.Program, o Options, f func()) (*Result, error) {
	if o.Sched.Model != 0 {
		return nil, errors.New("irs: Sched.Model has to be zero: executions in parallel do what is usual, in as many events")
	}
	if o.Sched.Races == sched.RaceIgnore {
		return nil, errors.New("irs: with sched.RaceIgnore it is not known what accesses of variables do; use RaceExplore or RaceFail")
	}
	r := new(Result)
	first, err := findCorrect(ctx, p, o, r)
	if err != nil {
		return r, err
	}
	v := &verifier{ctx: ctx, program: p, f: f, o: o, result: r, lead: first, cut: -1, pairs: make(map[pair]bool), known: make([][]uint64, 1)}
	r.Stats, err = search.OptimalWithin(p, v.visit, v.begin)
	if err == nil {
		err = v.err
	}
	if err == nil && v.cut < 0 && ctx.Err() == nil {
		err = &trace.DivergenceError{Want: "the correct execution that was found", Got: "it is another one"}
	}
	if err != nil {
		return &Result{}, fmt.Errorf("irs: the program cannot be verified: %w", err)
	}
	return r, nil
}

// findCorrect returns the schedule of a correct execution.
func findCorrect(ctx context.Context, p trace.Program, o Options, r *Result) (first trace.Schedule, err error) {
	found := false
	stats, err := search.OptimalWithin(p, func(e *trace.Execution) bool {
		if e.Blocked {
			return ctx.Err() == nil
		}
		r.Tried++
		if fs := e.Run.Outcome(); len(fs) > 0 {
			if r.Failure == nil {
				r.Failure = failureOf(e, fs)
			}
			return ctx.Err() == nil && (o.MaxExecutions == 0 || r.Tried < o.MaxExecutions)
		}
		first, found = append(first, e.Schedule...), true
		return false
	}, func(t *search.Trail) func(*trace.Event) bool {
		t.Lead = o.First
		return func(*trace.Event) bool { return true }
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("irs: the program cannot be verified: %w", err)
	case found:
		return first, nil
	case stats.Exhaustive:
		return nil, ErrNoCorrectSchedule
	}
	return nil, ErrNotFound
}

func failureOf(e *trace.Execution, fs []trace.Failure) *Failure {
	return &Failure{append(trace.Schedule(nil), e.Schedule...), append([]trace.Failure(nil), fs...)}
}

// verifier maintains the admissible prefix while optimal DPOR explores the program.
//
// The first execution e_0 ... e_n-1 is a correct one. E_k, its first k events, is a
// configuration. When the search leaves frame k on the way back, it has explored every trace
// that begins with E_k. Nothing sleeps on the path of the first execution, and what sleeps
// below was explored below E_k, too. So only there can "everything below is safe" be said
// (Metzler et al. 2018, definition 2). The field cut is the least such k so far.
//
// Algorithm 1 of the paper (lines 5 and 6) would enforce only the order of events of E_k. That
// is unsound: an event f beyond E_k that depends on an e of E_k might come before e, and then
// the trace does not begin with E_k. (The authors mend it in STTT 2020, doi
// 10.1007/s10009-020-00575-y.) So f waits for e: pairs has all (e, f), f of E_k or beyond, that
// were seen in a race in any execution below E_k.
//
// This is enough. Assume that f comes next, that some events of E_k are missing, and that all
// earlier events have kept the constraints. Then the missing ones can be performed at once, and
// f after them. That is an execution below E_k, so it was explored. If f depends on a missing
// event, the latest such event is in a race with f there. If f depends on no missing event
// after them, it is the same operation before them (trace.LawHonesty), and depends on none
// there.
type verifier struct {
	ctx     context.Context
	program trace.Program
	f       func() // the closure that program runs, or nil
	o       Options
	result  *Result
	lead    trace.Schedule

	err    error         // why the search was ended, such as that the program is not deterministic
	events []Event       // the events of the first execution
	clocks [][]int32     // the vector clocks of the events
	cut    int           // E_cut is verified; -1 before the end of the first execution
	pairs  map[pair]bool // races with the first execution; true if seen below E_cut
	known  [][]uint64    // see Prefix
	kinds  uint64
}

// pair is a race of event e of the first execution with f, a later event.
type pair struct {
	e int32
	f EventID
}

// begin sets up the trail of the search, and returns the function to call with its events.
func (v *verifier) begin(t *search.Trail) func(*trace.Event) bool {
	t.Lead = v.lead
	t.Exhausted = v.exhausted
	return func(ev *trace.Event) bool {
		v.record(t, ev)
		return true
	}
}

// record notes the races of the latest event with events of the first execution that the
// present one begins with.
func (v *verifier) record(t *search.Trail, ev *trace.Event) {
	k := len(t.Events) - 1
	f := EventID{ev.G, t.HB.Seq(k) - 1}
	v.meet(f, ev.Kind)
	shared := int32(v.cut - 1)
	if v.cut < 0 {
		shared = math.MaxInt32
		v.events = append(v.events, Event{EventID: f, Kind: ev.Kind, alt: ev.Alt, obj: ev.Obj})
		v.clocks = append(v.clocks, append([]int32(nil), t.HB.Clock(k)...))
	}
	for _, e := range t.HB.Races(k) {
		if e < shared {
			if p := (pair{e, f}); !v.pairs[p] {
				v.pairs[p] = false
			}
		}
	}
}

// meet notes the kind of an operation at position f.
func (v *verifier) meet(f EventID, kind trace.Kind) {
	for int(f.G) >= len(v.known) {
		v.known = append(v.known, nil)
	}
	ks := &v.known[f.G]
	for int(f.N) >= len(*ks) {
		*ks = append(*ks, 0)
	}
	(*ks)[f.N] |= 1 << kind
	v.kinds |= 1 << kind
}

// visit handles an execution that has ended.
func (v *verifier) visit(e *trace.Execution) bool {
	e.Over = func() bool { return v.ctx.Err() != nil }
	if fs := e.Run.Outcome(); !e.Blocked && len(fs) > 0 {
		v.result.Failure = failureOf(e, fs)
		return false
	}
	if v.cut < 0 {
		v.cut = len(v.events)
		v.result.First = append(v.result.First, e.Schedule...)
		if v.err = v.controlled(); v.err != nil || !v.locate() {
			return false
		}
		v.publish(e.Stats.Executions)
	}
	if v.o.MaxExecutions > 0 && e.Stats.Executions >= v.o.MaxExecutions {
		return false
	}
	v.result.Stats.Executions = e.Stats.Executions
	return v.ctx.Err() == nil
}

// exhausted is called when frame k of the search is exhausted.
func (v *verifier) exhausted(k int) {
	if v.cut == k+1 {
		v.cut = k
		v.publish(v.result.Stats.Executions)
	}
}

// publish makes E_cut the admissible prefix.
func (v *verifier) publish(traces int64) {
	for p, below := range v.pairs {
		switch {
		case int(p.e) >= v.cut:
			delete(v.pairs, p)
		case !below:
			v.pairs[p] = true
		}
	}
	p := v.prefix()
	p.Traces = traces
	p.Goroutines = v.goroutines()
	p.plan.kids = kidsOf(p.Goroutines)
	v.result.Prefix = p
	if v.o.Relaxed != nil {
		v.o.Relaxed(p)
	}
}

// goroutines returns the paths of all goroutines that were met, or nil if the program is not a
// closure.
func (v *verifier) goroutines() (paths [][]int32) {
	if c, ok := v.program.(trace.Named); ok {
		for g := range v.known {
			paths = append(paths, c.Path(trace.ID(g)))
		}
	}
	return paths
}

// locate finds the positions in the source of the events of the first execution.
func (v *verifier) locate() bool {
	if v.f == nil {
		return true
	}
	events, err := locate(v.f, v.o.Sched, v.goroutines(), v.events)
	if err != nil {
		v.err = err
		return false
	}
	v.events = events
	return true
}
