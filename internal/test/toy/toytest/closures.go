package toytest

import (
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// Recording returns a program that tells what it does.
func Recording(f func()) *exec.Closure {
	return exec.New(f, exec.Options{Races: sched.RaceExplore, AllowLeaks: true, Record: true})
}

// Published returns a program of package paper that tells what it does.
func Published(t *testing.T, name string, n, m int) *exec.Closure {
	t.Helper()
	p, ok := paper.Named(name)
	if !ok {
		t.Fatalf("there is no program %s", name)
	}
	if err := p.Check(n, m); err != nil {
		t.Fatal(err)
	}
	return Recording(p.Make(n, m))
}

// FigureTwo is the program of figure 2 of the paper on quasi-optimal partial order
// reduction (Nguyen et al. 2018).
func FigureTwo() {
	var m, n sched.Mutex
	var x, y, z sched.Var[int]
	sched.Go(func() {
		x.Store(1)
		m.Lock()
		if y.Load() == 0 {
			m.Unlock()
			return
		}
		n.Lock()
		x.Store(2)
	})
	sched.Go(func() {
		m.Lock()
		y.Store(1)
		m.Unlock()
	})
	sched.Go(func() {
		n.Lock()
		z.Store(1)
		n.Unlock()
	})
}
