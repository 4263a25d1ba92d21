package por_test

import (
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has loops that say where their turns begin as those of rewritten code do: who goes round
// one forgets its turns where states are told apart, but for what matters.

// rounds goes round a loop until done says so. It may have values.
func rounds(place uintptr, done func() bool, values ...func() any) {
	for loop := int32(0); ; {
		var list []any
		for _, v := range values {
			list = append(list, v())
		}
		if loop = hook.Turn(place, list, loop); done() {
			return
		}
	}
}

// inOrder has two goroutines write to n under a lock: who is last shows in n, and in what they convey.
func inOrder(mu *sched.Mutex, n *int, both func()) {
	for v := 1; v <= 2; v++ {
		sched.Go(func() {
			mu.Lock()
			before := *n
			write(n, v)
			mu.Unlock()
			if before != 0 {
				both()
			}
		})
	}
}

// write is a write of plain memory, which is announced.
func write[T any](p *T, v T) {
	hook.WriteMemory(unsafe.Pointer(p), unsafe.Sizeof(v))
	*p = v
}

// turnsForgotten are programs in which something of a turn is not to be forgotten, or nothing is. What they
// come to is what is stored in the end.
var turnsForgotten = map[string]struct {
	tracked      bool // there is no plain memory that they share
	depth, ahead int  // as of EqualFuturesTo, 0 for programs that are too large
	ends         int  // how many ends they come to, 0 for programs that go on with something new
	f            func()
}{
	"others learn of what was learnt": {ends: 2, f: func() {
		var mu sched.Mutex
		var ready, flag sched.Bool
		n := 0
		inOrder(&mu, &n, func() { ready.Store(true) })
		sched.Go(func() {
			rounds(1, func() bool { r := ready.Load(); flag.Store(r); return r })
		})
		rounds(2, flag.Load)
		end(n == 2)
	}},
	"what was learnt in an earlier turn": {ends: 3, f: func() {
		var mu sched.Mutex
		var ready, stop sched.Bool
		n, seen := 0, false
		inOrder(&mu, &n, func() { ready.Store(true) })
		sched.Go(func() { stop.Store(true) })
		rounds(1, func() bool { seen = seen || ready.Load(); return stop.Load() }, func() any { return seen })
		if seen {
			end(n == 2)
		}
	}},
	"what was learnt before": {ends: 3, f: func() {
		var mu sched.Mutex
		var ready, stop sched.Bool
		n := 0
		inOrder(&mu, &n, func() { ready.Store(true) })
		if ready.Load() {
			sched.Go(func() { stop.Store(true) })
			rounds(1, stop.Load)
			end(n == 2)
		}
	}},
	"memory is written": {tracked: true, depth: 9, ahead: 4, f: func() {
		var flag sched.Bool
		n := 0
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool { write(&n, min(n+1, 2)); return flag.Load() })
		end(n == 2)
	}},
	"memory is written that was written before": {tracked: true, depth: 9, ahead: 4, f: func() {
		var flag sched.Bool
		n := 0
		h := sched.Go(func() {
			write(&n, 0)
			rounds(1, func() bool { write(&n, min(n+1, 2)); return flag.Load() })
			end(n == 2)
		})
		flag.Store(true)
		h.Join()
	}},
	"a variable is written": {depth: 9, ahead: 4, f: func() {
		var flag sched.Bool
		n := sched.NewVar(0)
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool { n.Store(min(n.Load()+1, 2)); return flag.Load() })
		end(n.Load() == 2)
	}},
	"memory is written when it is left": {ends: 3, depth: 9, ahead: 4, f: func() {
		var mu sched.Mutex
		n := int64(0)
		sched.Go(func() {
			v := 0
			rounds(1, func() bool { v = sched.Choose(3); return v > 0 })
			mu.Lock()
			write(&n, int64(v))
			mu.Unlock()
		})
		mu.Lock()
		v := n
		mu.Unlock()
		end(v)
	}},
	"somebody is started when it is left": {ends: 2, tracked: true, depth: 8, ahead: 4, f: func() {
		v := 0
		rounds(1, func() bool { v = sched.Choose(3); return v > 0 })
		sched.Go(func() { end(int64(v)) })
	}},
	"it ends when it is left": {ends: 2, depth: 8, ahead: 4, f: func() {
		v := int64(0)
		h := sched.Go(func() {
			w := 0
			rounds(1, func() bool { w = sched.Choose(3); return w > 0 })
			write(&v, int64(w))
		})
		h.Join()
		end(v)
	}},
	"pointers are stored": {tracked: true, depth: 10, ahead: 6, f: func() {
		var p, q sched.Pointer[int]
		var flag sched.Bool
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool {
			x := new(int)
			if p.Load() == nil {
				p.Store(x)
			}
			q.Store(x)
			return flag.Load()
		})
		end(p.Load() == q.Load())
	}},
	"pointers are sent": {ends: 2, tracked: true, depth: 11, ahead: 7, f: func() {
		c := sched.NewChan[*int](2)
		var flag sched.Bool
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool {
			x := new(int)
			if c.Len() == 0 {
				c.Send(x)
			}
			if c.Len() < 2 && flag.Load() {
				c.Send(x)
				return true
			}
			return false
		})
		end(c.Recv() == c.Recv())
	}},
	"values differ": {ends: 2, tracked: true, depth: 9, ahead: 4, f: func() {
		var flag sched.Bool
		n := 0
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool { n = min(n+1, 2); return flag.Load() }, func() any { return n })
		end(n == 2)
	}},
	"values are no plain data": {tracked: true, depth: 9, ahead: 4, f: func() {
		var flag sched.Bool
		n := 0
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool { n = min(n+1, 2); return flag.Load() }, func() any { return &n })
		end(n == 2)
	}},
	"a loop is entered again": {ends: 6, tracked: true, depth: 10, ahead: 5, f: func() {
		var flag sched.Int64
		sched.Go(func() { flag.Store(1); flag.Store(2) })
		n := int64(0)
		for range 2 {
			rounds(1, func() bool { v := flag.Load(); n = 2*n + v; return true })
		}
		end(n)
	}},
	"loops in a loop": {ends: 1, tracked: true, depth: 10, ahead: 5, f: func() {
		var flag sched.Int64
		sched.Go(func() { flag.Store(1); flag.Store(2); flag.Store(3) })
		rounds(1, func() bool {
			v := flag.Load()
			if v == 1 {
				rounds(2, func() bool { return flag.Load() != 1 })
			}
			return v == 3
		})
		end(true)
	}},
	"a loop that was left, once more": {ends: 1, tracked: true, depth: 10, ahead: 5, f: func() {
		var flags [2]sched.Bool
		for i := range flags {
			sched.Go(func() { flags[i].Store(true) })
		}
		for i := range flags {
			rounds(1, flags[i].Load)
		}
		end(true)
	}},
	"a loop that was left, and within another one": {ends: 1, tracked: true, depth: 10, ahead: 4, f: func() {
		var a, b sched.Bool
		sched.Go(func() { a.Store(true) })
		sched.Go(func() { b.Store(true) })
		look := func() bool { rounds(3, func() bool { return true }); return a.Load() }
		rounds(1, func() bool {
			look()
			rounds(2, look)
			return b.Load()
		})
		end(true)
	}},
	"locks taken in turns": {depth: 11, ahead: 3, f: func() {
		var mu sched.Mutex
		var done sched.Bool
		look := func() { rounds(1, func() bool { mu.Lock(); mu.Unlock(); return done.Load() }) }
		sched.Go(look)
		look()
	}},
	"looks under a read lock": {ends: 1, depth: 11, ahead: 4, f: func() {
		var mu sched.RWMutex
		n := 0
		sched.Go(func() { mu.Lock(); write(&n, 1); mu.Unlock() })
		rounds(1, func() bool { mu.RLock(); defer mu.RUnlock(); return n == 1 })
		end(n == 1)
	}},
	"yielding": {ends: 1, tracked: true, depth: 11, ahead: 5, f: func() {
		var flag sched.Bool
		sched.Go(func() { flag.Store(true) })
		rounds(1, func() bool { sched.Gosched(); return flag.Load() })
		end(true)
	}},
}

// TestTurnsForgotten: states with one key have one future, as far as is looked.
func TestTurnsForgotten(t *testing.T) {
	effort.Computes(t)
	for name, test := range turnsForgotten {
		for _, k := range []trace.Keying{{}, {Exact: true}, {Tracked: true}, {Tracked: true, Exact: true}} {
			if k.Tracked && !test.tracked || test.depth == 0 {
				continue
			}
			c := exec.New(test.f, exec.Options{})
			if f, err := oracle.EqualFuturesTo(c, k, test.depth, test.ahead); err != nil || f.Keys == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}

// TestEndsOfTurns: every end is come to, and a search comes to its end.
func TestEndsOfTurns(t *testing.T) {
	for name, test := range turnsForgotten {
		for _, k := range []trace.Keying{{}, {Tracked: true}} {
			if k.Tracked && !test.tracked || test.ends == 0 {
				continue
			}
			for i, e := range statefulEngines(k) {
				if got := endsOf(t, test.f, e); len(got) != test.ends {
					t.Errorf("%s, %v, %s (%d): %v", name, k, e.Name(), i, got)
				}
			}
		}
	}
}

// TestLearntInTurns: if two learn of each other in every turn, by default too, that comes to an end, as what they learn is a set.
func TestLearntInTurns(t *testing.T) {
	c := exec.New(turnsForgotten["locks taken in turns"].f, exec.Options{})
	defer c.Shutdown()
	stats, err := engine.Stateful{MaxBytes: 100_000}.Explore(c, func(*trace.Execution) bool { return true })
	if err != nil || !stats.Exhaustive || stats.Livelocks == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestTurnsOfOtherLoops: where states are not told apart, a turn of a loop that is entered again is none that leads
// back to where the loop before has begun.
func TestTurnsOfOtherLoops(t *testing.T) {
	test := turnsForgotten["a loop is entered again"]
	for _, e := range awaitingEngines {
		if got := endsOf(t, test.f, e); len(got) != test.ends {
			t.Errorf("%s: %v", e.Name(), got)
		}
	}
}

// endsOf returns what executions of f store in the end.
func endsOf(t *testing.T, f func(), e trace.Engine) map[any]bool {
	ends := make(map[any]bool)
	c := exec.New(func() { theEnd = nil; f() }, exec.Options{Awaits: trace.Describe(e).WithKeying == nil, MaxSteps: 1000})
	defer c.Shutdown()
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		if x.Run.Outcome(); !x.Blocked {
			ends[theEnd] = true
		}
		return true
	})
	if err != nil || !stats.Exhaustive {
		t.Errorf("%s: %+v, %v", e.Name(), stats, err)
	}
	return ends
}

// theEnd is what the latest execution of a program has come to.
var theEnd any

// end says what an execution has come to, by operations as well.
func end(v any) {
	theEnd = v
	var x sched.Int64
	switch v := v.(type) {
	case bool:
		if v {
			x.Load()
		}
	case int64:
		for range v {
			x.Load()
		}
	}
}
