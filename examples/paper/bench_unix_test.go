//go:build unix

package paper

import (
	"syscall"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// cpuSeconds returns what the process has used so far.
func cpuSeconds(b *testing.B) float64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e9
}

// adds is two goroutines with three atomic adds each.
func adds() {
	var x sched.Int64
	three := func() {
		for range 3 {
			x.Add(1)
		}
	}
	sched.Go(three)
	three()
}

// BenchmarkExecutions measures complete executions per CPU second, and what a
// million of them allocate for good.
func BenchmarkExecutions(b *testing.B) {
	for _, p := range []struct {
		name    string
		f       func()
		engines []trace.Engine
	}{
		{"adds", adds, []trace.Engine{por.DFS{}, por.Source{}, por.Optimal{}}},
		{"readers-writers(14)", ReadersWriters(14), []trace.Engine{por.Source{}, por.Optimal{}}},
		{"ring(14)", Ring(14), []trace.Engine{por.Source{}, por.Optimal{}}},
		{"lastzero-down(13)", LastZeroDown(13), []trace.Engine{por.Optimal{}}},
		{"mpat(6)", MPAT(6), []trace.Engine{por.Source{}, por.Optimal{}}},
		{"disp(5,4)", Disp(5, 4), []trace.Engine{por.Optimal{}}},
		{"indexer(15)", Indexer(15), []trace.Engine{por.Source{}, por.Optimal{}}},
	} {
		for _, e := range p.engines {
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) { benchmarkExecutions(b, e, p.f) })
		}
	}
}

func benchmarkExecutions(b *testing.B, e trace.Engine, f func()) {
	c := sched.New(f, sched.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	var executions, steps int64
	b.ReportAllocs()
	begin := cpuSeconds(b)
	for b.Loop() {
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		executions += stats.Executions
		steps += stats.Steps + stats.Replayed
	}
	used := cpuSeconds(b) - begin
	b.ReportMetric(float64(executions)/used, "executions/cpu-s")
	b.ReportMetric(used*1e9/float64(steps), "cpu-ns/step")
}
