package por

import (
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// BenchmarkEngines measures what engines cost on programs that cost little
// themselves.
func BenchmarkEngines(b *testing.B) {
	for _, p := range []struct {
		name string
		m    *model
	}{
		{"adders(2,3)", adders(2, 3)},
		{"readers-writers(14)", readersWriters(14)},
		{"ring(10)", ring(10, 1)},
		{"lastzero-down(10)", lastzero(10, true)},
		{"mpat(4)", mpat(4)},
		{"disp(5,3)", disp(5, 3)},
		{"indexer(13)", indexer(13)},
	} {
		for _, e := range complete {
			if e.Name() == "dfs" && p.name != "adders(2,3)" {
				continue
			}
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) { benchmarkEngine(b, e, p.m) })
		}
	}
}

// BenchmarkAdders measures the smallest closure worth exploring.
func BenchmarkAdders(b *testing.B) {
	c := sched.New(func() {
		var x sched.Int64
		for range 2 {
			sched.Go(func() {
				for range 3 {
					x.Add(1)
				}
			})
		}
	}, sched.Options{})
	for _, e := range complete {
		b.Run(e.Name(), func(b *testing.B) { benchmarkEngine(b, e, c) })
	}
}

func benchmarkEngine(b *testing.B, e trace.Engine, p trace.Program) {
	b.ReportAllocs()
	var executions, blocked, steps int64
	for executions < int64(b.N) {
		stats, err := e.Explore(p, func(*trace.Execution) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		executions += stats.Executions
		blocked += stats.Blocked
		steps += stats.Steps + stats.Replayed
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(executions), "ns/exec")
	b.ReportMetric(float64(steps)/float64(executions), "steps/exec")
	b.ReportMetric(float64(blocked)/float64(executions), "blocked/exec")
}
