package paper_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// BenchmarkTiny measures an execution of programs of many tiny goroutines, with what the engine adds to it. What
// an execution allocates in the steady state -benchmem says: nothing, or next to nothing.
func BenchmarkTiny(b *testing.B) {
	for _, x := range []struct {
		name string
		n, m int
	}{{"readers-writers", 14, 0}, {"micro-start", 7, 1}, {"lastzero-down", 13, 0}, {"indexer", 13, 0}, {"lastzero", 15, 0}, {"ring", 15, 0}, {"mpat", 6, 0}} {
		for _, e := range []trace.Engine{por.Source{}, por.Optimal{}} {
			b.Run(fmt.Sprintf("%s(%d)/%s", x.name, x.n, e.Name()), func(b *testing.B) {
				p, ok := paper.Named(x.name)
				if !ok {
					b.Fatal("no such program")
				}
				c := sched.New(p.Make(x.n, x.m), p.Options)
				defer c.Shutdown()
				left := 500
				explore := func() {
					if _, err := e.Explore(c, func(*trace.Execution) bool {
						left--
						return left > 0
					}); err != nil {
						b.Fatal(err)
					}
				}
				explore()
				b.ReportAllocs()
				b.ResetTimer()
				for left = b.N; left > 0; {
					explore()
				}
			})
		}
	}
}
