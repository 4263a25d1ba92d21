package sched_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

type raceTest struct {
	name string
	f    func(sync bool)
}

// raceTests are programs in which one goroutine hands x over to another. With
// sync set they use a primitive for that, without it they leave out what makes
// the difference, and so race.
var raceTests = []raceTest{
	{"mutex", func(sync bool) {
		var mu sched.Mutex
		var x sched.Var[int]
		write := func() {
			if sync {
				mu.Lock()
				defer mu.Unlock()
			}
			x.Store(1)
		}
		sched.Go(write)
		write()
	}},
	{"trylock", func(sync bool) {
		var mu sched.Mutex
		var x sched.Var[int]
		sched.Go(func() { mu.Lock(); x.Store(1); mu.Unlock() })
		if mu.TryLock() != sync { // a failed try is no synchronisation
			return
		}
		x.Store(2)
		if sync {
			mu.Unlock()
		}
	}},
	{"rwmutex writer and reader", func(sync bool) {
		var rw sched.RWMutex
		var x sched.Var[int]
		sched.Go(func() {
			if sync {
				rw.Lock()
				defer rw.Unlock()
			} else {
				rw.RLock()
				defer rw.RUnlock()
			}
			x.Store(1)
		})
		rw.RLock()
		x.Load()
		rw.RUnlock()
	}},
	{"rwmutex reader then writer", func(sync bool) {
		var rw sched.RWMutex
		var x sched.Var[int]
		sched.Go(func() {
			rw.RLock()
			if sync {
				x.Load()
			}
			rw.RUnlock()
			if !sync {
				x.Load()
			}
		})
		rw.Lock()
		x.Store(1)
		rw.Unlock()
	}},
	{"unbuffered send", func(sync bool) {
		c := sched.NewChan[int](0)
		var x sched.Var[int]
		sched.Go(func() {
			if sync {
				x.Store(1)
			}
			c.Send(1)
			if !sync {
				x.Store(1)
			}
		})
		c.Recv()
		x.Load()
	}},
	{"unbuffered receive", func(sync bool) {
		c := sched.NewChan[int](0)
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); c.Recv() })
		if sync {
			c.Send(1)
			x.Load()
		} else {
			x.Load()
			c.Send(1)
		}
	}},
	{"room in a buffer", func(sync bool) {
		n := 1
		if !sync {
			n = 2
		}
		c := sched.NewChan[int](n)
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); c.Recv(); c.Recv() })
		c.Send(1)
		c.Send(1) // has to wait for the first receive, or not
		x.Load()
	}},
	{"close", func(sync bool) {
		c := sched.NewChan[int](1)
		var x sched.Var[int]
		sched.Go(func() {
			if sync {
				x.Store(1)
			}
			c.Close()
			if !sync {
				x.Store(1)
			}
		})
		c.Recv()
		x.Load()
	}},
	{"select", func(sync bool) {
		c, d := sched.NewChan[int](0), sched.NewChan[int](0)
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); sched.Select(sched.SendCase(c, 1), sched.RecvCase(d, nil, nil)) })
		if sched.Select(sched.RecvCase(c, nil, nil), sched.SendCase(d, 1)) == 0 || sync {
			x.Load()
		}
		if !sync {
			x.Store(2)
			sched.Go(func() { x.Store(3) })
			x.Load()
		}
	}},
	{"select default", func(sync bool) {
		c := sched.NewChan[int](1)
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); c.Send(1) })
		if sched.Select(sched.RecvCase(c, nil, nil), sched.Default) == 0 || !sync {
			x.Load()
		}
	}},
	{"len", func(sync bool) {
		c := sched.NewChan[int](1)
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); c.Send(1) })
		if c.Len() == 1 && !sync { // len is no synchronisation
			x.Load()
		}
	}},
	{"waitgroup", func(sync bool) {
		var wg sched.WaitGroup
		var x sched.Var[int]
		wg.Add(1)
		sched.Go(func() {
			if sync {
				x.Store(1)
			}
			wg.Done()
			if !sync {
				x.Store(1)
			}
		})
		wg.Wait()
		x.Load()
	}},
	{"once", func(sync bool) {
		var once sched.Once
		var x sched.Var[int]
		use := func() {
			once.Do(func() {
				if sync {
					x.Store(1)
				}
			})
			if !sync {
				x.Store(1)
			}
			x.Load()
		}
		sched.Go(use)
		use()
	}},
	{"cond", func(sync bool) {
		var mu sched.Mutex
		c := sched.NewCond(&mu)
		var x sched.Var[int]
		ready := false
		sched.Go(func() {
			x.Store(1)
			if sync {
				mu.Lock()
				ready = true
				mu.Unlock()
			}
			c.Broadcast()
		})
		mu.Lock()
		for sync && !ready {
			c.Wait()
		}
		mu.Unlock()
		x.Load()
	}},
	{"join", func(sync bool) {
		var x sched.Var[int]
		h := sched.Go(func() { x.Store(1) })
		if sync {
			h.Join()
		}
		x.Load()
	}},
	{"go statement", func(sync bool) {
		var x sched.Var[int]
		if sync {
			x.Store(1)
		}
		sched.Go(func() { x.Load() })
		if !sync {
			x.Store(1)
		}
	}},
	{"atomic store", func(sync bool) {
		var flag sched.Bool
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); flag.Store(true) })
		if flag.Load() || !sync {
			x.Load()
		}
	}},
	{"atomic add", func(sync bool) {
		var n sched.Int32
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); n.Add(1) })
		if n.Add(1) == 2 || !sync {
			x.Load()
		}
	}},
	{"atomic cas", func(sync bool) {
		var n sched.Uint64
		var x sched.Var[int]
		use := func() {
			if n.CompareAndSwap(0, 1) || !sync {
				x.Store(x.Load() + 1)
				n.Store(0)
			}
		}
		sched.Go(use)
		use()
	}},
	{"overwritten atomic", func(sync bool) {
		// The store that is seen is another goroutine's.
		var n sched.Int32
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); n.Store(1) })
		sched.Go(func() { n.Store(2) })
		if v := n.Load(); v == 1 || v == 2 && !sync {
			x.Load()
		}
	}},
	{"atomic function", func(sync bool) {
		var flag uint32
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); hook.Store(&flag, 1) })
		if hook.Load(&flag) == 1 || !sync {
			x.Load()
		}
	}},
	{"atomic pointer", func(sync bool) {
		var p sched.Pointer[sched.Var[int]]
		x := new(sched.Var[int])
		sched.Go(func() { x.Store(1); p.Store(x) })
		if p.Load() != nil || !sync {
			x.Load()
		}
	}},
	{"atomic value", func(sync bool) {
		var p sched.Value
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); p.Store(1) })
		if p.CompareAndSwap(1, 2) || !sync {
			x.Load()
		}
	}},
	{"map", func(sync bool) {
		var m sched.Map
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); m.Store(1, 1) })
		if _, ok := m.Load(1); ok || !sync {
			x.Load()
		}
	}},
	{"map range", func(sync bool) {
		var m sched.Map
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); m.Store(1, 1) })
		m.Range(func(k, v any) bool { x.Load(); return true })
		if !sync {
			m.Store(2, 2) // another key is no synchronisation
			x.Load()
		}
	}},
	{"map delete", func(sync bool) {
		var m sched.Map
		var x sched.Var[int]
		m.Store(1, 1)
		sched.Go(func() { x.Store(1); m.Delete(1) })
		if _, ok := m.Load(1); ok != sync {
			x.Load()
		}
	}},
	{"pool", func(sync bool) {
		var p sched.Pool
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); p.Put(1) })
		if p.Get() != nil || !sync {
			x.Load()
		}
	}},
	{"context done", func(sync bool) {
		ctx, cancel := sched.WithCancel(sched.Background())
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); cancel() })
		if sync {
			ctx.Done().Recv()
		}
		x.Load()
	}},
	{"context err", func(sync bool) {
		ctx, cancel := sched.WithCancel(sched.Background())
		child, stop := sched.WithCancel(ctx)
		defer stop()
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); cancel() })
		if child.Err() != nil || !sync {
			x.Load()
		}
	}},
	{"context too late", func(sync bool) {
		ctx, cancel := sched.WithCancel(sched.Background())
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); cancel() })
		child, stop := sched.WithTimeout(ctx, time.Second)
		if child.Err() != nil || !sync {
			x.Load()
		}
		stop()
	}},
	{"context afterfunc", func(sync bool) {
		ctx, cancel := sched.WithCancel(sched.Background())
		var x sched.Var[int]
		sched.ContextAfterFunc(ctx, func() { x.Load() })
		if sync {
			x.Store(1)
		}
		cancel()
		if !sync {
			x.Store(1)
		}
	}},
	{"context deadline", func(sync bool) {
		var x sched.Var[int]
		if sync {
			x.Store(1)
		}
		ctx, cancel := sched.WithTimeout(sched.Background(), time.Second)
		defer cancel()
		sched.Go(func() { ctx.Done().Recv(); x.Load() })
		if !sync {
			sched.Go(func() { sched.Sleep(time.Second); x.Store(1) })
		}
		sched.Sleep(2 * time.Second)
	}},
	{"timer afterfunc", func(sync bool) {
		var x sched.Var[int]
		if sync {
			x.Store(1)
		}
		sched.AfterFunc(time.Second, func() { x.Load() })
		if !sync {
			x.Store(1)
		}
		sched.Sleep(2 * time.Second)
	}},
	{"timer channel", func(sync bool) {
		var x sched.Var[int]
		c := sched.NewChan[*sched.Timer](1)
		sched.Go(func() {
			if sync {
				x.Store(1)
			}
			c.Send(sched.NewTimer(time.Second))
			if !sync {
				x.Store(1)
			}
		})
		c.Recv().C.Recv()
		x.Load()
	}},
	{"sleep", func(sync bool) {
		// Time is no synchronisation.
		var x sched.Var[int]
		h := sched.Go(func() { x.Store(1) })
		sched.Sleep(time.Second)
		if sync {
			h.Join()
		}
		x.Load()
	}},
	{"gosched", func(sync bool) {
		var flag sched.Bool
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); flag.Store(true) })
		for i := 0; i < 3 && (i == 0 || sync) && !flag.Load(); i++ {
			sched.Gosched()
		}
		if !sync || flag.Load() {
			x.Load()
		}
	}},
}

func TestDataRaces(t *testing.T) { testRaces(t, raceTests) }

// testRaces explores programs that race exactly if they are not synchronised, and
// fail in no other way.
func testRaces(t *testing.T, tests []raceTest) {
	for _, test := range tests {
		for _, sync := range []bool{true, false} {
			found := closures.Traces(t, exec.Options{AllowLeaks: true}, func() { test.f(sync) })
			fail, raced := found.Failures[trace.FailRace]
			for kind, other := range found.Failures {
				if kind != trace.FailRace {
					t.Errorf("%s: %v\n%s", test.name, other, other.Details())
				}
			}
			if raced == sync {
				t.Errorf("%s, synchronised %v: %v", test.name, sync, fail)
			}
		}
	}
}

func TestRaceText(t *testing.T) {
	fail := firstFailure(t, trace.FailRace, exec.Options{Record: true}, func() {
		var x sched.Var[int]
		sched.Go(func() { x.Store(1) })
		x.Load()
	})
	text := fail.Msg + "\n" + fail.Details()
	for _, want := range []string{"read of", "by main", "races with write by g1", "race_test.go:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	if strings.Count(text, "race_test.go:") != 2 {
		t.Errorf("not both positions:\n%s", text)
	}
}

func TestRaceModes(t *testing.T) {
	program := func() string {
		var x sched.Var[int]
		h := sched.Go(func() { x.Store(x.Load() + 1) })
		x.Store(x.Load() + 1)
		h.Join()
		if x.Load() == 2 {
			return "2"
		}
		return "1"
	}
	if found := closures.Exact(t, exec.Options{Races: sched.RaceExplore}, program); found.List() != "1 | 2" || found.Traces != 4 {
		t.Errorf("explore: %d traces, %s", found.Traces, found.List())
	}
	if found := closures.Exact(t, exec.Options{Races: sched.RaceIgnore}, program); len(found.Failures) != 0 {
		t.Errorf("ignore: %v", found.Failures)
	}
}
