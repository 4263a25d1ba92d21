package por_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// BenchmarkLong measures what a step of a long execution costs: nanoseconds, bytes
// allocated and bytes of the heap at the end, per step. Two executions are run, so that
// engines do once what they do between executions.
func BenchmarkLong(b *testing.B) {
	for _, engine := range []trace.Engine{engine.Random{}, engine.Source{}, engine.Optimal{}, engine.Reverse{},
		bpor.Source{Bound: bpor.Preemptions(0), Complete: true}, bpor.Iterative{UpTo: bpor.Preemptions(0)}} {
		for _, steps := range []int{1e3, 1e4, 1e5, 1e6} {
			b.Run(fmt.Sprintf("%s/alive=10/steps=%d", engine.Name(), steps), func(b *testing.B) {
				benchmarkLong(b, engine, alive(10, steps))
			})
		}
		for _, goroutines := range []int{10, 40, 400, 4000} {
			for _, steps := range []int{40_000, 400_000} {
				b.Run(fmt.Sprintf("%s/alive=%d/steps=%d", engine.Name(), goroutines, steps), func(b *testing.B) {
					benchmarkLong(b, engine, alive(goroutines, steps))
				})
			}
			b.Run(fmt.Sprintf("%s/successive=%d", engine.Name(), goroutines), func(b *testing.B) {
				benchmarkLong(b, engine, successive(goroutines))
			})
		}
	}
}

// alive has so many goroutines at a time, which make so many steps together: in turns
// under a lock, and on counters of which each is used by two.
func alive(goroutines, steps int) func() {
	return func() {
		var mu sched.Mutex
		counters := make([]sched.Int64, goroutines)
		for g := range goroutines {
			sched.Go(func() {
				for i := range max(1, steps/goroutines/4) {
					mu.Lock()
					mu.Unlock()
					counters[g].Add(1)
					counters[(g+i)%goroutines].Add(1)
				}
			})
		}
	}
}

// successive has so many goroutines one after the other.
func successive(goroutines int) func() {
	return func() {
		done := sched.NewChan[int](0)
		var n sched.Int64
		for range goroutines {
			sched.Go(func() { n.Add(1); done.Send(1) })
			done.Recv()
		}
	}
}

func benchmarkLong(b *testing.B, engine trace.Engine, f func()) {
	var steps int64
	var heap uint64
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range b.N {
		c := exec.New(f, exec.Options{MaxSteps: math.MaxInt32, Races: sched.RaceFail})
		n := 0
		end := time.Now().Add(time.Minute)
		stats, err := engine.Explore(c, func(x *trace.Execution) bool {
			n++
			if n == 2 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				heap = after.HeapAlloc - before.HeapAlloc
			}
			x.Over = func() bool { return time.Now().After(end) }
			return n < 2
		})
		if err != nil {
			b.Fatal(err)
		}
		c.Shutdown()
		steps += stats.Steps + stats.Replayed
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(steps), "allocB/step")
	b.ReportMetric(float64(heap)*float64(b.N)/float64(steps), "heapB/step")
	b.ReportMetric(0, "ns/op")
}
