package benchtmp

import (
	"syscall"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

func cpu() float64 {
	var ru syscall.Rusage
	syscall.Getrusage(0, &ru)
	return float64(ru.Utime.Sec+ru.Stime.Sec) + float64(ru.Utime.Usec+ru.Stime.Usec)/1e6
}

func BenchmarkPaper(b *testing.B) {
	for _, p := range []struct {
		name string
		f    func()
		goal float64
	}{
		{"rw14", paper.ReadersWriters(14), 50e3},
		{"ring14", paper.Ring(14), 50e3},
		{"lastzero-down13", paper.LastZeroDown(13), 30e3},
		{"mpat6", paper.MPAT(6), 40e3},
		{"disp54", paper.Disp(5, 4), 20e3},
		{"indexer15", paper.Indexer(15), 10e3},
	} {
		for _, e := range []sched.Engine{por.Optimal{}, por.Source{}} {
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) {
				c0 := cpu()
				var ex, bl int64
				for range b.N {
					c := sched.New(p.f, sched.Options{Races: sched.RaceExplore})
					st, err := e.Explore(c, func(*sched.Execution) bool { return true })
					if err != nil {
						b.Fatal(err)
					}
					ex += st.Executions
					bl += st.Blocked
					c.Shutdown()
				}
				b.ReportMetric(float64(ex)/float64(b.N), "execs")
				b.ReportMetric(float64(bl)/float64(b.N), "blocked")
				b.ReportMetric(float64(ex)/(cpu()-c0), "exec/cpus")
				b.ReportMetric(float64(ex)/(cpu()-c0)/p.goal, "xgoal")
			})
		}
	}
}
