package exec_test

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// told has a goroutine do something before or after it learns, by a lock, of the time that another
// goroutine was told. What it has done comes after that time, or does not, and the goroutine itself
// is the same in the end.
func told(do func(), later func(at func())) func() {
	return func() {
		var known sched.Mutex
		var x sched.Int64
		learn := func() { known.Lock(); known.Unlock() }
		start := exec.DefaultStart()
		sched.Go(func() { sched.Now(); sched.Now(); learn() }) // what is told again is later by a look
		sched.Go(func() { learn(); do(); learn() })
		later(func() { x.Store(int64(sched.Now().Sub(start))) })
	}
}

// TestKeysOfToldTimes: which time was told before something that others will come after is part of
// a state, since they are told a later one.
func TestKeysOfToldTimes(t *testing.T) {
	effort.Computes(t)
	for name, f := range map[string]func() func(){
		"a goroutine": func() func() {
			return told(func() {}, func(at func()) {
				var y sched.Int64
				var mu sched.Mutex
				sched.Go(func() { sched.Now(); mu.Lock(); mu.Unlock() })
				mu.Lock()
				mu.Unlock()
				y.Load()
				at()
			})
		},
		"mutex": func() func() {
			var mu sched.Mutex
			return told(func() { mu.Lock(); mu.Unlock() }, func(at func()) { mu.Lock(); at() })
		},
		"mutex, when that time is past, and the next look is not": func() func() {
			var mu sched.Mutex
			return told(func() { mu.Lock(); mu.Unlock() }, func(at func()) { sched.Sleep(50); mu.Lock(); at() })
		},
		"waitgroup": func() func() {
			return func() {
				var wg sched.WaitGroup
				wg.Add(1)
				told(wg.Done, func(at func()) { wg.Wait(); at() })()
			}
		},
		"waitgroup, when another one is done later, who was told no time": func() func() {
			return func() {
				var wg sched.WaitGroup
				wg.Add(2)
				told(wg.Done, func(at func()) { wg.Done(); wg.Wait(); at() })()
			}
		},
		"rwmutex": func() func() {
			return func() {
				var mu sched.RWMutex
				told(func() { mu.RLock(); mu.RUnlock() }, func(at func()) { mu.Lock(); at() })()
			}
		},
		"once": func() func() {
			return func() {
				var o sched.Once
				told(func() { o.Do(func() {}) }, func(at func()) { o.Do(func() {}); at() })()
			}
		},
		"channel": func() func() {
			return func() {
				c := sched.NewChan[int](1)
				told(func() { c.Send(1) }, func(at func()) { c.Recv(); at() })()
			}
		},
		"timer": func() func() {
			return func() {
				tm := sched.NewTimer(time.Hour)
				told(func() { tm.Reset(0) }, func(at func()) { tm.C.Recv(); at() })()
			}
		},
		"timer that fires later": func() func() { // when that time is in the past
			return func() {
				tm := sched.NewTimer(time.Hour)
				told(func() { tm.Reset(time.Millisecond) }, func(at func()) {
					sched.Sleep(time.Millisecond / 2)
					tm.C.Recv()
					at()
				})()
			}
		},
		"sleeper": func() func() {
			return func() {
				var x sched.Int64
				start := exec.DefaultStart()
				told(func() { sched.Sleep(time.Millisecond); x.Store(int64(sched.Now().Sub(start))) }, func(at func()) {
					sched.Sleep(time.Millisecond / 2)
				})()
			}
		},
		"function of a timer": func() func() {
			return func() {
				var x sched.Int64
				start := exec.DefaultStart()
				told(func() { sched.AfterFunc(time.Millisecond, func() { x.Store(int64(sched.Now().Sub(start))) }) }, func(at func()) {})()
			}
		},
	} {
		c := exec.New(f(), exec.Options{AllowLeaks: true})
		if got, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{}); err != nil || got.Merged == 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		c.Shutdown()
	}
}
