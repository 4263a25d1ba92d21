package sched_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
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
	"map": func() string {
		var m sched.Map
		m.Store("a", 0)
		a := sched.Go(func() { await(func() bool { v, _ := m.Load("b"); return v == 2 }) })
		b := sched.Go(func() { await(func() bool { return m.CompareAndSwap("a", 1, 2) }) })
		m.Store("b", 1)
		m.Store("b", 2)
		m.Swap("a", 1)
		a.Join()
		b.Join()
		return ""
	},
	"keys": func() string {
		var m sched.Map
		m.Store("a", 0)
		a := sched.Go(func() {
			await(func() bool {
				n := 0
				m.Range(func(_, v any) bool { n++; return v == 0 })
				return n == 2
			})
		})
		m.Store("b", 0)
		a.Join()
		return ""
	},
	"pool": func() string {
		var p sched.Pool
		a, b := sched.Go(func() { await(func() bool { return p.Get() == 1 }) }), sched.Go(func() { p.Get() })
		p.Put(1)
		p.Put(1)
		a.Join()
		b.Join()
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
			o := exec.Options{Awaits: true, Time: mode, MaxSteps: 500}
			closures.Exact(t, o, f)
			c := exec.New(func() { f() }, o)
			if _, err := (engine.DFS{}).Explore(trace.CheckLaws(c), func(*trace.Execution) bool { return true }); err != nil {
				t.Errorf("%s, mode %d: %v", name, mode, err)
			}
			c.Shutdown()
		}
	}
}

// TestLivelocksRepeat: those who make the same turns for ever are seen to make ten of them when nobody else can go on,
// after the one that each has made before.
func TestLivelocksRepeat(t *testing.T) {
	for n := 1; n <= 2; n++ {
		c := exec.New(func() {
			var flag sched.Bool
			for range n - 1 {
				sched.Go(func() { await(flag.Load) })
			}
			await(flag.Load)
		}, exec.Options{Awaits: true})
		_, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
			looks := make(map[trace.ID]int)
			for _, c := range x.Schedule {
				looks[c.G]++
			}
			delete(looks, machine.ClockChoice.G)
			for g, k := range looks {
				if k != 11 {
					t.Errorf("%d goroutines: %d looks %d times", n, g, k)
				}
			}
			if len(looks) != n {
				t.Errorf("%d goroutines: %v", n, looks)
			}
			return true
		})
		c.Shutdown()
		if err != nil {
			t.Error(err)
		}
	}
}

// TestAwaitKeepsLocks has a loop that takes a lock in every turn: how often shows in the end.
func TestAwaitKeepsLocks(t *testing.T) {
	alone := make(map[bool]bool)
	c := exec.New(func() {
		var mu sched.RWMutex
		var flag sched.Bool
		a := sched.Go(func() {
			await(func() bool { mu.RLock(); return flag.Load() })
			mu.RUnlock()
		})
		flag.Store(true)
		a.Join()
		alone[mu.TryLock()] = true
	}, exec.Options{Awaits: true, MaxSteps: 50})
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil || len(alone) != 2 {
		t.Error(alone, err)
	}
}

// TestAwaitCountsInMemory has a loop that counts its turns in memory, which is announced, though it may have
// been just before the loop.
func TestAwaitCountsInMemory(t *testing.T) {
	for _, before := range []bool{false, true} {
		counts := make(map[int]bool)
		c := exec.New(func() {
			n := new(int)
			var flag sched.Bool
			write := func(v int) {
				hook.WriteMemory(unsafe.Pointer(n), unsafe.Sizeof(*n))
				*n = v
			}
			a := sched.Go(func() {
				if before {
					write(0)
				}
				await(func() bool { write(*n + 1); return flag.Load() })
			})
			flag.Store(true)
			a.Join()
			counts[*n] = true
		}, exec.Options{Awaits: true, MaxSteps: 20})
		if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil || len(counts) < 10 {
			t.Error(before, counts, err)
		}
		c.Shutdown()
	}
}

// TestAwaitCountsWhatItStarts has loops that start something in every turn: how often shows in the
// end.
func TestAwaitCountsWhatItStarts(t *testing.T) {
	for name, start := range map[string]func(f func()){
		"a goroutine": func(f func()) { sched.Go(f) },
		"a timer":     func(f func()) { sched.AfterFunc(time.Millisecond, f) },
	} {
		counts := make(map[int]bool)
		c := exec.New(func() {
			var flag sched.Bool
			n := 0
			await(func() bool { n++; start(func() { flag.Store(true) }); return flag.Load() })
			counts[n] = true
		}, exec.Options{Awaits: true, Time: sched.TimeAnyOrder, MaxSteps: 50})
		if _, err := (engine.Random{Executions: 1000, Seed: 1}).Explore(c, func(*trace.Execution) bool { return true }); err != nil || len(counts) < 3 {
			t.Errorf("%s: %v, %v", name, counts, err)
		}
		c.Shutdown()
	}
}

// TestAwaitsOneOfTwo: who may take one of two ways in every turn, and comes to its end by the other one, is
// in no livelock when it has taken the first one again and again.
func TestAwaitsOneOfTwo(t *testing.T) {
	effort.Computes(t)
	c := exec.New(func() {
		closed, full := sched.NewChan[int](0), sched.NewChan[int](1)
		closed.Close()
		full.Send(1)
		await(func() bool {
			return sched.Select(sched.RecvCase(closed, nil, nil), sched.RecvCase(full, nil, nil)) == 1
		})
	}, exec.Options{Awaits: true, MaxSteps: 200})
	defer c.Shutdown()
	_, err := engine.Random{Executions: 20000, Seed: 1}.Explore(c, func(x *trace.Execution) bool {
		if f := x.Run.Outcome(); len(f) > 0 || x.Blocked {
			t.Errorf("blocked %v, %v", x.Blocked, f)
		}
		return !t.Failed()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAwaitsNothing has loops with turns that are not pure, and what executions come to.
func TestAwaitsNothing(t *testing.T) {
	for name, test := range map[string]struct {
		f    func()
		want trace.FailureKind // 0 if nothing is wrong
	}{
		"a lock is not released": {func() {
			var mu sched.Mutex
			var flag sched.Bool
			await(func() bool { mu.Lock(); return flag.Load() })
		}, trace.FailDeadlock},
		"a lock is released that was held": {func() {
			var mu sched.Mutex
			var flag sched.Bool
			mu.Lock()
			a := sched.Go(func() { mu.Lock(); flag.Store(true); mu.Unlock() })
			await(func() bool { mu.Unlock(); mu.Lock(); return flag.Load() })
			mu.Unlock()
			a.Join()
		}, 0},
		"nothing is done": {func() {
			for range 3 {
				sched.Loop()
			}
		}, 0},
		"one way out of two": {func() {
			await(func() bool { return sched.Choose(2) == 1 })
		}, 0},
		"something is received": {func() {
			c := sched.NewChan[int](2)
			c.Send(1)
			c.Send(2)
			await(func() bool {
				v := 0
				sched.Select(sched.RecvCase(c, &v, nil), sched.Default)
				return v == 2
			})
		}, 0},
		"time passes": {func() {
			start := sched.Now()
			await(func() bool { return sched.Since(start) > 5 })
		}, 0},
		"it looks, and time passes": {func() {
			var flag sched.Bool
			start := sched.Now()
			await(func() bool { flag.Load(); return sched.Since(start) > 5 })
		}, 0},
		"a timer is started": {func() {
			var flag sched.Bool
			await(func() bool { sched.AfterFunc(1, func() { flag.Store(true) }); return flag.Load() })
		}, 0},
		"a goroutine is started": {func() {
			var flag sched.Bool
			await(func() bool { sched.Go(func() { flag.Store(true) }); return flag.Load() })
		}, 0},
		"a map is written": {func() {
			var m sched.Map
			m.Store("n", 0)
			await(func() bool { n, _ := m.Load("n"); m.Store("n", n.(int)+1); return n == 3 })
			await(func() bool { n, ok := m.LoadAndDelete("n"); m.LoadOrStore("m", n); return !ok })
			await(func() bool {
				m.CompareAndSwap("m", 4, 5)
				m.CompareAndSwap("m", 3, 4)
				n, _ := m.Load("m")
				return n == 5
			})
			for i := range 3 {
				m.Store(i, i)
			}
			await(func() bool {
				last := any(nil)
				m.Range(func(k, _ any) bool { last = k; return true })
				m.CompareAndDelete(last, last)
				return last == 0
			})
			await(func() bool { _, ok := m.Load("m"); m.Clear(); return !ok })
		}, 0},
		"a pool is emptied": {func() {
			var p sched.Pool
			p.Put(1)
			p.Put(2)
			await(func() bool { return p.Get() == nil })
			n := 0
			await(func() bool { n++; p.Put(n); return n == 3 })
		}, 0},
		"a variable is written": {func() {
			x, first := sched.NewVar(0), sched.NewVar(0)
			var any sched.Int64
			await(func() bool { any.Load(); x.Store(x.Load() + 1); return x.Load() == 3 })
			await(func() bool {
				any.Load()
				sched.Transfer(first, x, func(int) int { return first.Load() + 1 })
				return first.Load() == 3
			})
		}, 0},
		"a value differs": {func() {
			var flag sched.Int64
			for i := 0; i < 3; i++ {
				sched.Loop(i)
				flag.Load()
			}
		}, 0},
		"a value is no plain data": {func() {
			var flag sched.Int64
			for i := 0; i < 3; i++ {
				sched.Loop(&i)
				flag.Load()
			}
		}, 0},
	} {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder} {
			if name == "a timer is started" && mode == sched.TimeDiscrete {
				continue // time stands still
			}
			c := exec.New(test.f, exec.Options{Awaits: true, Time: mode, MaxSteps: 200})
			var got trace.FailureKind
			n := 0
			_, err := engine.Random{Executions: 100, Seed: 1}.Explore(c, func(x *trace.Execution) bool {
				for _, f := range x.Run.Outcome() {
					if f.Kind != trace.FailLong && f.Kind != trace.FailStarved {
						got = f.Kind
					}
				}
				if !x.Blocked && len(x.Run.Outcome()) == 0 {
					n++
				}
				return true
			})
			c.Shutdown()
			if err != nil || got != test.want || (n > 0) != (test.want == 0) {
				t.Errorf("%s, mode %d: %v, %v, %d executions", name, mode, err, got, n)
			}
		}
	}
}
