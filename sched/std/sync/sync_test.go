package sync_test

import (
	"fmt"
	"reflect"
	"strings"
	original "sync"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync"
)

type locker interface {
	original.Locker
	TryLock() bool
}

type rwLocker interface {
	locker
	RLock()
	RUnlock()
	TryRLock() bool
}

func locking(mu locker) func() string {
	return func() string {
		n, tried := 0, false
		h := sched.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			n++
		})
		if tried = mu.TryLock(); tried {
			n *= 10
			mu.Unlock()
		}
		mu.Lock()
		text := fmt.Sprint(tried, n)
		mu.Unlock()
		h.Join()
		return text
	}
}

func sharing(rw rwLocker) func() string {
	return func() string {
		n := 0
		h := sched.Go(func() {
			rw.Lock()
			n++
			rw.Unlock()
		})
		k := sched.Go(func() {
			if rw.TryRLock() {
				rw.RUnlock()
			}
		})
		rw.RLock()
		text := fmt.Sprint(n)
		rw.RUnlock()
		h.Join()
		k.Join()
		return text
	}
}

type group interface {
	Add(int)
	Done()
	Wait()
	Go(func())
}

func waiting(wg group, mu original.Locker) func() string {
	return func() string {
		text := ""
		add := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			text += s
		}
		wg.Add(1)
		sched.Go(func() {
			defer wg.Done()
			add("a")
		})
		wg.Go(func() { add("b") })
		wg.Wait()
		return text
	}
}

type once interface{ Do(func()) }

func doing(o once) func() string {
	return func() string {
		n := 0
		h := sched.Go(func() { o.Do(func() { n++ }) })
		o.Do(func() { n += 10 })
		text := fmt.Sprint(n)
		h.Join()
		return text
	}
}

type cond interface {
	Wait()
	Signal()
	Broadcast()
}

func notifying(c cond, mu original.Locker) func() string {
	return func() string {
		ready, woken := false, 0
		var hs []sched.Handle
		for range 2 {
			hs = append(hs, sched.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				for !ready {
					c.Wait()
				}
				woken++
			}))
		}
		mu.Lock()
		ready = true
		c.Signal()
		mu.Unlock()
		c.Broadcast()
		for _, h := range hs {
			h.Join()
		}
		return fmt.Sprint(woken)
	}
}

type table interface {
	LoadOrStore(k, v any) (any, bool)
	CompareAndSwap(k, old, new any) bool
	CompareAndDelete(k, old any) bool
	Load(any) (any, bool)
	Store(k, v any)
	Swap(k, v any) (any, bool)
	Delete(any)
	LoadAndDelete(any) (any, bool)
	Range(func(k, v any) bool)
	Clear()
}

func mapping(m table) func() string {
	return func() string {
		m.Store("x", 1)
		h := sched.Go(func() {
			m.CompareAndSwap("x", 1, 2)
			m.Swap("z", 9)
		})
		v, loaded := m.LoadOrStore("y", 5)
		x, _ := m.LoadAndDelete("x")
		h.Join()
		m.CompareAndDelete("y", 6)
		m.Delete("none")
		text := fmt.Sprint(v, loaded, x)
		m.Range(func(k, v any) bool { text += fmt.Sprint(" ", k, v); return true })
		m.Clear()
		_, ok := m.Load("y")
		return fmt.Sprint(text, ok)
	}
}

type pool interface {
	Get() any
	Put(any)
}

func pooling(p pool) func() string {
	return func() string {
		h := sched.Go(func() { p.Put(1) })
		v := p.Get()
		h.Join()
		return fmt.Sprint(v)
	}
}

// TestLikeSched compares programs with the primitives that they stand for.
func TestLikeSched(t *testing.T) {
	mu, rw := new(sync.Mutex), new(sched.Mutex)
	zero := func() any { return 0 }
	for _, c := range []struct {
		name             string
		twin, primitives func() string
		traces           int64 // 0 for any number
		outcomes         string
	}{
		{"Mutex", locking(&sync.Mutex{}), locking(&sched.Mutex{}), 4, "false 1 | true 0 | true 1 | true 10"},
		{"RWMutex as Mutex", locking(&sync.RWMutex{}), locking(&sched.RWMutex{}), 4, "false 1 | true 0 | true 1 | true 10"},
		{"RWMutex", sharing(&sync.RWMutex{}), sharing(&sched.RWMutex{}), 0, "0 | 1"},
		{"WaitGroup", waiting(&sync.WaitGroup{}, mu), waiting(&sched.WaitGroup{}, rw), 2, "ab | ba"},
		{"Once", doing(&sync.Once{}), doing(&sched.Once{}), 2, "1 | 10"},
		{"Cond", notifying(sync.NewCond(mu), mu), notifying(sched.NewCond(rw), rw), 0, "2"},
		{"Map", mapping(&sync.Map{}), mapping(&sched.Map{}), 2, "5 false 1 y5 z9false | 5 false 2 y5 z9false"},
		{"Pool", pooling(&sync.Pool{New: zero}), pooling(&sched.Pool{New: zero}), 0, "0 | 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := stdtest.Same(t, c.twin, c.primitives, por.Model(sched.ModelPool)) // goroutines share Pools
			if found.Outcomes != c.outcomes || found.Failures != "" || c.traces != 0 && found.Traces != c.traces {
				t.Errorf("got %+v, want %d traces with %q", found, c.traces, c.outcomes)
			}
		})
	}
}

// TestLikeOriginal runs the same programs, each with goroutines of its own,
// outside of control.
func TestLikeOriginal(t *testing.T) {
	var (
		mu   sync.Mutex
		rw   sync.RWMutex
		wg   sync.WaitGroup
		once sync.Once
		m    sync.Map
		n    int
	)
	ready := sync.NewCond(rw.RLocker())
	get := sync.OnceValues(func() (int, string) { n += 1000; return n, "x" })
	for i := range 10 {
		wg.Go(func() {
			mu.Lock()
			n++
			mu.Unlock()
			once.Do(func() { m.Store("once", true) })
			m.Store(i, i)
		})
	}
	over := false
	go func() {
		wg.Wait()
		rw.Lock()
		over = true
		rw.Unlock()
		ready.Broadcast()
	}()
	rw.RLock()
	for !over {
		ready.Wait()
	}
	rw.RUnlock()
	a, _ := get()
	b, x := get()
	keys := 0
	m.Range(func(k, v any) bool { keys++; return true })
	if n != 1010 || a != 1010 || b != 1010 || x != "x" || keys != 11 {
		t.Errorf("n = %d, %d, %d, %q, %d keys", n, a, b, x, keys)
	}
	p := sync.Pool{New: func() any { return 3 }}
	if p.Get() != 3 || !mu.TryLock() || mu.TryLock() || !rw.TryRLock() || rw.TryLock() {
		t.Error("Pool or TryLock")
	}
	if got := stdtest.Caught(func() { wg.Done() }); got != "sync: negative WaitGroup counter" {
		t.Error(got)
	}
}

// TestAdopted uses in every execution what was left outside.
func TestAdopted(t *testing.T) {
	var (
		mu           sync.Mutex
		read, write  sync.RWMutex
		wg           sync.WaitGroup
		done, undone sync.Once
		m            sync.Map
		calls        int
	)
	value := sync.OnceValue(func() int { calls++; return 7 })
	mu.Lock()
	read.RLock()
	read.RLock()
	write.Lock()
	wg.Add(3)
	wg.Done()
	done.Do(func() {})
	m.Store("b", 2)
	m.Store("a", 1)
	m.Store(3, 3)
	value()
	got := stdtest.Alone(t, func() string {
		text := fmt.Sprint(mu.TryLock(), write.TryRLock(), read.TryLock(), read.TryRLock())
		for range 3 {
			read.RUnlock()
		}
		mu.Unlock()
		write.Unlock()
		text += fmt.Sprint(" ", mu.TryLock(), write.TryLock(), read.TryLock())
		h := sched.Go(func() { wg.Done(); wg.Done() })
		wg.Wait()
		h.Join()
		done.Do(func() { text += " again" })
		undone.Do(func() { text += " once" })
		m.Store("c", 4)
		m.Delete("b")
		m.Range(func(k, v any) bool { text += fmt.Sprint(" ", k, v); return true })
		return fmt.Sprint(text, " ", value(), calls)
	})
	want := "false false false true true true true once c4 3 3 a1 7 1"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if mu.TryLock() || write.TryRLock() || read.TryLock() {
		t.Error("an execution has unlocked what is locked outside")
	}
}

// TestReaders fails when the package sync changes where it counts readers.
func TestReaders(t *testing.T) {
	var rw sync.RWMutex
	for n := range 4 {
		found := stdtest.Explore(t, func() string {
			for range n {
				rw.RUnlock()
			}
			return fmt.Sprint(rw.TryLock())
		})
		if found.Outcomes != "true" || found.Failures != "" {
			t.Errorf("%d readers: %+v", n, found)
		}
		rw.RLock()
	}
}

func TestFailures(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	found := stdtest.Explore(t, func() string {
		wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		wg.Wait()
		return ""
	})
	if !strings.Contains(found.Failures, "deadlock: all goroutines wait") {
		t.Errorf("%+v", found)
	}
	var mu sync.Mutex
	mu.Lock()
	for want, f := range map[string]func() string{
		"deadlock: all goroutines wait":               func() string { mu.Lock(); return "" },
		"fatal error: sync: unlock of unlocked mutex": func() string { mu.Unlock(); mu.Unlock(); return "" },
		"panic: sync: negative WaitGroup counter":     func() string { wg.Done(); return "" },
	} {
		if found := stdtest.Explore(t, f); found.Failures != want {
			t.Errorf("got %q, want %q", found.Failures, want)
		}
	}
}

// TestOnceAgain computes once in every execution, and never keeps a result.
func TestOnceAgain(t *testing.T) {
	executions, calls := 0, 0
	f := sync.OnceFunc(func() { calls++ })
	pair := sync.OnceValues(func() (int, error) { panic("no") })
	stdtest.Explore(t, func() string {
		executions++
		h := sched.Go(f)
		f()
		h.Join()
		return stdtest.Caught(func() { pair() }) + stdtest.Caught(func() { pair() })
	})
	if calls != executions || executions < 2 {
		t.Errorf("%d calls in %d executions", calls, executions)
	}
	f()
	f()
	if calls != executions+1 {
		t.Errorf("%d calls outside", calls-executions)
	}
}

func BenchmarkMutex(b *testing.B) {
	var mu original.Mutex
	var twin sync.Mutex
	b.Run("original", func(b *testing.B) {
		for b.Loop() {
			mu.Lock()
			mu.Unlock()
		}
	})
	b.Run("twin", func(b *testing.B) {
		for b.Loop() {
			twin.Lock()
			twin.Unlock()
		}
	})
}

// TestOverwritten assigns to variables that another goroutine uses, as a plain
// assignment in rewritten code does.
func TestOverwritten(t *testing.T) {
	type all struct {
		mu   sync.Mutex
		rw   sync.RWMutex
		wg   sync.WaitGroup
		once sync.Once
		m    sync.Map
	}
	uses := map[string]func(*all){
		"Mutex.Lock":     func(v *all) { v.mu.Lock() },
		"RWMutex.RLock":  func(v *all) { v.rw.RLock() },
		"WaitGroup.Wait": func(v *all) { v.wg.Wait() },
		"Once.Do":        func(v *all) { v.once.Do(func() {}) },
		"Map.Store":      func(v *all) { v.m.Store(1, 2) },
	}
	for name, use := range uses {
		for _, ordered := range []bool{true, false} {
			found := stdtest.Explore(t, func() string {
				v := new(all)
				h := sched.Go(func() { use(v) })
				if ordered {
					h.Join()
				}
				hook.WriteMemory(unsafe.Pointer(v), unsafe.Sizeof(*v))
				h.Join()
				return ""
			})
			if raced := strings.HasPrefix(found.Failures, "data race: "); raced == ordered {
				t.Errorf("%s, ordered %v: %+v", name, ordered, found)
			}
		}
	}
}

// A copy of a Cond that is in use panics as sync.Cond does, under control too.
func TestCondCopied(t *testing.T) {
	found := stdtest.Explore(t, func() (text string) {
		var c [2]sync.Cond
		c[0].L = &sync.Mutex{}
		c[0].Signal()
		defer func() { text = fmt.Sprint(recover()) }()
		reflect.ValueOf(&c[1]).Elem().Set(reflect.ValueOf(&c[0]).Elem()) // vet knows what is wrong with c[1] = c[0]
		c[0].Broadcast()                                                 // not the copy
		c[1].Signal()
		return "not noticed"
	})
	if found.Outcomes != "sync.Cond is copied" || found.Failures != "" {
		t.Errorf("%+v", found)
	}
}
