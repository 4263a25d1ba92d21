package toy_test

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
)

// same compares a program with its translation: trace by trace, with the number
// of interleavings and the final state of each.
func same(t *testing.T, p *toy.Program, limits oracle.Limits) (ok bool) {
	t.Helper()
	want, err := oracle.Enumerate(toy.New(p), limits)
	if errors.Is(err, oracle.ErrTooBig) {
		return true
	}
	if err != nil {
		t.Errorf("%v\n%v", err, p)
		return false
	}
	c := toy.NewClosure(p)
	defer c.Shutdown()
	got, err := oracle.Enumerate(c, oracle.Limits{})
	if err != nil {
		t.Errorf("%v\n%v", err, p)
		return false
	}
	for fp, w := range want.Classes {
		g := got.Classes[fp]
		if g == nil {
			t.Errorf("the closure lacks the trace of %v, which ends in\n%s\n%v", w.Schedule, w.State, p)
			return false
		}
		if g.State != w.State || g.Executions != w.Executions {
			t.Errorf("%v: the model has %d executions that end in\n%s\nthe closure %d that end in\n%s\n%v", w.Schedule, w.Executions, w.State, g.Executions, g.State, p)
			return false
		}
	}
	for fp, g := range got.Classes {
		if want.Classes[fp] == nil {
			t.Errorf("the model lacks the trace of %v, which ends in\n%s\n%v", g.Schedule, g.State, p)
			return false
		}
	}
	return true
}

// translatable reports whether the closure has the same events: asking for the
// time is none in discrete time, making a timer is one by lag only, and an Int64 starts
// with 0.
func translatable(p *toy.Program) bool {
	for _, o := range p.Objects {
		if o.Kind == toy.Cell && o.N != 0 || o.Kind >= toy.Timer && p.Time == sched.TimeLag {
			return false
		}
	}
	for _, body := range p.Threads {
		for _, in := range body {
			if in.Code == toy.Now && p.Time == sched.TimeDiscrete {
				return false
			}
		}
	}
	return true
}

func TestClosure(t *testing.T) {
	for _, p := range toytest.Programs(t, 800) {
		if translatable(p) && !same(t, p, oracle.Limits{Executions: 500, Depth: 14}) {
			break
		}
	}
}

// TestJoinYielder: what ends a yield may be a wait for the one who yields.
func TestJoinYielder(t *testing.T) {
	same(t, toy.MustParse("thread\n spawn 1\n join 1\nthread\n yield\n"), oracle.Limits{})
}
