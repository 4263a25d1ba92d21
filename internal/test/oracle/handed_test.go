package oracle_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// latest has two goroutines write an ordinary variable one after the other, within what enter and leave
// make of it, and a third one that does what depends on who was the latest. Who does not get in writes nothing. Before
// that everybody has come to where it makes no difference any more who was first, but for what it has read.
func latest(enter func() bool, leave func()) {
	n := 0
	write := func(v int) sched.Handle {
		return sched.Go(func() {
			if enter() {
				n = v
				leave()
			}
		})
	}
	g1, g2 := write(1), write(2)
	sched.Go(func() {
		if enter() {
			if v := n; v > 0 {
				sched.Choose(v + 1)
			}
			leave()
		}
	})
	g1.Join()
	g2.Join()
}

// handedOn are programs in which a value that no operation returns is handed on, by every means.
var handedOn = map[string]func(){
	"compare and swap": func() {
		var locked sched.Int64
		latest(func() bool { return locked.CompareAndSwap(0, 1) }, func() { locked.Store(0) })
	},
	"add": func() {
		var locked sched.Int64
		latest(func() bool { return locked.Add(1) == 1 }, func() { locked.Store(0) })
	},
	"pointer": func() {
		var locked sched.Pointer[int]
		one := new(int)
		latest(func() bool { return locked.CompareAndSwap(nil, one) }, func() { locked.Store(nil) })
	},
	"memory": func() {
		locked := new(int64)
		latest(func() bool { return hook.CompareAndSwap(locked, 0, 1) }, func() { hook.Store(locked, 0) })
	},
	"pointer in memory": func() {
		locked, one := new(unsafe.Pointer), unsafe.Pointer(new(int))
		latest(func() bool { return hook.CompareAndSwapPointer(locked, nil, one) }, func() { hook.StorePointer(locked, nil) })
	},
	"map": func() {
		var m sched.Map
		latest(func() bool { _, loaded := m.LoadOrStore(0, 0); return !loaded }, func() { m.Delete(0) })
	},
	"pool": func() {
		var p sched.Pool
		p.Put(1)
		latest(func() bool { return p.Get() != nil }, func() { p.Put(1) })
	},
	"mutex": func() {
		var mu sched.Mutex
		latest(mu.TryLock, mu.Unlock)
	},
	"rwmutex": func() {
		var mu sched.RWMutex
		latest(mu.TryLock, mu.Unlock)
	},
	"channel": func() {
		c := sched.NewChan[int](1)
		latest(func() bool { c.Send(1); return true }, func() { c.Recv() })
	},
	"channel as a token": func() {
		c := sched.NewChan[int](1)
		c.Send(1)
		latest(func() bool { c.Recv(); return true }, func() { c.Send(1) })
	},
}

// TestHandedOn: by default what goroutines learn from each other is a part of their states, by whatever they do so.
func TestHandedOn(t *testing.T) {
	for name, f := range handedOn {
		c := exec.New(f, exec.Options{Races: sched.RaceIgnore})
		for _, k := range []trace.Keying{{}, {Exact: true}} {
			f, err := oracle.EqualFutures(c, k, oracle.Limits{Executions: 100_000, Depth: 40})
			if err != nil || f.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
		}
		c.Shutdown()
	}
}

// turns goes round a loop of rewritten code n times.
func turns(n int, f func(i int)) {
	for i, loop := 0, int32(0); i < n; i++ {
		loop = hook.Turn(1, []any{i}, loop)
		f(i)
	}
}

func panics(f func()) (does bool) {
	defer func() { does = recover() != nil }()
	f()
	return false
}

// TestPartsOfStates has states that differ by no more than one thing.
func TestPartsOfStates(t *testing.T) {
	for name, f := range map[string]func(){
		"for whom somebody waits who lets others go first": func() {
			var x sched.Int64
			for range 2 {
				sched.Go(func() { x.Load(); x.Load() })
			}
			for range 2 { // the first time it does nothing
				sched.Gosched()
			}
			x.Store(1)
		},
		"who was started in a turn": func() {
			var x, y sched.Int64
			turns(2, func(int) {
				x.Load()
				sched.Go(func() { y.Add(1) })
			})
		},
		"which firing of a timer is pending": func() {
			var x sched.Int64
			timer := sched.AfterFunc(time.Millisecond, func() { x.Add(1) })
			sched.Sleep(time.Millisecond)
			sched.Go(func() { timer.Stop() })
			timer.Reset(time.Millisecond)
			timer.Reset(2 * time.Millisecond)
			x.Load()
		},
		"who panics, of two who close a channel": func() {
			var x sched.Int64
			c := sched.NewChan[int](0)
			for range 2 {
				sched.Go(func() {
					late := panics(c.Close)
					if x.Load(); late {
						x.Store(1)
					}
				})
			}
		},
		"a pointer in memory": func() {
			p, a, b := new(unsafe.Pointer), unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
			sched.Go(func() { hook.StorePointer(p, a) })
			sched.Go(func() { hook.StorePointer(p, b) })
			switch hook.LoadPointer(p) {
			case a:
				sched.Choose(2)
			case b:
				sched.Choose(3)
			}
		},
	} {
		for _, k := range keyings {
			c := exec.New(f, exec.Options{Races: sched.RaceIgnore})
			f, err := oracle.EqualFutures(c, k, oracle.Limits{Executions: 100_000, Depth: 40})
			if err != nil || f.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}

// TestPointersOfTurns: who hands on a pointer in every turn of a loop hands on another one each time, of which no turn is to
// be forgotten.
func TestPointersOfTurns(t *testing.T) {
	for name, by := range map[string]func() (put func(*int), get func() any){
		"memory": func() (func(*int), func() any) {
			p := new(unsafe.Pointer)
			return func(x *int) { hook.StorePointer(p, unsafe.Pointer(x)) }, func() any { return hook.LoadPointer(p) }
		},
		"pointer": func() (func(*int), func() any) {
			var p sched.Pointer[int]
			return p.Store, func() any { return p.Load() }
		},
		"map": func() (func(*int), func() any) {
			var m sched.Map
			return func(x *int) { m.Store(1, x) }, func() any { x, _ := m.Load(1); return x }
		},
	} {
		c := exec.New(func() {
			put, get := by()
			sched.Go(func() {
				for loop := int32(0); ; {
					loop = hook.Turn(1, nil, loop)
					put(new(int))
				}
			})
			if get() == get() {
				sched.Choose(2)
			} else {
				sched.Choose(3)
			}
		}, exec.Options{})
		for _, k := range keyings {
			if f, err := oracle.EqualFuturesTo(c, k, 7, 2); err != nil || f.Keys == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
		}
		c.Shutdown()
	}
}

// TestCreditsInLoops: what a goroutine forgets of the counter of a WaitGroup decides which of its calls of Done depend on others.
func TestCreditsInLoops(t *testing.T) {
	var wg sched.WaitGroup
	take := func() {
		for {
			if sched.Loop(); sched.Choose(2) == 1 {
				wg.Done()
			}
		}
	}
	for name, f := range map[string]func(){
		"of who has started it": func() { wg.Add(2); sched.Go(take); sched.Go(take) },
		"its own":               func() { sched.Go(func() { wg.Add(2); take() }); wg.Add(2); take() },
	} {
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
			c := exec.New(f, exec.Options{})
			if f, err := oracle.EqualFuturesTo(c, k, 8, 2); err != nil || f.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}
