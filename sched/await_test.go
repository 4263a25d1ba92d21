package sched_test

import (
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// await polls until done says so.
func await(done func() bool) {
	for {
		sched.Loop()
		if done() {
			return
		}
	}
}

// awaiting are loops that await something, which may be there or not.
var awaiting = map[string]func() string{
	"flag": func() string {
		var flag sched.Int64
		a, b := sched.Go(func() { await(func() bool { return flag.Load() > 0 }) }), sched.Go(func() { await(func() bool { return flag.Load() == 1 }) })
		flag.Add(1)
		flag.Add(1)
		a.Join()
		b.Join()
		return ""
	},
	"two flags": func() string {
		var x, y sched.Int64
		a := sched.Go(func() { await(func() bool { return x.Load() == 1 && y.Load() == 1 }) })
		sched.Go(func() { x.Store(1) })
		y.Store(1)
		a.Join()
		return ""
	},
	"lock": func() string {
		var mu sched.Mutex
		ready := false
		a := sched.Go(func() {
			await(func() bool { mu.Lock(); defer mu.Unlock(); return ready })
		})
		failed := !mu.TryLock()
		if failed {
			mu.Lock()
		}
		ready = true
		mu.Unlock()
		a.Join()
		if failed {
			return "failed"
		}
		return ""
	},
	"lock for reading": func() string {
		var mu sched.RWMutex
		ready := false
		read := func() bool { mu.RLock(); defer mu.RUnlock(); return ready }
		a, b := sched.Go(func() { await(read) }), sched.Go(func() { await(read) })
		mu.Lock()
		ready = true
		mu.Unlock()
		a.Join()
		b.Join()
		return ""
	},
	"lock that is tried": func() string {
		var mu sched.Mutex
		take := func() { await(mu.TryLock); mu.Unlock() }
		a := sched.Go(take)
		take()
		a.Join()
		return ""
	},
	"channel": func() string {
		stop, other := sched.NewChan[int](0), sched.NewChan[int](1)
		a := sched.Go(func() {
			await(func() bool {
				return sched.Select(sched.RecvCase(stop, nil, nil), sched.RecvCase(other, nil, nil), sched.Default) < 1
			})
		})
		other.Send(1)
		stop.Close()
		a.Join()
		return ""
	},
	"gosched": func() string {
		var flag sched.Bool
		a := sched.Go(func() { await(func() bool { sched.Gosched(); return flag.Load() }) })
		flag.Store(true)
		a.Join()
		return ""
	},
	"sleeper": func() string {
		var flag sched.Bool
		sched.Go(func() { sched.Sleep(time.Hour); flag.Store(true) })
		await(flag.Load)
		return ""
	},
	"each other": func() string {
		var a, b sched.Bool
		sched.Go(func() { await(a.Load); b.Store(true) })
		await(b.Load)
		a.Store(true)
		return ""
	},
}

// TestAwaitIsExact: that somebody awaits something makes no difference to what events depend on
// each other.
func TestAwaitIsExact(t *testing.T) {
	for name, f := range awaiting {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder} {
			o := sched.Options{Awaits: true, Time: mode, MaxSteps: 500}
			exact(t, o, f)
			c := sched.New(func() { f() }, o)
			if _, err := (por.DFS{}).Explore(trace.CheckLaws(c), func(*trace.Execution) bool { return true }); err != nil {
				t.Errorf("%s, mode %d: %v", name, mode, err)
			}
			c.Shutdown()
		}
	}
}
