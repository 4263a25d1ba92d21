package sched_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// execute runs one execution of the program per iteration: by Replay, or step by
// step as an engine does beyond the replayed prefix.
func execute(b *testing.B, o exec.Options, stepwise bool, f func()) {
	o.MaxSteps = 1 << 30
	c := exec.New(f, o)
	defer c.Shutdown()
	s := closures.Record(b, c)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		run := c.Start()
		if stepwise {
			for _, choice := range s {
				run.Pending()
				if _, err := run.Step(choice); err != nil {
					b.Fatal(err)
				}
			}
		} else if err := run.Replay(s); err != nil {
			b.Fatal(err)
		}
		run.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s)), "ns/step")
	b.ReportMetric(float64(len(s)), "steps")
}

func counter() {
	x := new(sched.Int64)
	for range 2 {
		sched.Go(func() { x.Add(1); x.Add(1); x.Add(1) })
	}
}

func BenchmarkCounterReplay(b *testing.B) { execute(b, exec.Options{}, false, counter) }
func BenchmarkCounterSteps(b *testing.B)  { execute(b, exec.Options{}, true, counter) }

// BenchmarkStep gives the cost of an operation in an execution of two thousand.
// What the execution itself allocates is spread over them.
func BenchmarkStep(b *testing.B) {
	tests := []struct {
		name string
		f    func(n int)
	}{
		{"atomic", func(n int) {
			var x sched.Int32
			for range n {
				x.Add(1)
			}
		}},
		{"atomic func", func(n int) {
			x := new(int32)
			for range n {
				hook.Add(x, 1)
			}
		}},
		{"atomic funcs", func(n int) {
			x := make([]int64, 100)
			for i := range n {
				hook.Add(&x[i%100], 1)
			}
		}},
		{"raw pointer", func(n int) {
			x := new(unsafe.Pointer)
			for range n {
				hook.CompareAndSwapPointer(x, nil, nil)
			}
		}},
		{"pointer", func(n int) {
			var x sched.Pointer[int]
			v := new(int)
			for range n {
				x.CompareAndSwap(v, v)
			}
		}},
		{"value", func(n int) {
			var x sched.Value
			for range n {
				x.Store(1)
			}
		}},
		{"map load", func(n int) {
			var x sched.Map
			for range n {
				x.Load(1)
			}
		}},
		{"map store", func(n int) {
			var x sched.Map
			for range n {
				x.Store(1, 1)
			}
		}},
		{"mutex", func(n int) {
			var x sched.Mutex
			for range n / 2 {
				x.Lock()
				x.Unlock()
			}
		}},
		{"buffered chan", func(n int) {
			x := sched.NewChan[int](1)
			for range n / 2 {
				x.Send(1)
				x.Recv()
			}
		}},
		{"select", func(n int) {
			x := sched.NewChan[int](1)
			recv := sched.RecvCase(x, nil, nil)
			for range n {
				sched.Select(recv, sched.Default)
			}
		}},
		{"ctx err", func(n int) {
			x, _ := sched.WithCancel(sched.Background())
			for range n {
				x.Err()
			}
		}},
		{"ctx cancel", func(n int) {
			for range n {
				_, cancel := sched.WithCancel(sched.Background())
				cancel()
			}
		}},
		{"timer reset", func(n int) {
			x := sched.NewTimer(time.Second)
			for range n {
				x.Reset(time.Second)
			}
		}},
		{"handover", func(n int) {
			var x sched.Int64
			for range 2 {
				sched.Go(func() {
					for range n / 2 {
						x.Load()
					}
				})
			}
		}},
	}
	for _, test := range tests {
		b.Run(test.name+"/replay", func(b *testing.B) {
			execute(b, exec.Options{}, false, func() { test.f(2000) })
		})
		b.Run(test.name+"/step", func(b *testing.B) {
			execute(b, exec.Options{}, true, func() { test.f(2000) })
		})
	}
}

// BenchmarkVar has plain memory in it, so data races are looked for.
func BenchmarkVar(b *testing.B) {
	execute(b, exec.Options{}, false, func() {
		x, mu := new(sched.Var[int]), new(sched.Mutex)
		for range 2 {
			sched.Go(func() {
				for range 3 {
					mu.Lock()
					x.Store(x.Load() + 1)
					mu.Unlock()
				}
			})
		}
	})
}

// BenchmarkRecord gives the cost of an access of shared memory in an execution that is
// recorded.
func BenchmarkRecord(b *testing.B) {
	c := exec.New(func() {
		var x int64
		var wg sched.WaitGroup
		p := unsafe.Pointer(&x)
		hook.WriteMemory(p, 8)
		wg.Go(func() { hook.ReadMemory(p, 8) })
		for range b.N {
			hook.ReadMemory(p, 8)
		}
		wg.Wait()
	}, exec.Options{Record: true, Races: sched.RaceFail})
	defer c.Shutdown()
	r := c.Start()
	for p := r.Pending(); len(p) > 0; p = r.Pending() {
		if _, err := r.Step(trace.Choice{G: p[0].G}); err != nil {
			b.Fatal(err)
		}
	}
}
