package benchtmp

import (
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

func mpc(p, w, wi, pi, pj int, pre bool) func() {
	return func() {
		mut := make([]sched.Mutex, w)
		workreq := make([]sched.Var[int], w)
		var pm sched.Mutex
		var buf sched.Var[int]
		if pre {
			for i := range w {
				mut[i].Lock()
				mut[i].Unlock()
				workreq[i].Load()
			}
			pm.Lock()
			pm.Unlock()
			buf.Load()
		}
		for i := range w {
			sched.Go(func() {
				for range wi {
					mut[i].Lock()
					if n := workreq[i].Load(); n > 0 {
						workreq[i].Store(n - 1)
					}
					mut[i].Unlock()
				}
			})
		}
		for j := range p {
			sched.Go(func() {
				for range pj {
					tmp := 0
					for range pi {
						pm.Lock()
						tmp = buf.Load()*p + j
						buf.Store(tmp)
						pm.Unlock()
					}
					d := tmp % w
					mut[d].Lock()
					workreq[d].Store(workreq[d].Load() + 1)
					mut[d].Unlock()
				}
			})
		}
	}
}

func TestMPC(t *testing.T) {
	for _, pre := range []bool{false, true} {
		c := sched.New(mpc(3, 5, 1, 1, 2, pre), sched.Options{Races: sched.RaceExplore})
		st, err := por.Optimal{}.Explore(c, func(*sched.Execution) bool { return true })
		t.Log(pre, st.Executions, st.Blocked, err)
		c.Shutdown()
	}
}

func TestMPCsmall(t *testing.T) {
	for _, a := range [][5]int{{2, 3, 1, 1, 2}, {3, 3, 1, 1, 1}, {3, 4, 1, 1, 1}, {3, 5, 1, 1, 1}, {3, 5, 0, 1, 2}, {3, 5, 1, 2, 1}, {3, 5, 0, 2, 1}, {3, 5, 0, 1, 2}, {3, 4, 0, 1, 2}, {3, 6, 0, 1, 2}, {3, 7, 0, 1, 2}, {3, 7, 1, 1, 2}} {
		c := sched.New(mpc(a[0], a[1], a[2], a[3], a[4], false), sched.Options{Races: sched.RaceExplore})
		st, err := por.Optimal{}.Explore(c, func(*sched.Execution) bool { return true })
		t.Log(a, st.Executions, st.Blocked, err)
		c.Shutdown()
	}
}
