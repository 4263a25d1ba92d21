package por

import (
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
)

// This file has more programs with a bug each, of the kinds that make tests flaky.

// buggySignal wakes up one of two who wait.
func buggySignal() {
	var mu sched.Mutex
	opened := sched.NewCond(&mu)
	open := sched.NewVar(false)
	enter := func() {
		mu.Lock()
		for !open.Load() {
			opened.Wait()
		}
		mu.Unlock()
	}
	g1, g2 := sched.Go(enter), sched.Go(enter)
	mu.Lock()
	open.Store(true)
	opened.Signal()
	mu.Unlock()
	g1.Join()
	g2.Join()
}

// buggyNil sends on a channel that nobody has made.
func buggyNil() {
	var results *sched.Chan[int]
	sched.Go(func() { results.Send(1) })
	sched.NewTimer(time.Second).C.Recv()
}

// buggySleep takes two milliseconds to be enough for whatever has to be done.
func buggySleep(t testing.TB) {
	var ready sched.Bool
	sched.Go(func() { ready.Store(true) })
	sched.Sleep(2 * time.Millisecond)
	if !ready.Load() {
		t.Error("not ready")
	}
}

// buggyTimeout gives up on somebody who goes on to send.
func buggyTimeout() {
	result := sched.NewChan[int](0)
	sched.Go(func() {
		sched.Sleep(90 * time.Millisecond)
		result.Send(1)
	})
	sched.Select(sched.RecvCase(result, nil, nil), sched.RecvCase(sched.NewTimer(100*time.Millisecond).C, nil, nil))
}

// buggyAdd adds to a WaitGroup where it is too late.
func buggyAdd() {
	var wg sched.WaitGroup
	sched.Go(func() {
		wg.Add(1)
		wg.Done()
	})
	wg.Wait()
}

type cache struct {
	mu    sched.Mutex
	value *sched.Var[int]
	made  sched.Int32
}

func (c *cache) get() int {
	c.mu.Lock()
	v := c.value.Load()
	c.mu.Unlock()
	if v == 0 {
		v = int(c.made.Add(1))
		c.mu.Lock()
		c.value.Store(v)
		c.mu.Unlock()
	}
	return v
}

// buggyLazy makes a value twice.
func buggyLazy(t testing.TB) {
	c := &cache{value: sched.NewVar(0)}
	got := 0
	h := sched.Go(func() { got = c.get() })
	mine := c.get()
	if h.Join(); got != mine {
		t.Errorf("values %d and %d", mine, got)
	}
}

// buggyStop closes a channel that it has seen open.
func buggyStop() {
	stop := sched.NewChan[struct{}](0)
	end := func() {
		if sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) == 1 {
			stop.Close()
		}
	}
	h := sched.Go(end)
	end()
	h.Join()
}

// buggyErrors returns with the first of two errors.
func buggyErrors(t testing.TB) {
	errs := sched.NewChan[string](0)
	for _, s := range []string{"first", "second"} {
		sched.Go(func() { errs.Send(s) })
	}
	if err := errs.Recv(); err != "" {
		return
	}
	errs.Recv()
}

// buggyDebounce starts a timer again that may have fired.
func buggyDebounce(t testing.TB) {
	var calls sched.Int32
	call := func() { calls.Add(1) }
	later := sched.AfterFunc(10*time.Millisecond, call)
	sched.Sleep(9 * time.Millisecond)
	later.Stop()
	sched.AfterFunc(10*time.Millisecond, call)
	sched.Sleep(time.Second)
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// buggyCancel does not look at its context where it waits.
func buggyCancel() {
	ctx, cancel := sched.WithCancel(sched.Background())
	jobs := sched.NewChan[int](0)
	sched.Go(func() {
		for ctx.Err() == nil {
			jobs.Recv()
		}
	})
	jobs.Send(1)
	cancel()
}

// buggyOnce has what is done once wait for itself.
func buggyOnce() {
	var once sched.Once
	once.Do(func() {
		once.Do(func() {})
	})
}

// buggyGate opens before everybody is there.
func buggyGate(t testing.TB) {
	var in, most sched.Int32
	gate := sched.NewChan[struct{}](2)
	var wg sched.WaitGroup
	for range 3 {
		wg.Add(1)
		sched.Go(func() {
			defer wg.Done()
			if in.Load() < 2 {
				n := in.Add(1)
				if n > most.Load() {
					most.Store(n)
				}
				gate.Send(struct{}{})
				gate.Recv()
				in.Add(-1)
			}
		})
	}
	wg.Wait()
	if n := most.Load(); n > 2 {
		t.Errorf("%d at once", n)
	}
}

// buggyStall misses a wakeup, beside something that goes on every hour.
func buggyStall() {
	full := sched.NewChan[int](1)
	news := sched.NewChan[struct{}](1)
	var waiting sched.Bool
	purge := sched.NewTicker(time.Hour)
	defer purge.Stop()
	sched.Go(func() {
		for waiting.Load() {
			purge.C.Recv()
		}
	})
	sched.Go(func() {
		full.Send(1)
		if waiting.Load() {
			news.Send(struct{}{})
		}
	})
	if full.Len() == 0 {
		waiting.Store(true)
		news.Recv()
		waiting.Store(false)
	}
}

// buggyInit has a Once wait for a lock whose holder waits for the Once.
func buggyInit() {
	var mu sched.Mutex
	var setup sched.Once
	load := func() {
		mu.Lock()
		mu.Unlock()
	}
	h := sched.Go(func() { setup.Do(load) })
	mu.Lock()
	setup.Do(func() {})
	mu.Unlock()
	h.Join()
}

// buggyReading waits with a read lock, which keeps out a writer.
func buggyReading() {
	var rw sched.RWMutex
	jobs := sched.NewChan[int](0)
	sched.Go(func() {
		rw.RLock()
		defer rw.RUnlock()
		jobs.Send(1)
	})
	rw.Lock()
	rw.Unlock()
	jobs.Recv()
}

// buggyShared writes with a read lock, which others may hold as well.
func buggyShared() {
	var mu sched.RWMutex
	hits := sched.NewVar(0)
	visit := func() {
		mu.RLock()
		count(hits)
		mu.RUnlock()
	}
	h := sched.Go(visit)
	visit()
	h.Join()
}
