package paper

import (
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// requests is a variant of MPC in which a producer makes a request in every
// round. Which mutex it takes depends on the order in which the producers came,
// and the objects behind the mutexes appear late, so in different executions
// they go by different numbers. Optimal DPOR once took them for each other, and
// blocked executions, repeated traces and missed some.
func requests(p, w int) func() {
	return func() {
		var (
			mut     = make([]sched.Mutex, w)
			workreq = make([]sched.Var[int], w)
			pm      sched.Mutex
			buf     sched.Var[int]
		)
		for i := range w {
			sched.Go(func() {
				mut[i].Lock()
				if n := workreq[i].Load(); n > 0 {
					workreq[i].Store(n - 1)
				}
				mut[i].Unlock()
			})
		}
		for j := range p {
			sched.Go(func() {
				for range 2 {
					pm.Lock()
					n := buf.Load()*p + j
					buf.Store(n)
					pm.Unlock()
					mut[n%w].Lock()
					workreq[n%w].Store(workreq[n%w].Load() + 1)
					mut[n%w].Unlock()
				}
			})
		}
	}
}

func TestLateObjects(t *testing.T) {
	if !effort.Full() {
		t.Skip("takes seconds")
	}
	for _, size := range [][2]int{{2, 3}, {3, 5}} {
		var counts [2]trace.Stats
		for i, e := range []trace.Engine{engine.Source{}, engine.Optimal{}} {
			c := exec.New(requests(size[0], size[1]), exec.Options{Races: sched.RaceExplore})
			stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			c.Shutdown()
			counts[i] = stats
		}
		if counts[1].Executions != counts[0].Executions || counts[1].Blocked != 0 {
			t.Errorf("requests%v: source-DPOR finds %d traces, optimal DPOR makes %d executions and blocks %d",
				size, counts[0].Executions, counts[1].Executions, counts[1].Blocked)
		}
		t.Logf("requests%v: %d traces", size, counts[1].Executions)
	}
}
