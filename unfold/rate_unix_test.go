//go:build unix

package unfold_test

import (
	"syscall"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// BenchmarkRate measures executions per CPU second, beside those of optimal DPOR,
// on programs on which no engine blocks any.
func BenchmarkRate(b *testing.B) {
	for _, p := range []struct {
		name string
		f    func()
	}{
		{"readers-writers(14)", paper.ReadersWriters(14)},
		{"readers-writers(17)", paper.ReadersWriters(17)},
		{"mpat(5)", paper.MPAT(5)},
		{"mpat(6)", paper.MPAT(6)},
		{"disp(5,3)", paper.Disp(5, 3)},
		{"mpc(3,5)", paper.MPC(3, 5)},
		{"pol(8,3)", paper.Pol(8, 3)},
		{"indexer(14)", paper.Indexer(14)},
	} {
		for _, e := range []trace.Engine{engine.Optimal{}, unfold.Optimal{}, unfold.Optimal{Comb: true}, unfold.QPOR{K: 3}} {
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) {
				c := exec.New(p.f, exec.Options{Races: sched.RaceExplore})
				defer c.Shutdown()
				var n int64
				begun := cpuSeconds(b)
				for b.Loop() {
					stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
					if err != nil {
						b.Fatal(err)
					}
					n += stats.Executions
				}
				b.ReportMetric(float64(n)/(cpuSeconds(b)-begun), "executions/cpu-s")
			})
		}
	}
}

func cpuSeconds(b *testing.B) float64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e9
}
