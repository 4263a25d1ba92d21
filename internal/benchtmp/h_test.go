package benchtmp

import (
	"runtime"
	"testing"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

func TestHeap(t *testing.T) {
	for _, p := range []struct {
		name string
		f    func()
	}{{"mpat7", paper.MPAT(7)}, {"re7", paper.RingExtended(7)}, {"disp55", paper.Disp(5, 5)}, {"lastzerodown16", paper.LastZeroDown(16)}, {"pol12,3", paper.Pol(12, 3)}, {"mpc35", paper.MPC(3, 5)}} {
		c := sched.New(p.f, sched.Options{Races: sched.RaceExplore})
		var peak uint64
		n := 0
		t0 := time.Now()
		st, err := por.Optimal{}.Explore(c, func(*sched.Execution) bool {
			n++
			if n%2000 == 0 {
				var ms runtime.MemStats
				runtime.ReadMemStats(&ms)
				peak = max(peak, ms.HeapAlloc)
			}
			return true
		})
		t.Log(p.name, st.Executions, st.Blocked, err, "peakMB", peak>>20, time.Since(t0), "depth", st.MaxDepth)
		c.Shutdown()
	}
}
