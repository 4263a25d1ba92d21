package sched_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// library is a concurrency library: the standard one, or this package.
type library struct {
	Go      func(func())
	Yield   func()
	Mutex   func() mutex
	RWMutex func() rwMutex
	Group   func() group
	Once    func() interface{ Do(func()) }
	Cond    func(mutex) cond
	Int     func() number
	Map     func() mapping
	Chan    func(n int) channel
	Select  func(...choice) (which, value int)
	Sleep   func(time.Duration)
	After   func(time.Duration, func()) (stop func() bool)
	Timer   func(time.Duration) (c channel, stop func() bool)
	Cancel  func(parent ctx) (ctx, func(error))
	Timeout func(parent ctx, d time.Duration) (ctx, func())
	OnDone  func(ctx, func()) (stop func() bool)
}

type mutex interface {
	Lock()
	Unlock()
	TryLock() bool
}

type rwMutex interface {
	mutex
	RLock()
	RUnlock()
	TryRLock() bool
}

type group interface {
	Add(int)
	Done()
	Wait()
	Go(func())
}

type cond interface {
	Wait()
	Signal()
	Broadcast()
}

type number interface {
	Load() int64
	Store(int64)
	Add(int64) int64
	Swap(int64) int64
	CompareAndSwap(old, new int64) bool
	And(int64) int64
	Or(int64) int64
}

type mapping interface {
	Load(any) (any, bool)
	Store(k, v any)
	LoadOrStore(k, v any) (any, bool)
	LoadAndDelete(any) (any, bool)
	CompareAndSwap(k, old, new any) bool
	Range(func(k, v any) bool)
}

type channel interface {
	Send(int)
	Recv2() (int, bool)
	Close()
	Len() int
}

type choice struct {
	c    channel // nil for the default
	send bool
	v    int
}

type ctx interface {
	Err() error
	Cause() error
	Done() channel
}

// The standard library.

type stdChan chan int

func (c stdChan) Send(v int)         { c <- v }
func (c stdChan) Recv2() (int, bool) { v, ok := <-c; return v, ok }
func (c stdChan) Close()             { close(c) }
func (c stdChan) Len() int           { return len(c) }

// stdEvents is a channel that only tells that something has happened.
type stdEvents struct{ c reflect.Value }

func (e stdEvents) Send(int)           { panic("not for sending") }
func (e stdEvents) Recv2() (int, bool) { _, ok := e.c.Recv(); return 0, ok }
func (e stdEvents) Close()             { panic("not for closing") }
func (e stdEvents) Len() int           { return e.c.Len() }

type stdCtx struct{ c context.Context }

func (c stdCtx) Err() error    { return c.c.Err() }
func (c stdCtx) Cause() error  { return context.Cause(c.c) }
func (c stdCtx) Done() channel { return stdEvents{reflect.ValueOf(c.c.Done())} }

func stdParent(c ctx) context.Context {
	if c == nil {
		return context.Background()
	}
	return c.(stdCtx).c
}

// stdGroup starts goroutines with a delay that differs every time.
type stdGroup struct{ sync.WaitGroup }

func (g *stdGroup) Go(f func()) {
	g.WaitGroup.Go(func() {
		for range rand.IntN(4) {
			runtime.Gosched()
		}
		f()
	})
}

func stdSelect(choices ...choice) (int, int) {
	var cases []reflect.SelectCase
	for _, k := range choices {
		c := reflect.SelectCase{Dir: reflect.SelectDefault}
		switch {
		case k.c == nil:
		case k.send:
			c = reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(k.c), Send: reflect.ValueOf(k.v)}
		default:
			c = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(k.c)}
			if e, ok := k.c.(stdEvents); ok {
				c.Chan = e.c
			}
		}
		cases = append(cases, c)
	}
	i, v, _ := reflect.Select(cases)
	if v.IsValid() && v.Kind() == reflect.Int {
		return i, int(v.Int())
	}
	return i, 0
}

var standard = library{
	Go:      func(f func()) { go f() },
	Yield:   runtime.Gosched,
	Mutex:   func() mutex { return new(sync.Mutex) },
	RWMutex: func() rwMutex { return new(sync.RWMutex) },
	Group:   func() group { return new(stdGroup) },
	Once:    func() interface{ Do(func()) } { return new(sync.Once) },
	Cond:    func(m mutex) cond { return sync.NewCond(m) },
	Int:     func() number { return new(atomic.Int64) },
	Map:     func() mapping { return new(sync.Map) },
	Chan:    func(n int) channel { return make(stdChan, n) },
	Select:  stdSelect,
	Sleep:   time.Sleep,
	After:   func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	Timer: func(d time.Duration) (channel, func() bool) {
		t := time.NewTimer(d)
		return stdEvents{reflect.ValueOf(t.C)}, t.Stop
	},
	Cancel: func(parent ctx) (ctx, func(error)) {
		c, cancel := context.WithCancelCause(stdParent(parent))
		return stdCtx{c}, cancel
	},
	Timeout: func(parent ctx, d time.Duration) (ctx, func()) {
		c, cancel := context.WithTimeout(stdParent(parent), d)
		return stdCtx{c}, cancel
	},
	OnDone: func(c ctx, f func()) func() bool { return context.AfterFunc(stdParent(c), f) },
}

// This package.

type ourEvents[T any] struct{ c *sched.Chan[T] }

func (e ourEvents[T]) Send(int)           { panic("not for sending") }
func (e ourEvents[T]) Recv2() (int, bool) { _, ok := e.c.Recv2(); return 0, ok }
func (e ourEvents[T]) Close()             { panic("not for closing") }
func (e ourEvents[T]) Len() int           { return e.c.Len() }

type ourCtx struct{ c sched.Context }

func (c ourCtx) Err() error    { return c.c.Err() }
func (c ourCtx) Cause() error  { return sched.Cause(c.c) }
func (c ourCtx) Done() channel { return ourEvents[struct{}]{c.c.Done()} }

func ourParent(c ctx) sched.Context {
	if c == nil {
		return sched.Background()
	}
	return c.(ourCtx).c
}

func ourSelect(choices ...choice) (int, int) {
	var cases []sched.Case
	var v int
	for _, k := range choices {
		switch c := k.c.(type) {
		case nil:
			cases = append(cases, sched.Default)
		case ourEvents[struct{}]:
			cases = append(cases, sched.RecvCase(c.c, nil, nil))
		case ourEvents[time.Time]:
			cases = append(cases, sched.RecvCase(c.c, nil, nil))
		case *sched.Chan[int]:
			if k.send {
				cases = append(cases, sched.SendCase(c, k.v))
			} else {
				cases = append(cases, sched.RecvCase(c, &v, nil))
			}
		}
	}
	return sched.Select(cases...), v
}

var ours = library{
	Go:      func(f func()) { sched.Go(f) },
	Yield:   sched.Gosched,
	Mutex:   func() mutex { return new(sched.Mutex) },
	RWMutex: func() rwMutex { return new(sched.RWMutex) },
	Group:   func() group { return new(sched.WaitGroup) },
	Once:    func() interface{ Do(func()) } { return new(sched.Once) },
	Cond:    func(m mutex) cond { return sched.NewCond(m) },
	Int:     func() number { return new(sched.Int64) },
	Map:     func() mapping { return new(sched.Map) },
	Chan:    func(n int) channel { return sched.NewChan[int](n) },
	Select:  ourSelect,
	Sleep:   sched.Sleep,
	After:   func(d time.Duration, f func()) func() bool { return sched.AfterFunc(d, f).Stop },
	Timer: func(d time.Duration) (channel, func() bool) {
		t := sched.NewTimer(d)
		return ourEvents[time.Time]{t.C}, t.Stop
	},
	Cancel: func(parent ctx) (ctx, func(error)) {
		c, cancel := sched.WithCancelCause(ourParent(parent))
		return ourCtx{c}, cancel
	},
	Timeout: func(parent ctx, d time.Duration) (ctx, func()) {
		c, cancel := sched.WithTimeout(ourParent(parent), d)
		return ourCtx{c}, cancel
	},
	OnDone: func(c ctx, f func()) func() bool { return sched.ContextAfterFunc(ourParent(c), f) },
}

const ms = time.Millisecond

// programs are run with both libraries. They always end.
var programs = []struct {
	name string
	slow bool   // takes real time
	want string // all outcomes, if it is short enough to be said
	f    func(l library) string
}{
	{"lost update", false, "1 | 2", func(l library) string {
		x, wg := l.Int(), l.Group()
		for range 2 {
			wg.Go(func() { x.Store(x.Load() + 1) })
		}
		wg.Wait()
		return fmt.Sprint(x.Load())
	}},
	{"cas", false, "1 false true | 1 true false", func(l library) string {
		x, wg := l.Int(), l.Group()
		var won [2]bool
		for i := range 2 {
			wg.Go(func() { won[i] = x.CompareAndSwap(0, 1) })
		}
		wg.Wait()
		return fmt.Sprint(x.Load(), won[0], won[1])
	}},
	{"and or swap", false, "", func(l library) string {
		x, wg := l.Int(), l.Group()
		var old [3]int64
		wg.Go(func() { old[0] = x.Or(6) })
		wg.Go(func() { old[1] = x.And(3) })
		wg.Go(func() { old[2] = x.Swap(8) })
		wg.Wait()
		return fmt.Sprint(old, x.Load())
	}},
	{"mutex", false, "2", func(l library) string {
		mu, wg, n := l.Mutex(), l.Group(), 0
		for range 2 {
			wg.Go(func() { mu.Lock(); n++; mu.Unlock() })
		}
		wg.Wait()
		return fmt.Sprint(n)
	}},
	{"trylock", false, "0 | 1 | 2", func(l library) string {
		mu, wg, n := l.Mutex(), l.Group(), l.Int()
		for range 2 {
			wg.Go(func() {
				if mu.TryLock() {
					n.Add(1)
					mu.Unlock()
				}
			})
		}
		mu.Lock()
		mu.Unlock()
		wg.Wait()
		return fmt.Sprint(n.Load())
	}},
	{"rwmutex", false, "", func(l library) string {
		rw, wg := l.RWMutex(), l.Group()
		x, seen, try := 0, [2]int{}, false
		for i := range 2 {
			wg.Go(func() { rw.RLock(); seen[i] = x; rw.RUnlock() })
		}
		wg.Go(func() {
			if try = rw.TryRLock(); try {
				rw.RUnlock()
			}
		})
		rw.Lock()
		x++
		rw.Unlock()
		wg.Wait()
		return fmt.Sprint(seen, try)
	}},
	{"once", false, "1 [1 1]", func(l library) string {
		once, wg, n, seen := l.Once(), l.Group(), 0, [2]int{}
		for i := range 2 {
			wg.Go(func() { once.Do(func() { n++ }); seen[i] = n })
		}
		wg.Wait()
		return fmt.Sprint(n, seen)
	}},
	{"cond", false, "3", func(l library) string {
		mu := l.Mutex()
		c, wg, ready, n := l.Cond(mu), l.Group(), false, 0
		for range 2 {
			wg.Go(func() {
				mu.Lock()
				for !ready {
					c.Wait()
				}
				n++
				mu.Unlock()
				c.Signal()
			})
		}
		mu.Lock()
		ready = true
		n++
		mu.Unlock()
		c.Broadcast()
		wg.Wait()
		return fmt.Sprint(n)
	}},
	{"map", false, "", func(l library) string {
		m, wg := l.Map(), l.Group()
		var got [4]any
		wg.Go(func() { got[0], _ = m.LoadOrStore(1, "a"); m.Store(2, "x") })
		wg.Go(func() { got[1], _ = m.LoadOrStore(1, "b"); got[2] = m.CompareAndSwap(1, "a", "c") })
		wg.Go(func() { got[3], _ = m.LoadAndDelete(1) })
		wg.Wait()
		n := 0
		m.Range(func(k, v any) bool { n++; return true })
		return fmt.Sprint(got, n)
	}},
	{"channel", false, "", func(l library) string {
		c, wg, got := l.Chan(1), l.Group(), [2]int{}
		for i := range 2 {
			wg.Go(func() { c.Send(i + 1) })
			wg.Go(func() { got[i], _ = c.Recv2() })
		}
		wg.Wait()
		return fmt.Sprint(got)
	}},
	{"close", false, "", func(l library) string {
		c, wg, got := l.Chan(1), l.Group(), [2]int{}
		wg.Go(func() { c.Send(1); c.Close() })
		for i := range 2 {
			wg.Go(func() { got[i], _ = c.Recv2() })
		}
		wg.Wait()
		return fmt.Sprint(got, c.Len())
	}},
	{"select", false, "", func(l library) string {
		a, b, wg := l.Chan(0), l.Chan(1), l.Group()
		wg.Go(func() { l.Select(choice{a, true, 1}, choice{b, true, 2}) })
		wg.Go(func() { l.Select(choice{b, true, 3}, choice{a, true, 4}) })
		w, v := l.Select(choice{a, false, 0}, choice{b, false, 0})
		w2, v2 := l.Select(choice{a, false, 0}, choice{b, false, 0})
		wg.Wait()
		return fmt.Sprint(w, v, w2, v2)
	}},
	{"select default", false, "", func(l library) string {
		c, wg := l.Chan(0), l.Group()
		wg.Go(func() { l.Select(choice{c, true, 1}, choice{}) })
		w, v := l.Select(choice{c, false, 0}, choice{})
		wg.Wait()
		return fmt.Sprint(w, v)
	}},
	{"context", false, "", func(l library) string {
		parent, cancel := l.Cancel(nil)
		child, end := l.Cancel(parent)
		wg := l.Group()
		var seen [2]error
		wg.Go(func() { cancel(fmt.Errorf("parent")) })
		wg.Go(func() { end(fmt.Errorf("child")) })
		wg.Go(func() { child.Done().Recv2(); seen[0], seen[1] = child.Cause(), parent.Err() })
		wg.Wait()
		return fmt.Sprint(seen, parent.Cause(), child.Cause(), child.Err())
	}},
	{"context select", false, "", func(l library) string {
		parent, cancel := l.Cancel(nil)
		c, wg := l.Chan(0), l.Group()
		wg.Go(func() { l.Select(choice{c, true, 1}, choice{parent.Done(), false, 0}) })
		wg.Go(func() { cancel(nil) })
		w, v := l.Select(choice{c, false, 0}, choice{parent.Done(), false, 0})
		wg.Wait()
		return fmt.Sprint(w, v, parent.Cause())
	}},
	{"context afterfunc", false, "false 1 | true 0", func(l library) string {
		parent, cancel := l.Cancel(nil)
		wg, n := l.Group(), l.Int()
		wg.Add(1)
		stop := l.OnDone(parent, func() { n.Add(1); wg.Done() })
		wg.Go(func() { cancel(nil) })
		stopped := stop()
		if stopped {
			wg.Done()
		}
		wg.Wait()
		return fmt.Sprint(stopped, n.Load())
	}},
	{"timeout", true, "", func(l library) string {
		parent, cancel := l.Cancel(nil)
		child, stop := l.Timeout(parent, 2*ms)
		wg := l.Group()
		wg.Go(func() { l.Sleep(2 * ms); cancel(nil) })
		child.Done().Recv2()
		stop()
		wg.Wait()
		return fmt.Sprint(child.Err())
	}},
	{"timer", true, "", func(l library) string {
		c, stop := l.Timer(2 * ms)
		stopped, wg := false, l.Group()
		wg.Go(func() { l.Sleep(2 * ms); stopped = stop() })
		wg.Wait()
		w, _ := l.Select(choice{c, false, 0}, choice{})
		return fmt.Sprint(stopped, w)
	}},
	{"afterfunc", true, "false 1 | true 0", func(l library) string {
		n, wg := l.Int(), l.Group()
		wg.Add(1)
		stop := l.After(2*ms, func() { n.Add(1); wg.Done() })
		l.Sleep(2 * ms)
		stopped := stop()
		if stopped {
			wg.Done()
		}
		wg.Wait()
		return fmt.Sprint(stopped, n.Load())
	}},
}

// TestSameOutcomes runs each program with the standard library and looks up
// what it does among what exploring the program has found.
func TestSameOutcomes(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			found := closures.Outcomes(t, exec.Options{}, func() string { return p.f(ours) })
			for _, f := range found.Failures {
				t.Errorf("%v\n%s", f, f.Details())
			}
			if p.want != "" && found.List() != p.want {
				t.Errorf("found %s, want %s", found.List(), p.want)
			}
			n := 2000
			if p.slow {
				n = 20
			}
			met := map[string]bool{}
			for range n {
				got := p.f(standard)
				met[got] = true
				if !found.Outcomes[got] {
					t.Fatalf("the standard library gives %q, which is not among %s", got, found.List())
				}
			}
			t.Logf("%d traces, %d outcomes, %d of them met", found.Traces, len(found.Outcomes), len(met))
		})
	}
}
