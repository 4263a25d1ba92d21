package paper

import (
	"fmt"
	"math"

	"github.com/gopor/gopor/sched"
)

// This file holds the programs of Nguyen, Rodríguez, Sousa, Coti and Petrucci,
// "Quasi-Optimal Partial Order Reduction" (CAV 2018), most of them under
// mutexes. What a mutex protects is a shared variable all the same.

// SSB is the program of the paper's figure 1, on which sleep sets alone block
// many executions: n writers x_i := 7, a goroutine that increments c n-1 times,
// and a master that reads i := c, then does x_i := 0.
func SSB(n int) func() {
	return func() {
		var c sched.Var[int]
		x := make([]sched.Var[int], n)
		for i := range n {
			sched.Go(func() { x[i].Store(7) })
		}
		sched.Go(func() {
			for range n - 1 {
				c.Update(increment)
			}
		})
		sched.Go(func() {
			i := c.Load()
			x[i].Store(0)
		})
	}
}

// SSBSteps is SSB with a goroutine for every step of the counter and the master,
// each started by the one before. An engine that lets a goroutine go on as long as it
// can is then kept from running these two to their ends before the writers, which
// would spare it most of the executions that the program is there to show.
func SSBSteps(n int) func() {
	return func() {
		var (
			c     sched.Var[int]
			x     = make([]sched.Var[int], n)
			count func(k int)
		)
		count = func(k int) {
			if k > 0 {
				c.Update(increment)
				sched.Go(func() { count(k - 1) })
			}
		}
		for i := range n {
			sched.Go(func() { x[i].Store(7) })
		}
		sched.Go(func() { count(n - 1) })
		sched.Go(func() {
			i := c.Load()
			sched.Go(func() { x[i].Store(0) })
		})
	}
}

// SSBLocks is SSB in terms of locks: k writers that lock and unlock a mutex
// each, a counter that stores 1 to k-1 under a mutex of its own, and main, which
// reads the counter and then locks and unlocks the mutex of that number.
func SSBLocks(k int) func() {
	return func() {
		var (
			ma = make([]sched.Mutex, k)
			mi sched.Mutex
			i  sched.Var[int]
		)
		hs := spawn(k, func(x int) {
			ma[x].Lock()
			ma[x].Unlock()
		})
		counter := sched.Go(func() {
			for x := 1; x < k; x++ {
				mi.Lock()
				i.Store(x)
				mi.Unlock()
			}
		})
		mi.Lock()
		idx := i.Load()
		mi.Unlock()
		ma[idx].Lock()
		ma[idx].Unlock()
		counter.Join()
		join(hs)
	}
}

// Disp is a job dispatcher with s servers and r requests, which come one after
// the other. A picker goes round the servers while main sends the request to
// whichever server was picked last.
func Disp(s, r int) func() {
	return func() {
		var (
			srv = make([]sched.Mutex, s)
			in  = make([]sched.Var[int], s)
			out = make([]sched.Var[int], s)
			k   sched.Mutex
			sid sched.Var[int]
		)
		servers := spawn(s, func(i int) {
			srv[i].Lock()
			if n := in[i].Load(); n > 0 {
				out[i].Store(n)
			}
			srv[i].Unlock()
		})
		for range r {
			picker := sched.Go(func() {
				for x := range s {
					k.Lock()
					sid.Store(x)
					k.Unlock()
				}
			})
			k.Lock()
			idx := sid.Load()
			k.Unlock()
			srv[idx].Lock()
			in[idx].Update(increment)
			srv[idx].Unlock()
			picker.Join()
		}
		join(servers)
		checkDispatched(in, out, r)
	}
}

// checkDispatched asserts that all requests have come in, and that no server
// has served more than came to it.
func checkDispatched(in, out []sched.Var[int], r int) {
	sum := 0
	for i := range in {
		came := in[i].Load()
		if served := out[i].Load(); served > came {
			panic(fmt.Sprintf("server %d served %d of %d requests", i, served, came))
		}
		sum += came
	}
	if sum != r {
		panic(fmt.Sprintf("%d of %d requests have come in", sum, r))
	}
}

// MPAT has k mutexes and another one, and two goroutines for each of the k: one
// that locks and unlocks it, and one that does so while it holds the other.
func MPAT(k int) func() {
	return func() {
		var (
			ma = make([]sched.Mutex, k)
			mi sched.Mutex
		)
		for i := range k {
			sched.Go(func() {
				ma[i].Lock()
				ma[i].Unlock()
			})
			sched.Go(func() {
				mi.Lock()
				ma[i].Lock()
				ma[i].Unlock()
				mi.Unlock()
			})
		}
	}
}

// MPC is p producers and w workers. A producer twice puts its number at the end
// of a buffer that tells in which order the producers came. Then it gives one
// piece of work to the worker that the buffer stood for after its last write. A
// worker looks for work twice.
func MPC(p, w int) func() {
	return func() {
		var (
			mut      = make([]sched.Mutex, w)
			workreq  = make([]sched.Var[int], w)
			workdone = make([]sched.Var[int], w)
			pm       sched.Mutex
			buf      sched.Var[int]
		)
		workers := spawn(w, func(i int) {
			for range 2 {
				have := false
				mut[i].Lock()
				if n := workreq[i].Load(); n > 0 {
					workreq[i].Store(n - 1)
					have = true
				}
				mut[i].Unlock()
				if have {
					workdone[i].Update(increment)
				}
			}
		})
		producers := spawn(p, func(j int) {
			tmp := 0
			for range 2 {
				pm.Lock()
				tmp = buf.Load()*p + j
				buf.Store(tmp)
				pm.Unlock()
			}
			d := tmp % w
			mut[d].Lock()
			workreq[d].Update(increment)
			mut[d].Unlock()
		})
		join(workers)
		join(producers)
		sum := 0
		for i := range w {
			sum += workreq[i].Load() + workdone[i].Load()
		}
		if sum != p {
			panic(fmt.Sprintf("%d pieces of work, %d are accounted for", p, sum))
		}
	}
}

// piTerms is the number of terms of the series that Pi sums.
const piTerms = 64

// Pi computes the number from a series: t goroutines sum a share of it each and
// add that to the sum under a mutex.
func Pi(t int) func() {
	return func() {
		var (
			mu  sched.Mutex
			sum sched.Var[float64]
		)
		join(spawn(t, func(i int) {
			share := 0.0
			for k := i; k < piTerms; k += t {
				share += 4 / float64(2*k+1) * float64(1-k%2*2)
			}
			mu.Lock()
			sum.Store(sum.Load() + share)
			mu.Unlock()
		}))
		if got := sum.Load(); math.Abs(got-math.Pi) > 1.0/piTerms {
			panic(fmt.Sprintf("pi is not %v", got))
		}
	}
}

// Pol has n goroutines that set a flag each. In each of k rounds a chooser
// counts i up while a reader takes the flag that i tells, if it is set. Flags
// that were taken and flags that are left add up to n.
func Pol(n, k int) func() {
	return func() {
		var (
			ma   = make([]sched.Mutex, n)
			a    = make([]sched.Var[int], n)
			mi   sched.Mutex
			i, d sched.Var[int]
		)
		writers := spawn(n, func(x int) {
			ma[x].Lock()
			a[x].Store(1)
			ma[x].Unlock()
		})
		for range k {
			chooser := sched.Go(func() {
				for x := 1; x < n; x++ {
					mi.Lock()
					i.Store(x)
					mi.Unlock()
				}
			})
			reader := sched.Go(func() {
				mi.Lock()
				idx := i.Load()
				mi.Unlock()
				ma[idx].Lock()
				if a[idx].Load() == 1 {
					d.Update(increment)
					a[idx].Store(0)
				}
				ma[idx].Unlock()
			})
			chooser.Join()
			reader.Join()
		}
		taken := d.Load()
		if taken < 0 || taken > n {
			panic(fmt.Sprintf("%d of %d flags were taken", taken, n))
		}
		join(writers)
		for x := range n {
			taken += a[x].Load()
		}
		if taken != n {
			panic(fmt.Sprintf("%d flags were set, %d are accounted for", n, taken))
		}
	}
}

// spawn starts n goroutines.
func spawn(n int, body func(i int)) []sched.Handle {
	hs := make([]sched.Handle, n)
	for i := range hs {
		hs[i] = sched.Go(func() { body(i) })
	}
	return hs
}

// join waits for the end of them all.
func join(hs []sched.Handle) {
	for _, h := range hs {
		h.Join()
	}
}
