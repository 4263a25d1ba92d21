package sched_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// The numbers of traces that follow from the dependence relation.

func locks(goroutines, times int) func() {
	return func() {
		var mu sched.Mutex
		var x sched.Var[int]
		var wg sched.WaitGroup
		wg.Add(goroutines)
		for range goroutines {
			sched.Go(func() {
				defer wg.Done()
				for range times {
					mu.Lock()
					x.Store(x.Load() + 1)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if x.Load() != goroutines*times {
			panic("lost update")
		}
	}
}

func pipeline(stages, messages, size int) func() {
	return func() {
		in := sched.NewChan[int](size)
		first := in
		for range stages {
			out := sched.NewChan[int](size)
			from := in
			sched.Go(func() {
				defer out.Close()
				for v := range from.All() {
					out.Send(v + 1)
				}
			})
			in = out
		}
		sched.Go(func() {
			defer first.Close()
			for i := range messages {
				first.Send(i)
			}
		})
		n := 0
		for v := range in.All() {
			if v != n+stages {
				panic("wrong value")
			}
			n++
		}
		if n != messages {
			panic("lost messages")
		}
	}
}

func fanIn(producers, messages, size int) func() {
	return func() {
		c := sched.NewChan[int](size)
		for p := range producers {
			sched.Go(func() {
				for range messages {
					c.Send(p)
				}
			})
		}
		for range producers * messages {
			c.Recv()
		}
	}
}

func meet(sides, times, size int) func() {
	return func() {
		c := sched.NewChan[int](size)
		var wg sched.WaitGroup
		for range sides {
			wg.Go(func() {
				for i := range times {
					c.Send(i)
				}
			})
			wg.Go(func() {
				for range times {
					c.Recv()
				}
			})
		}
		wg.Wait()
	}
}

func waitGroup(goroutines int, addFirst bool) func() {
	return func() {
		var wg sched.WaitGroup
		if addFirst {
			wg.Add(goroutines)
		}
		for range goroutines {
			if !addFirst {
				wg.Add(1)
			}
			sched.Go(func() {
				var own sched.Int64
				own.Add(1)
				wg.Done()
			})
		}
		wg.Wait()
	}
}

func readers(readers, writers int) func() {
	return func() {
		var rw sched.RWMutex
		var x sched.Var[int]
		var wg sched.WaitGroup
		for range writers {
			wg.Go(func() { rw.Lock(); x.Store(1); rw.Unlock() })
		}
		for range readers {
			wg.Go(func() { rw.RLock(); x.Load(); rw.RUnlock() })
		}
		wg.Wait()
	}
}

// polls has goroutines that ask once whether a context is cancelled.
func polls(n int, cancelled bool) func() {
	return func() {
		ctx, cancel := sched.WithCancel(sched.Background())
		for range n {
			sched.Go(func() { sched.Select(sched.RecvCase(ctx.Done(), nil, nil), sched.Default) })
		}
		if cancelled {
			cancel()
		}
	}
}

// tries has goroutines that try to send on a channel which is full.
func tries(n int, looked bool) func() {
	return func() {
		c := sched.NewChan[int](1)
		c.Send(1)
		if looked {
			c.Len()
		}
		for range n {
			sched.Go(func() {
				if sched.Select(sched.SendCase(c, 2), sched.Default) == 0 {
					panic("sent")
				}
				c.Len()
			})
		}
	}
}

// contextFan has waiters that wait for one context, and a tree under it.
func contextFan(waiters int, withSelect bool) func() {
	return func() {
		ctx, cancel := sched.WithCancel(sched.Background())
		var wg sched.WaitGroup
		for range waiters {
			wg.Go(func() {
				child, stop := sched.WithCancel(ctx)
				defer stop()
				if withSelect {
					sched.Select(sched.RecvCase(child.Done(), nil, nil))
				} else {
					child.Done().Recv()
				}
				if child.Err() == nil {
					panic("not cancelled")
				}
			})
		}
		wg.Go(cancel)
		wg.Wait()
	}
}

func keys(goroutines int) func() {
	return func() {
		var m sched.Map
		var wg sched.WaitGroup
		for i := range goroutines {
			wg.Go(func() { m.Store(i, i); m.Load(i); m.CompareAndSwap(i, i, i+1); m.Delete(-1) })
		}
		wg.Wait()
	}
}

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

func TestTraceCounts(t *testing.T) {
	if effort.Race {
		t.Skip("performs all interleavings")
	}
	tests := []struct {
		name string
		want int
		f    func()
	}{
		{"locks(2,3)", 20, locks(2, 3)},
		{"locks(3,2)", 90, locks(3, 2)},
		{"pipeline(2,3) unbuffered", 1, pipeline(2, 3, 0)},
		{"pipeline(2,3) of 1", 1, pipeline(2, 3, 1)},
		{"pipeline(3,3) of 2", 1, pipeline(3, 3, 2)},
		{"fan-in(2,3) unbuffered", 20, fanIn(2, 3, 0)},
		{"fan-in(2,3) of 2", 20, fanIn(2, 3, 2)},
		{"fan-in(3,2) unbuffered", 90, fanIn(3, 2, 0)},
		{"meet(2,2,2) unbuffered", 36, meet(2, 2, 0)},
		{"meet(2,2,2) of 1", 36, meet(2, 2, 1)},
		{"meet(2,2,2) of 3", 36, meet(2, 2, 3)},
		{"waitgroup(4) Add(4)", 1, waitGroup(4, true)},
		{"waitgroup(4) Add(1)", 1, waitGroup(4, false)},
		{"readers(4)", 1, readers(4, 0)},
		{"readers(3) and a writer", 8, readers(3, 1)},
		{"readers(4) and a writer", 16, readers(4, 1)},
		{"keys(4)", 1, keys(4)},
		// A child is derived before or after the cancelling; if before, its
		// select comes before or after it as well. A plain receive commutes.
		{"context(3)", 8, contextFan(3, false)},
		{"context(3) select", 27, contextFan(3, true)},
		// Looking at a context does not depend on others that look.
		// Looking at a channel does not, but for the first look.
		{"tries(4)", 1, tries(4, true)},
		{"tries(4) first", 4, tries(4, false)},
		{"polls(3)", 1, polls(3, false)},
		{"polls(3) and a cancel", 8, polls(3, true)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { closures.WantTraces(t, test.name, test.want, test.f) })
	}
}

func TestTracesABBA(t *testing.T) {
	found := closures.Traces(t, exec.Options{}, func() {
		var a, b sched.Mutex
		var wg sched.WaitGroup
		wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
		wg.Wait()
	})
	if found.Traces != 3 || found.Failing != 1 {
		t.Errorf("%d traces, %d failing, want 3 and 1", found.Traces, found.Failing)
	}
	if _, ok := found.Failures[trace.FailDeadlock]; !ok {
		t.Errorf("no deadlock: %v", found.Failures)
	}
}

func TestTracesSelectTwo(t *testing.T) {
	found := closures.Outcomes(t, exec.Options{AllowLeaks: true}, func() string {
		a, b := sched.NewChan[int](0), sched.NewChan[int](0)
		sched.Go(func() { a.Send(1) })
		sched.Go(func() { b.Send(1) })
		return fmt.Sprint(sched.Select(sched.RecvCase(a, nil, nil), sched.RecvCase(b, nil, nil)))
	})
	if found.Traces != 6 || found.List() != "0 | 1" {
		t.Errorf("%d traces with outcomes %s, want 6 with 0 | 1", found.Traces, found.List())
	}
}

func TestTracesTimers(t *testing.T) {
	// Timers that end at one moment are seen in any order; others are not.
	same := func() {
		var mu sched.Mutex
		var wg sched.WaitGroup
		for range 3 {
			wg.Go(func() { sched.Sleep(time.Second); mu.Lock(); mu.Unlock() })
		}
		wg.Wait()
	}
	closures.WantTraces(t, "equal sleeps", factorial(3), same)
	closures.WantTraces(t, "different sleeps", 1, func() {
		var mu sched.Mutex
		var wg sched.WaitGroup
		for i := range 3 {
			wg.Go(func() { sched.Sleep(time.Duration(i+1) * time.Second); mu.Lock(); mu.Unlock() })
		}
		wg.Wait()
	})
	closures.WantTraces(t, "timeouts", 1, func() {
		ctx, cancel := sched.WithTimeout(sched.Background(), time.Second)
		defer cancel()
		for range 3 {
			sched.Go(func() { ctx.Done().Recv() })
		}
		ctx.Done().Recv()
		sched.Sleep(1)
	})
}
