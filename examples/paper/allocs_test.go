package paper_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// tiny are programs of many tiny goroutines.
var tiny = []struct {
	name string
	n, m int
}{{"readers-writers", 14, 0}, {"micro-start", 7, 1}, {"lastzero-down", 13, 0}, {"indexer", 13, 0}, {"lastzero", 15, 0}, {"ring", 15, 0}, {"mpat", 6, 0}}

// TestTinyAllocations has engines allocate nothing for an execution, beyond what the program does: no more than its mere
// replay. Optimal DPOR does for indexer, whose operations use other objects as they come to states.
func TestTinyAllocations(t *testing.T) {
	for _, x := range tiny {
		for _, e := range []trace.Engine{engine.Source{}, engine.Optimal{}} {
			p, _ := paper.Named(x.name)
			if x.name == "indexer" && e.Name() == "optimal" {
				continue
			}
			c := exec.New(p.Make(x.n, x.m), p.Options)
			var schedule trace.Schedule
			mallocs := func(run func()) float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				run()
				runtime.ReadMemStats(&after)
				return float64(after.Mallocs - before.Mallocs)
			}
			starts := 0.0
			explored := mallocs(func() {
				n := 0
				stats, err := e.Explore(c, func(x *trace.Execution) bool {
					n++
					schedule = append(schedule[:0], x.Schedule...)
					return n < 3000
				})
				if err != nil {
					t.Fatal(err)
				}
				starts = float64(stats.Executions + stats.Blocked)
			})
			const replays = 500
			replayed := mallocs(func() {
				for range replays {
					r := c.Start()
					if err := r.Replay(schedule); err != nil {
						t.Fatal(err)
					}
					r.Close()
				}
			})
			c.Shutdown()
			// What is made once is in what was explored: stacks, frames, goroutines.
			if more := (explored-2000)/starts - replayed/replays; more > 1 && starts > 1000 {
				t.Errorf("%s(%d), %s: %.2f allocations more in each of %v executions than in a replay", x.name, x.n, e.Name(), more, starts)
			}
		}
	}
}

// BenchmarkTiny measures an execution of such programs, with what the engine adds to it. What -benchmem says of
// allocations is the program's own: a closure for every goroutine, and variables.
func BenchmarkTiny(b *testing.B) {
	for _, x := range tiny {
		for _, e := range []trace.Engine{engine.Source{}, engine.Optimal{}} {
			b.Run(fmt.Sprintf("%s(%d)/%s", x.name, x.n, e.Name()), func(b *testing.B) {
				p, ok := paper.Named(x.name)
				if !ok {
					b.Fatal("no such program")
				}
				c := exec.New(p.Make(x.n, x.m), p.Options)
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
