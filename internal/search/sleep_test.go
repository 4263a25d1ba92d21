package search

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestMarks compares uses by masks with uses access by access, those of nothing and of everything
// among them, and copies whose objects were renamed.
func TestMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func() (u Uses) {
		as := make([]trace.Access, r.IntN(5))
		for i := range as {
			as[i] = trace.Access{Obj: r.Int32N(50) - 1, Mode: []trace.Mode{trace.ModeRead, trace.ModeWrite}[r.IntN(2)]}
		}
		u.Set(as)
		if r.IntN(2) == 0 {
			var c Uses
			c.Copy(&u)
			for i := range c.n {
				c.Rename(i, r.Int32N(50)-1)
			}
			u = c
		}
		return u
	}
	var trail Trail
	dependent := 0
	for range 100_000 {
		a, b := draw(), draw()
		want := trace.Dependence.Dependent(a.List(), b.List())
		if trail.Dependent(&a, &b) != want {
			t.Fatalf("%v and %v: want %v", a.List(), b.List(), want)
		}
		if want {
			dependent++
		}
	}
	if dependent < 10_000 {
		t.Errorf("%d of the pairs are dependent", dependent)
	}
}

// TestRecordForgetsSleepers comes to a state in which something slept in an earlier execution, from
// one in which nothing sleeps, within the sequence of a wakeup tree.
func TestRecordForgetsSleepers(t *testing.T) {
	c := exec.New(func() {
		var n sched.Int64
		n.Add(1)
		n.Add(1)
	}, exec.Options{})
	defer c.Shutdown()
	o := optimal{Trail: NewTrail(c, func(*trace.Execution) bool { return true })}
	defer o.Finish(false)
	o.frames.At(0).below = o.nodes.leaf(trace.Choice{})
	o.frames.At(1).setSleep(SleepSet{{Choice: trace.Choice{G: 7}}})
	if ev := o.Step(trace.Choice{}); ev == nil || !o.Record(ev) {
		t.Fatal(o.Err)
	}
	if f := o.frames.Get(1); f.leaf || len(f.sleep()) > 0 {
		t.Errorf("in the state %v sleep", f.sleep())
	}
}
