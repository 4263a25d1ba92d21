package native

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
)

// count has two goroutines count.
func count() int {
	var c Counter
	done := make(chan bool)
	go func() { c.Inc(); done <- true }()
	c.Inc()
	<-done
	return c.Value()
}

func TestCounter(t *testing.T) {
	por.Check(t, func() {
		if n := count(); n != 2 {
			t.Error(n)
		}
	}, por.Exhaustive())
}

// The data race needs no unlucky schedule to be found.
func TestHurried(t *testing.T) {
	res, err := por.Explore(func() {
		var c Hurried
		go c.Inc()
		c.Value()
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Report, "data race: ") {
		t.Errorf("%s, want a data race", res.Verdict)
	}
}

func TestSum(t *testing.T) {
	por.Check(t, func() {
		if n := Sum(3, 2, func(i int) int { return i }); n != 3 {
			t.Error(n)
		}
	}, por.Exhaustive())
}

func TestSort(t *testing.T) {
	a := make([]int, 10_000)
	for i := range a {
		a[i] = rand.IntN(len(a))
	}
	if Sort(a); !slices.IsSorted(a) {
		t.Error("not sorted")
	}
}

// BenchmarkCounter is of complete executions of two goroutines and a counter:
// ones drawn at random, and all 20 traces of two that count to three each.
func BenchmarkCounter(b *testing.B) {
	rate := func(b *testing.B, executions int64) {
		b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
	}
	b.Run("random", func(b *testing.B) {
		res, err := por.Explore(func() {
			if n := count(); n != 2 {
				panic(n)
			}
		}, por.Engine(engine.Random{Seed: 1}), por.MaxExecutions(int64(b.N)))
		if err != nil || len(res.Failures) > 0 {
			b.Fatal(res, err)
		}
		rate(b, res.Stats.Executions)
	})
	b.Run("all", func(b *testing.B) {
		var executions int64
		for b.Loop() {
			res, err := por.Explore(func() {
				var c Counter
				done := make(chan bool)
				go func() { c.Inc(); c.Inc(); c.Inc(); done <- true }()
				c.Inc()
				c.Inc()
				c.Inc()
				<-done
			})
			if err != nil || res.Stats.Executions != 20 {
				b.Fatal(res, err)
			}
			executions += res.Stats.Executions
		}
		rate(b, executions)
	})
}

// BenchmarkGoroutines is of all traces of goroutines that do little each: with a mutex, an
// atomic number and a channel.
func BenchmarkGoroutines(b *testing.B) {
	for name, f := range map[string]func(){
		"mutex": func() {
			var mu sync.Mutex
			var wg sync.WaitGroup
			n := 0
			mu.Lock()
			for range 5 {
				wg.Add(1)
				go func() {
					mu.Lock()
					n++
					mu.Unlock()
					wg.Done()
				}()
			}
			mu.Unlock()
			wg.Wait()
		},
		"atomic": func() {
			var n atomic.Int64
			n.Store(1)
			for i := range 6 {
				go func() { n.Add(int64(i)) }()
			}
		},
		"channel": func() {
			c := make(chan int)
			for i := range 6 {
				go func() { c <- i }()
			}
			for range 6 {
				<-c
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			var executions int64
			for b.Loop() {
				res, err := por.Explore(f, por.Engine(engine.Optimal{}))
				if err != nil || !res.Stats.Exhaustive {
					b.Fatal(res, err)
				}
				executions += res.Stats.Executions
			}
			b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}

// BenchmarkAccess is of plain accesses of memory that goroutines share, in an
// execution and outside.
func BenchmarkAccess(b *testing.B) {
	loop := func(n int) {
		var c Counter
		done := make(chan bool)
		go func() { c.n++; done <- true }()
		<-done
		for range n / 2 {
			c.n++ // a read and a write
		}
	}
	b.Run("explored", func(b *testing.B) {
		if _, err := por.Explore(func() { loop(b.N) }, por.MaxExecutions(1)); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("outside", func(b *testing.B) { loop(b.N) })
}

// BenchmarkOutside is of code that is under control, but runs outside of
// executions; to be compared with what POR_INSTRUMENT=off measures.
func BenchmarkOutside(b *testing.B) {
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			Sum(1000, 4, func(i int) int {
				for range 1000 {
					i = i*3 + 1
				}
				return i
			})
		}
	})
	b.Run("sort", func(b *testing.B) {
		a := make([]int, 100_000)
		for i := range a {
			a[i] = i * 7919 % len(a)
		}
		c := make([]int, len(a))
		for b.Loop() {
			copy(c, a)
			Sort(c)
		}
	})
	b.Run("counter", func(b *testing.B) {
		var c Counter
		for b.Loop() {
			c.Inc()
		}
	})
}
