package por

import (
	"testing"

	"github.com/gopor/gopor/sched"
)

func counter(atomic int) func() {
	return func() {
		var x sched.Var[int]
		var wg sched.WaitGroup
		wg.Add(2)
		for range 2 {
			sched.Go(func() {
				for range atomic {
					x.Update(func(i int) int { return i + 1 })
				}
				wg.Done()
			})
		}
		wg.Wait()
	}
}

func two(atomic int) func() {
	return func() {
		var x sched.Var[int]
		for range 2 {
			sched.Go(func() {
				for range atomic {
					x.Update(func(i int) int { return i + 1 })
				}
			})
		}
	}
}

func rw(n int) func() {
	return func() {
		var x sched.Var[int]
		sched.Go(func() { x.Store(1) })
		for range n - 1 {
			sched.Go(func() { x.Load() })
		}
	}
}

func runEngine(b *testing.B, e sched.Engine, f func()) {
	var execs, blocked int64
	b.ReportAllocs()
	c := sched.New(f, sched.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for range b.N {
		st, err := e.Explore(c, func(*sched.Execution) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		execs += st.Executions
		blocked += st.Blocked
	}
	b.ReportMetric(float64(execs)/b.Elapsed().Seconds(), "exec/s")
	b.ReportMetric(float64(execs)/float64(b.N), "execs")
	b.ReportMetric(float64(blocked)/float64(b.N), "blocked")
}

func BenchmarkLead(b *testing.B) {
	for _, e := range []sched.Engine{DFS{}, Source{}, Optimal{}} {
		b.Run(e.Name()+"/counter", func(b *testing.B) { runEngine(b, e, counter(3)) })
		b.Run(e.Name()+"/two", func(b *testing.B) { runEngine(b, e, two(3)) })
		if e.Name() != "dfs" {
			b.Run(e.Name()+"/rw14", func(b *testing.B) { runEngine(b, e, rw(14)) })
		}
	}
}
