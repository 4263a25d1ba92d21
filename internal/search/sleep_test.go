package search

import (
	"math/rand/v2"
	"testing"

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
