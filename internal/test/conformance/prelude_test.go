package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// outcomesOf returns how often each outcome comes in a search of p, and the steps of all
// executions; ok is false if there are too many of either.
func outcomesOf(p *Program, prelude int) (times map[string]int, steps int64, ok bool) {
	x := newWith(p, prelude)
	defer x.Shutdown()
	times = make(map[string]int)
	n, long := 0, false // has no end, or too many steps
	stats, err := engine.Optimal{}.Explore(x, func(e *trace.Execution) bool {
		if !e.Blocked {
			text := string(x.ResultsText())
			for _, f := range e.Run.Outcome() {
				text += fmt.Sprintf("; %v", f.Kind)
				long = long || f.Kind == trace.FailSteps
			}
			times[text]++
		}
		n++
		return n < 2000 && !long
	})
	return times, stats.Steps + stats.Replayed, err == nil && stats.Exhaustive && !long
}

// length returns how many steps the first execution has.
func length(p *Program, prelude int) (n int) {
	x := newWith(p, prelude)
	defer x.Shutdown()
	_, _ = engine.Optimal{}.Explore(x, func(e *trace.Execution) bool {
		n = e.Run.Len()
		return false
	})
	return n
}

// TestPrelude compares searches in which main's first operations are no steps with searches in
// which all are. So that there are such operations, main first does what a goroutine does. Each outcome comes as often, since no operation that comes before all of other
// goroutines is part of a race.
func TestPrelude(t *testing.T) {
	n, source := toytest.Seeds(t, 6000)
	list := families(t)
	var fewer, failed atomic.Int64
	differ := func(p *Program) error {
		if length(p, 0) == length(p, 1) {
			return nil // there is no such operation
		}
		all, steps, ok := outcomesOf(p, 0)
		if !ok {
			return ErrTooBig
		}
		for n := range 3 {
			some, less, _ := outcomesOf(p, n+1)
			if !maps.Equal(all, some) {
				return fmt.Errorf("with %d steps before others: outcomes %v, want %v", n+1, some, all)
			}
			if less < steps {
				fewer.Add(1)
			}
		}
		return nil
	}
	parallel(n, func() struct{} { return struct{}{} }, func(_ struct{}, i int64) bool {
		k := i % int64(len(list))
		p := Generate(list[k], source(i))
		p.Model &^= sched.ModelFine // with which all are steps
		p.Funcs[0] = slices.Concat(slices.DeleteFunc(slices.Clone(p.Funcs[1]), func(s Step) bool { return s.Op.name == "go" }), p.Funcs[0])
		if err := differ(p); err != nil && !errors.Is(err, ErrTooBig) {
			complainBy(t, fmt.Sprintf("program %d, %s", i, list[k].Name), p, differ)
			failed.Add(1)
		}
		return failed.Load() == 0
	})
	if failed.Load() == 0 && fewer.Load() == 0 {
		t.Error("every operation was a step")
	}
	t.Logf("%d searches had fewer steps", fewer.Load())
}
