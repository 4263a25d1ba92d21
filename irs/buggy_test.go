package irs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gopor/gopor/examples/boundedbuffer"
	"github.com/gopor/gopor/examples/deadlock"
	"github.com/gopor/gopor/examples/lostupdate"
	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
)

// buggy are programs that fail under some schedules and not under others: those of the
// examples, and the patterns of known bugs. The names of kernels are those of GoBench (Yuan
// et al. 2021), whose bugs are put here in terms of package sched.
var buggy = []struct {
	name string
	f    func()
}{
	{"three events", threeEvents},
	{"lost update", func() {
		var c lostupdate.Torn
		both(c.Inc, c.Inc)
		assert(c.Value() == 2)
	}},
	{"lost update in plain memory", func() {
		var c lostupdate.Racy
		both(c.Inc, c.Inc)
		assert(c.Value() == 2)
	}},
	{"transfers in both directions", func() {
		a, b := deadlock.NewAccount(1, 10), deadlock.NewAccount(2, 10)
		both(func() { deadlock.Transfer(a, b, 1) }, func() { deadlock.Transfer(b, a, 2) })
		assert(deadlock.Total(a, b) == 20)
	}},
	{"buffer with one condition", func() {
		b := boundedbuffer.NewOneCond(1)
		h := sched.Go(func() { b.Put(1); b.Put(2) })
		i := sched.Go(func() { b.Get() })
		b.Get()
		h.Join()
		i.Join()
	}},
	{"abba", paper.ABBA()},
	{"philosophers", func() {
		forks := make([]sched.Mutex, 3)
		var wg sched.WaitGroup
		for i := range forks {
			wg.Go(func() {
				forks[i].Lock()
				forks[(i+1)%3].Lock()
				forks[(i+1)%3].Unlock()
				forks[i].Unlock()
			})
		}
		wg.Wait()
	}},
	{"read lock taken twice (cockroach10214, etcd6708)", func() {
		var rw sched.RWMutex
		both(func() {
			rw.RLock()
			rw.RLock()
			rw.RUnlock()
			rw.RUnlock()
		}, func() {
			rw.Lock()
			rw.Unlock()
		})
	}},
	{"send under a lock that the receiver takes (kubernetes10182)", func() {
		var mu sched.Mutex
		c := sched.NewChan[int](0)
		sched.Go(func() {
			c.Recv()
			mu.Lock()
			mu.Unlock()
			c.Recv()
		})
		send := func() {
			mu.Lock()
			c.Send(1)
			mu.Unlock()
		}
		both(send, send)
	}},
	{"send on a closed channel (grpc1687)", func() {
		c := sched.NewChan[int](2)
		both(func() { c.Send(1) }, func() { c.Close() })
	}},
	{"closed twice (etcd5509, docker24007)", func() {
		var closed sched.Bool
		c := sched.NewChan[int](0)
		stop := func() {
			if !closed.Load() {
				closed.Store(true)
				c.Close()
			}
		}
		both(stop, stop)
	}},
	{"signal before the wait (moby30408)", func() {
		var mu sched.Mutex
		cond := sched.NewCond(&mu)
		both(func() {
			mu.Lock()
			cond.Wait()
			mu.Unlock()
		}, func() {
			mu.Lock()
			cond.Signal()
			mu.Unlock()
		})
	}},
	{"condition looked at once", func() {
		var mu sched.Mutex
		cond := sched.NewCond(&mu)
		n := 0
		take := func() {
			mu.Lock()
			if n == 0 {
				cond.Wait()
			}
			n--
			assert(n >= 0)
			mu.Unlock()
		}
		put := func() {
			mu.Lock()
			n++
			cond.Broadcast()
			mu.Unlock()
		}
		h := sched.Go(put)
		i := sched.Go(func() { take(); put() })
		take()
		h.Join()
		i.Join()
	}},
	{"Add in the goroutine (cockroach1055)", func() {
		var wg sched.WaitGroup
		var n sched.Int32
		sched.Go(func() {
			wg.Add(1)
			n.Store(1)
			wg.Done()
		})
		wg.Wait()
		assert(n.Load() == 1)
	}},
	{"made twice (a singleton that is looked at first)", func() {
		var p sched.Pointer[int]
		var made sched.Int32
		get := func() {
			if p.Load() == nil {
				made.Add(1)
				p.Store(new(int))
			}
		}
		both(get, get)
		assert(made.Load() == 1)
	}},
	{"used before it is made (istio8967)", func() {
		var p sched.Pointer[int]
		both(func() { p.Store(new(int)) }, func() { assert(p.Load() != nil) })
	}},
	{"set to nil after it was looked at (serving4908)", func() {
		var p sched.Pointer[int]
		p.Store(new(int))
		both(func() {
			if p.Load() != nil {
				_ = *p.Load()
			}
		}, func() { p.Store(nil) })
	}},
	{"two steps of a balance", func() {
		var mu sched.Mutex
		balance := 10
		withdraw := func() {
			mu.Lock()
			enough := balance >= 7
			mu.Unlock()
			if enough {
				mu.Lock()
				balance -= 7
				mu.Unlock()
			}
		}
		both(withdraw, withdraw)
		assert(balance >= 0)
	}},
	{"two flags that are set too late", func() {
		var a, b, in sched.Int32
		try := func(mine, other *sched.Int32) func() {
			return func() {
				if other.Load() == 0 {
					mine.Store(1)
					assert(in.Add(1) == 1)
					in.Add(-1)
					mine.Store(0)
				}
			}
		}
		both(try(&a, &b), try(&b, &a))
	}},
	{"results of whom nobody waits for (kubernetes5316)", func() {
		c := sched.NewChan[int](0)
		var done sched.Bool
		sched.Go(func() { c.Send(1) })
		sched.Go(func() { done.Store(true) })
		if !done.Load() {
			c.Recv()
		}
	}},
	{"try lock that gives up", func() {
		var mu sched.Mutex
		n := 0
		inc := func() {
			if mu.TryLock() {
				n++
				mu.Unlock()
			}
		}
		both(inc, inc)
		assert(n == 2)
	}},
}

// both runs two functions at the same time.
func both(f, g func()) {
	h := sched.Go(f)
	i := sched.Go(g)
	h.Join()
	i.Join()
}

func assert(ok bool) {
	if !ok {
		panic("the assertion fails")
	}
}

// disturbed returns a prefix under which goroutines are slow at times.
func disturbed(p *Prefix) *Prefix {
	q := *p
	q.disturb = true
	return &q
}

// TestBuggyPrograms executes programs that have a bug, with enforcement: no execution fails.
// How often one does without depends on the machine.
func TestBuggyPrograms(t *testing.T) {
	runs := 300
	if effort.Full() {
		runs = 100_000
	}
	for _, b := range buggy {
		t.Run(b.name, func(t *testing.T) {
			p, r := admissible(t, b.f, explored)
			if r.Failure == nil {
				t.Fatal("no failure was found: the program has no bug")
			}
			if err := judge(closure(t, b.f, explored.Sched), p); err != nil {
				t.Fatal(err)
			}
			p = disturbed(p)
			for range runs {
				if err := Run(p, b.f); err != nil {
					t.Fatalf("%v, under %v %v", err, p, p.Constraints)
				}
			}
			failed := 0
			for range runs {
				err := Run(disturbed(p.Unconstrained()), b.f)
				if errors.As(err, new(*ExecutionError)) {
					failed++
				} else if err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d constraints, %d of %d events, %d traces: 0 of %d executions fail, and %d without constraints", len(p.Constraints), len(p.Events), len(r.First), p.Traces, runs, failed)
		})
	}
}

// TestBuggyInParallel executes all of them at the same time.
func TestBuggyInParallel(t *testing.T) {
	ctx := context.Background()
	for _, b := range buggy {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			v, err := Begin(ctx, b.f, explored)
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				if err := v.Run(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := v.Wait(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestParked executes them with goroutines that are parked wherever they have to wait.
func TestParked(t *testing.T) {
	defer func(s int, p time.Duration) { spins, patient = s, p }(spins, patient)
	spins, patient = 0, 0
	runs, parks := 500, int64(0)
	if effort.Full() {
		runs = 50_000
	}
	for _, b := range buggy {
		p, _ := admissible(t, b.f, explored)
		for i := range runs {
			q := p
			if i%2 == 0 {
				q = disturbed(p)
			}
			r, err := Execute(t.Context(), q, b.f)
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
			parks += r.Parks
		}
	}
	t.Logf("goroutines were parked %d times in %d executions", parks, runs*len(buggy))
}
