package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Refines is [por.Check] for the calls of a data structure: it fails the test, too, at the first
// execution in which calls return what they never return when they are made one at a time. The
// closure makes its calls by [Call], as for [Linearizable]. There is no model: what is right is
// what the same closure does in executions in which a call begins only when no other is under way.
// These are searched first, all of them, by [engine.Optimal], and what the calls of every goroutine
// return in them, in its own order, is an outcome; every outcome of an execution in which calls
// overlap has to be one of these. A call that waits for another one is waited for in vain when it
// comes first; such an order of calls gives no outcome.
//
//	history.Refines(t, func(h *history.History) {
//		s := new(Stack)
//		var wg sync.WaitGroup
//		wg.Go(func() { h.Do("push 1", func() { s.Push(1) }) })
//		wg.Go(func() { history.Call(h, "pop", s.Pop) })
//		wg.Wait()
//	})
//
// That is observational refinement, as by clients that know of each other through the data
// structure only: it does not look at which call had returned before another one began, so a
// structure that is late, such as a queue that shows an element some time after it was put
// in, passes here and fails under [Linearizable]. What is wrong with calls one at a time is
// not noticed. It costs no operations, so that there are as many traces as without.
//
// Outputs are compared by [reflect.DeepEqual]. The report of a violation
// shows the outcome, and how it differs from the nearest one that is right. If the
// executions with one call at a time cannot all be run within the limits, that is an error.
func Refines(t testing.TB, f func(*History), opts ...por.Option) {
	if !check.IsNil(t) {
		t.Helper()
	}
	j := &refinement{recorded: newRecorded("Refines", f)}
	check.Check(t, "Refines", j.Run, j, opts)
}

// refinement judges by what calls return that are made one at a time.
type refinement struct {
	recorded
	oneByOne bool // the executions at present are such
	expected outcomes
	ready    bool
	time     sched.TimeMode // in which that was found out
	lag      time.Duration
}

// result is a call of an outcome.
type result struct {
	Goroutine string
	Input     any
	Output    any
}

// outcomes is a set of outcomes.
type outcomes struct {
	all   [][]result
	named map[string]bool
	odd   [][]result // those of all that have no name
	key   []byte
}

// name returns what tells an outcome apart, and whether it does.
func (o *outcomes) name(x []result) ([]byte, bool) {
	b, ok := o.key[:0], true
	for i := 0; i < len(x) && ok; i++ {
		b = append(append(b, x[i].Goroutine...), 0)
		if b, ok = appendPlain(b, x[i].Input); ok {
			b, ok = appendPlain(b, x[i].Output)
		}
	}
	o.key = b[:0]
	return b, ok
}

func (o *outcomes) has(x []result) bool {
	name, ok := o.name(x)
	if ok {
		return o.named[string(name)]
	}
	return slices.ContainsFunc(o.odd, func(y []result) bool { return reflect.DeepEqual(x, y) })
}

func (o *outcomes) add(x []result) {
	if o.has(x) {
		return
	}
	if name, ok := o.name(x); ok {
		if o.named == nil {
			o.named = make(map[string]bool)
		}
		o.named[string(name)] = true
	} else {
		o.odd = append(o.odd, x)
	}
	o.all = append(o.all, x)
}

func (j *refinement) Run() {
	h := new(History)
	if j.oneByOne {
		h.turn = new(sched.Mutex)
	}
	j.begin(h)
}

// Prepare finds out what calls return one at a time.
func (j *refinement) Prepare(s *explore.Session) error {
	if j.f == nil {
		return errors.New("Refines: the closure is nil; give a func(*history.History)")
	}
	if j.ready && j.time == s.Phase.Run.Time && j.lag == s.Phase.Run.Lag {
		return nil
	}
	j.oneByOne, j.expected = true, outcomes{}
	defer func() { j.oneByOne = false }()
	p := s.Program(false)
	defer s.Dismiss(p)
	missed := false
	stats, err := s.SearchBy(p, engine.Optimal{}, func(x *trace.Execution) bool {
		x.Over = s.Over
		if x.Blocked || x.Pruned {
			return !s.Over()
		}
		failures := x.Run.Outcome()
		switch {
		case len(failures) == 0 && j.ended:
			j.expected.add(j.outcome(s))
		case slices.ContainsFunc(failures, func(f trace.Failure) bool { return f.Kind == trace.FailStarved || f.Kind == trace.FailLong }):
			missed = true
		}
		return !s.Over()
	})
	switch {
	case err != nil:
		return s.Explain(p, err)
	case s.Halted() == explore.StopContext || s.Halted() == explore.StopInterrupted || s.Halted() == explore.StopAbandoned:
		return nil
	case !stats.Exhaustive || missed:
		why, needs := s.Limit("")
		return fmt.Errorf("Refines: the sequential executions are not exhausted: %s ran before the limit (%s); raise it with %s, or make fewer calls in the closure", format.Grouped(stats.Executions), why, s.FrontEnd().Name(cmp.Or(needs, advice.SettingTime)))
	}
	j.ready, j.time, j.lag = true, s.Phase.Run.Time, s.Phase.Run.Lag
	return nil
}

// outcome returns what the calls of the latest execution have returned.
func (j *refinement) outcome(s *explore.Session) (x []result) {
	n := trial.PathsOf(*s.Watched.Load())
	for _, g := range j.h.clients(n) {
		for _, c := range j.h.calls {
			if c.g == g {
				x = append(x, result{n.Name(g), c.input, c.output})
			}
		}
	}
	return x
}

func (j *refinement) Checked() string {
	return fmt.Sprintf("each outcome is one of %s with one call at a time", format.Grouped(int64(len(j.expected.all))))
}

func (j *refinement) Verdict(s *explore.Session) []trace.Failure {
	ok, failures := j.complete(s)
	if !ok || j.oneByOne {
		return failures
	}
	x := j.outcome(s)
	if j.expected.has(x) {
		return nil
	}
	return []trace.Failure{{Kind: trace.FailOutcome, G: -1, Step: -1, Msg: notAtomic, History: j.text(x)}}
}

const notAtomic = "calls that overlap return what they never do one at a time"

// text shows an outcome, and how it differs from the nearest one that is right.
func (j *refinement) text(x []result) string {
	var b strings.Builder
	b.WriteString("The calls return\n")
	width := [2]int{}
	for _, r := range x {
		width[0], width[1] = max(width[0], len(r.Goroutine)), max(width[1], len(callText(r.Input)))
	}
	for _, r := range x {
		fmt.Fprintf(&b, "    %s\n", line(r, width))
	}
	if len(j.expected.all) == 0 {
		b.WriteString("One at a time they never come to an end: the first call waits for another one.\n")
		return b.String()
	}
	nearest, least := j.expected.all[0], len(x)+1
	for _, y := range j.expected.all {
		if d := different(x, y); d < least {
			nearest, least = y, d
		}
	}
	ways := "in one way"
	if n := len(j.expected.all); n > 1 {
		ways = fmt.Sprintf("in %s ways", format.Grouped(int64(n)))
	}
	fmt.Fprintf(&b, "One at a time they return %s, the nearest of which (-) differs from this (+) by\n", ways)
	for i := range max(len(x), len(nearest)) {
		switch {
		case i >= len(x):
			fmt.Fprintf(&b, "  - %s\n", line(nearest[i], width))
		case i >= len(nearest):
			fmt.Fprintf(&b, "  + %s\n", line(x[i], width))
		case !reflect.DeepEqual(x[i], nearest[i]):
			fmt.Fprintf(&b, "  - %s\n  + %s\n", line(nearest[i], width), line(x[i], width))
		default:
			fmt.Fprintf(&b, "    %s\n", line(x[i], width))
		}
	}
	return b.String()
}

// line shows a call of an outcome.
func line(r result, width [2]int) string {
	text := fmt.Sprintf("%s  %s %s", format.Pad(r.Goroutine, width[0]), format.Pad(callText(r.Input), width[1]), outputText(r.Output))
	return strings.TrimRight(text, " ")
}

// different counts the calls that differ between two outcomes.
func different(x, y []result) int {
	if len(x) != len(y) {
		return max(len(x), len(y))
	}
	n := 0
	for i := range x {
		if !reflect.DeepEqual(x[i], y[i]) {
			n++
		}
	}
	return n
}

// Draw draws nothing: there is no order of the calls to be shown.
func (j *refinement) Draw(io.Writer) error { return nil }
