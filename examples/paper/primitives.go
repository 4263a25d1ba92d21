package paper

import (
	"fmt"

	"github.com/gopor/gopor/sched"
)

// This file holds small programs on Go's own primitives. How many traces they
// have follows from the dependence relation of package sched.

// Locks has t goroutines that k times lock a mutex, increment, and unlock it.
// A trace is an order of acquisitions: (t·k)! / (k!)^t.
func Locks(t, k int) func() {
	return func() {
		var (
			mu sched.Mutex
			x  sched.Var[int]
		)
		join(spawn(t, func(int) {
			for range k {
				mu.Lock()
				x.Store(x.Load() + 1)
				mu.Unlock()
			}
		}))
		if got := x.Load(); got != t*k {
			panic(fmt.Sprintf("%d increments came to %d", t*k, got))
		}
	}
}

// ABBA has two goroutines that take two mutexes in opposite orders. In one of
// its three traces each has one and waits for the other.
func ABBA() func() {
	return func() {
		var a, b sched.Mutex
		both := func(first, second *sched.Mutex) sched.Handle {
			return sched.Go(func() {
				first.Lock()
				second.Lock()
				second.Unlock()
				first.Unlock()
			})
		}
		h, i := both(&a, &b), both(&b, &a)
		h.Join()
		i.Join()
	}
}

// Pipeline sends n messages through s goroutines, each of which ranges over
// what the one before sends, and closes its own channel at the end. There is one
// sender and one receiver to a channel, so there is one trace.
func Pipeline(s, n int) func() {
	return func() {
		c := sched.NewChan[int](0)
		first := c
		sched.Go(func() {
			for i := range n {
				first.Send(i)
			}
			first.Close()
		})
		for range s {
			in, out := c, sched.NewChan[int](0)
			sched.Go(func() {
				for v := range in.All() {
					out.Send(v + 1)
				}
				out.Close()
			})
			c = out
		}
		want := s
		for v := range c.All() {
			if v != want {
				panic(fmt.Sprintf("got %d, not %d", v, want))
			}
			want++
		}
		if want != s+n {
			panic(fmt.Sprintf("%d of %d messages came through", want-s, n))
		}
	}
}

// FanIn has p goroutines that send n messages each into one channel, and one
// that receives them. A trace is an order of sends: (p·n)! / (n!)^p.
func FanIn(p, n int) func() {
	return func() {
		c := sched.NewChan[int](0)
		for i := range p {
			sched.Go(func() {
				for range n {
					c.Send(i)
				}
			})
		}
		got := make([]int, p)
		for range p * n {
			got[c.Recv()]++
		}
		for i, k := range got {
			if k != n {
				panic(fmt.Sprintf("%d of %d messages of sender %d have come", k, n, i))
			}
		}
	}
}

// Meet has p producers and p consumers that send or receive n times each on one
// channel. Sends are in an order, and so are receives: ((p·n)! / (n!)^p)².
func Meet(p, n int) func() {
	return func() {
		c := sched.NewChan[int](0)
		for i := range p {
			sched.Go(func() {
				for range n {
					c.Send(i)
				}
			})
			sched.Go(func() {
				for range n {
					c.Recv()
				}
			})
		}
	}
}

// WaitGroup has t goroutines that write a variable of their own, and main, which
// waits for them all. There is one trace.
func WaitGroup(t int) func() {
	return func() {
		var wg sched.WaitGroup
		x := make([]sched.Var[int], t)
		wg.Add(t)
		for i := range t {
			sched.Go(func() {
				x[i].Store(i)
				wg.Done()
			})
		}
		wg.Wait()
		for i := range x {
			if got := x[i].Load(); got != i {
				panic(fmt.Sprintf("goroutine %d has written %d", i, got))
			}
		}
	}
}

// Readers has r goroutines that read a variable under a read lock, and w that
// write it under the write lock.
//
// Without a writer there is one trace: readers commute. With one writer there
// are 2^r: each reader asks for its lock before or after the writer asks for
// its, and as readers commute, these r answers say all; each combination occurs,
// since a request can always be made. In general the writers are in one of w!
// orders, and each reader is in one of the w+1 gaps: w! · (w+1)^r.
func Readers(r, w int) func() {
	return func() {
		var (
			mu sched.RWMutex
			x  sched.Var[int]
		)
		for range r {
			sched.Go(func() {
				mu.RLock()
				x.Load()
				mu.RUnlock()
			})
		}
		for range w {
			sched.Go(func() {
				mu.Lock()
				x.Update(increment)
				mu.Unlock()
			})
		}
	}
}

// SelectTwo has two goroutines that send on a channel of their own, and a third
// that selects over both, once. The other sender waits for ever.
//
// By the rule that a select depends on all uses of its channels there are six
// traces: the select comes first, and one of the sends completes it, before the
// other (2); it comes between the sends, and takes the one that is there (2); it
// comes last, and takes either (2).
func SelectTwo() func() {
	return func() {
		a, b := sched.NewChan[int](0), sched.NewChan[int](0)
		sched.Go(func() { a.Send(1) })
		sched.Go(func() { b.Send(2) })
		sched.Go(func() {
			var v int
			if i := sched.Select(sched.RecvCase(a, &v, nil), sched.RecvCase(b, &v, nil)); v != i+1 {
				panic(fmt.Sprintf("case %d received %d", i, v))
			}
		})
	}
}
