package sync_test

import (
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/trace"
)

// oneOfEach has one primitive of each kind.
type oneOfEach struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	once sync.Once
	wg   sync.WaitGroup
	cond sync.Cond
	m    sync.Map
	pool sync.Pool
}

func newOfEach() *oneOfEach {
	l := new(oneOfEach)
	l.cond.L = new(sync.Mutex)
	return l
}

// read is what the compiler announces of a copy of *p, of a comparison with it, or of printing it.
func read[T any](p *T) { hook.ReadMemory(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

func nothing()            {}
func unused(l *oneOfEach) {}

// plainReads are operations beside which the primitive is read as memory. The first function is called before there are other
// goroutines. They are races if the operation writes the memory in package sync.
var plainReads = []struct {
	name        string
	before, use func(l *oneOfEach)
	read        func(l *oneOfEach)
	race        bool
}{
	{"Lock", unused, func(l *oneOfEach) { l.mu.Lock() }, readMutex, true},
	{"Unlock", func(l *oneOfEach) { l.mu.Lock() }, func(l *oneOfEach) { l.mu.Unlock() }, readMutex, true},
	{"TryLock", unused, func(l *oneOfEach) { l.mu.TryLock() }, readMutex, true},
	{"TryLock that fails", func(l *oneOfEach) { l.mu.Lock() }, func(l *oneOfEach) { l.mu.TryLock() }, readMutex, false},
	{"Lock by a Locker", unused, func(l *oneOfEach) { sync.Locker(&l.mu).Lock() }, readMutex, true},

	{"Lock of an RWMutex", unused, func(l *oneOfEach) { l.rw.Lock() }, readRW, true},
	{"Unlock of an RWMutex", func(l *oneOfEach) { l.rw.Lock() }, func(l *oneOfEach) { l.rw.Unlock() }, readRW, true},
	{"TryLock of an RWMutex", unused, func(l *oneOfEach) { l.rw.TryLock() }, readRW, true},
	{"TryLock beside a writer", func(l *oneOfEach) { l.rw.Lock() }, func(l *oneOfEach) { l.rw.TryLock() }, readRW, false},
	{"TryLock beside a reader", func(l *oneOfEach) { l.rw.RLock() }, func(l *oneOfEach) { l.rw.TryLock() }, readRW, true},
	{"RLock", unused, func(l *oneOfEach) { l.rw.RLock() }, readRW, true},
	{"RUnlock", func(l *oneOfEach) { l.rw.RLock() }, func(l *oneOfEach) { l.rw.RUnlock() }, readRW, true},
	{"TryRLock", unused, func(l *oneOfEach) { l.rw.TryRLock() }, readRW, true},
	{"TryRLock that fails", func(l *oneOfEach) { l.rw.Lock() }, func(l *oneOfEach) { l.rw.TryRLock() }, readRW, false},
	{"RLocker", unused, func(l *oneOfEach) { l.rw.RLocker().Lock() }, readRW, true},

	{"Do", unused, func(l *oneOfEach) { l.once.Do(nothing) }, readOnce, true},
	{"later Do", func(l *oneOfEach) { l.once.Do(nothing) }, func(l *oneOfEach) { l.once.Do(nothing) }, readOnce, false},

	{"Add", unused, func(l *oneOfEach) { l.wg.Add(1) }, readGroup, true},
	{"Add of less", func(l *oneOfEach) { l.wg.Add(2) }, func(l *oneOfEach) { l.wg.Add(-2) }, readGroup, true},
	{"Done", func(l *oneOfEach) { l.wg.Add(1) }, func(l *oneOfEach) { l.wg.Done() }, readGroup, true},
	{"Done of two", func(l *oneOfEach) { l.wg.Add(2) }, func(l *oneOfEach) { l.wg.Done() }, readGroup, true},
	{"Go", unused, func(l *oneOfEach) { l.wg.Go(nothing) }, readGroup, true},
	{"end of Go", func(l *oneOfEach) { l.wg.Go(nothing) }, unused, readGroup, true},
	{"Wait for nothing", unused, func(l *oneOfEach) { l.wg.Wait() }, readGroup, false},
	{"Wait for what is done", func(l *oneOfEach) { l.wg.Add(1); l.wg.Done() }, func(l *oneOfEach) { l.wg.Wait() }, readGroup, false},

	{"Wait of a Cond", unused, func(l *oneOfEach) {
		l.cond.L.Lock()
		sched.Go(func() { l.cond.L.Lock(); l.cond.Broadcast(); l.cond.L.Unlock() })
		l.cond.Wait()
	}, readCond, true},
	{"Wait that comes later, and waits for ever", func(l *oneOfEach) { l.cond.Signal() }, func(l *oneOfEach) { l.cond.L.Lock(); l.cond.Wait() }, readCond, true},
	{"first Signal", unused, func(l *oneOfEach) { l.cond.Signal() }, readCond, true},
	{"later Signal", func(l *oneOfEach) { l.cond.Signal() }, func(l *oneOfEach) { l.cond.Signal() }, readCond, false},
	{"later Broadcast", func(l *oneOfEach) { l.cond.Broadcast() }, func(l *oneOfEach) { l.cond.Broadcast() }, readCond, false},

	{"first Load", unused, func(l *oneOfEach) { l.m.Load(1) }, readMap, true},
	{"later Load", func(l *oneOfEach) { l.m.Store(1, 2) }, func(l *oneOfEach) { l.m.Load(1) }, readMap, false},
	{"later Store", func(l *oneOfEach) { l.m.Store(1, 2) }, func(l *oneOfEach) { l.m.Store(2, 2) }, readMap, false},
	{"later Delete", func(l *oneOfEach) { l.m.Store(1, 2) }, func(l *oneOfEach) { l.m.Delete(1) }, readMap, false},
	{"later Clear", func(l *oneOfEach) { l.m.Store(1, 2) }, func(l *oneOfEach) { l.m.Clear() }, readMap, true},

	{"Get", unused, func(l *oneOfEach) { l.pool.Get() }, readPool, true},
	{"later Get", func(l *oneOfEach) { l.pool.Get() }, func(l *oneOfEach) { l.pool.Get() }, readPool, true},
	{"Put", unused, func(l *oneOfEach) { l.pool.Put(1) }, readPool, true},
	{"Put of nil", unused, func(l *oneOfEach) { l.pool.Put(nil) }, readPool, false},

	{"Lock beside a read of what is next to it", unused, func(l *oneOfEach) { l.rw.Lock() }, readMutex, false},
}

func readMutex(l *oneOfEach) { read(&l.mu) }
func readRW(l *oneOfEach)    { read(&l.rw) }
func readOnce(l *oneOfEach)  { read(&l.once) }
func readGroup(l *oneOfEach) { read(&l.wg) }
func readCond(l *oneOfEach)  { read(&l.cond) }
func readMap(l *oneOfEach)   { read(&l.m) }
func readPool(l *oneOfEach)  { read(&l.pool) }

// races reports whether some execution of f has a data race. Nothing else is wrong with it but that goroutines may wait for ever.
func races(t *testing.T, f func()) (raced bool) {
	t.Helper()
	res, err := por.Explore(f, por.KeepGoing(20), por.AllowLeaks())
	if err != nil {
		t.Fatal(err)
	}
	for _, fail := range res.Failures {
		if fail.Kind != trace.FailRace {
			t.Errorf("%v: %s", fail.Kind, fail.Msg)
		}
		raced = raced || fail.Kind == trace.FailRace
	}
	return raced
}

// TestPlainReads reads primitives as memory beside each of their operations, before it and after it.
func TestPlainReads(t *testing.T) {
	for _, c := range plainReads {
		for _, readFirst := range []bool{true, false} {
			program := func() {
				l := newOfEach()
				c.before(l)
				uses := []func(l *oneOfEach){c.use, c.read}
				if readFirst {
					uses = []func(l *oneOfEach){c.read, c.use}
				}
				for _, use := range uses {
					sched.Go(func() { use(l) })
				}
			}
			if got := races(t, program); got != c.race {
				t.Errorf("%s, the read started first: %v: race %v, want %v", c.name, readFirst, got, c.race)
			}
		}
	}
}

// TestMapUsedBefore reads a Map as memory that was used before the execution: later uses do not write it.
func TestMapUsedBefore(t *testing.T) {
	var used, fresh sync.Map
	used.Store(1, 2)
	for _, m := range []*sync.Map{&used, &fresh} {
		got := races(t, func() {
			sched.Go(func() { m.Load(1) })
			read(m)
		})
		if want := m == &fresh; got != want {
			t.Errorf("used before the execution: %v, race %v, want %v", m == &used, got, want)
		}
	}
}

// orders are programs in which something orders a read of a lock as memory with its use, or does not.
var orders = []struct {
	name string
	f    func(l *oneOfEach)
	race bool
}{
	{"the read is over before others start", func(l *oneOfEach) {
		use, h := l.mu.Lock, sched.Go(func() { readMutex(l) })
		h.Join()
		sched.Go(use)
	}, false},
	{"others are over before the read", func(l *oneOfEach) {
		sched.Go(func() { l.mu.Lock(); l.mu.Unlock() }).Join()
		readMutex(l)
	}, false},
	{"one goroutine", func(l *oneOfEach) {
		sched.Go(nothing)
		l.mu.Lock()
		readMutex(l)
		l.mu.Unlock()
		l.rw.RLock()
		readRW(l)
		l.rw.RUnlock()
	}, false},
	{"under another lock", func(l *oneOfEach) {
		sched.Go(func() { l.rw.Lock(); l.mu.Lock(); l.mu.Unlock(); l.rw.Unlock() })
		l.rw.RLock()
		readMutex(l)
		l.rw.RUnlock()
	}, false},
	{"under another lock, which only the read takes", func(l *oneOfEach) {
		sched.Go(func() { l.mu.Lock(); l.mu.Unlock() })
		l.rw.RLock()
		readMutex(l)
		l.rw.RUnlock()
	}, true},
	// The one that comes second may ask for the lock before the other one gives it back.
	{"under the lock itself", func(l *oneOfEach) {
		sched.Go(func() { l.mu.Lock(); l.mu.Unlock() })
		l.mu.Lock()
		readMutex(l)
		l.mu.Unlock()
	}, true},
	{"under the lock itself, by one that tried", func(l *oneOfEach) {
		sched.Go(func() {
			if l.mu.TryLock() {
				l.mu.Unlock()
			}
		})
		if l.mu.TryLock() {
			readMutex(l)
			l.mu.Unlock()
		}
	}, false},
	{"under the lock itself, shared", func(l *oneOfEach) {
		for range 2 {
			sched.Go(func() { l.rw.RLock(); readRW(l); l.rw.RUnlock() })
		}
	}, true},
	{"after a Wait for the same group", func(l *oneOfEach) {
		for range 2 {
			l.wg.Go(nothing)
		}
		l.wg.Wait()
		readGroup(l)
	}, false},
	{"during a Wait", func(l *oneOfEach) {
		l.wg.Add(1)
		sched.Go(func() { readGroup(l); l.wg.Done() })
		l.wg.Wait()
	}, true},
	{"after Done, during a Wait by another one", func(l *oneOfEach) {
		l.wg.Add(1)
		sched.Go(func() { l.wg.Wait() })
		l.wg.Done()
		readGroup(l)
	}, true},
	// A Wait that comes later would only look, but another schedule has it wait.
	{"after Done, during a Wait", func(l *oneOfEach) {
		l.wg.Add(1)
		h := sched.Go(func() { l.wg.Done() })
		sched.Go(func() { h.Join(); readGroup(l) })
		l.wg.Wait()
	}, true},
	{"after Do that another goroutine has done as well", func(l *oneOfEach) {
		sched.Go(func() { l.once.Do(nothing) })
		l.once.Do(nothing)
		readOnce(l) // the lock of the Once may not have been given back
	}, true},
	{"after Do, which another one knows of", func(l *oneOfEach) {
		h := sched.Go(func() { l.once.Do(nothing) })
		sched.Go(func() { h.Join(); l.once.Do(nothing) })
		h.Join()
		readOnce(l)
	}, false},
	// Natively a Do that comes while the function runs takes the lock.
	{"after Do, which another one does not know of", func(l *oneOfEach) {
		h := sched.Go(func() { l.once.Do(nothing) })
		sched.Go(func() { l.once.Do(nothing) })
		h.Join()
		readOnce(l)
	}, true},
	// That one comes while the function runs, or after it.
	{"after Do, which another one does not know of, and begins later", func(l *oneOfEach) {
		begun := sched.NewChan[int](1)
		h := sched.Go(func() { l.once.Do(func() { begun.Send(1) }) })
		sched.Go(func() { begun.Recv(); l.once.Do(nothing) })
		h.Join()
		readOnce(l)
	}, true},
	{"after Do, which another one has begun before", func(l *oneOfEach) {
		begun := sched.NewChan[int](1)
		sched.Go(func() { l.once.Do(func() { begun.Send(1) }) })
		begun.Recv()
		l.once.Do(nothing)
		readOnce(l)
	}, true},
	{"Signal that wakes", func(l *oneOfEach) {
		asked := sched.NewChan[int](1)
		sched.Go(func() {
			l.cond.L.Lock()
			asked.Send(1)
			l.cond.Wait()
			l.cond.L.Unlock()
		})
		asked.Recv()
		l.cond.L.Lock()
		l.cond.L.Unlock()
		sched.Go(func() { l.cond.Signal() })
		readCond(l)
	}, true},
	// It may be about to signal when the other one has not asked to wait yet.
	{"Signal that wakes, in one order", func(l *oneOfEach) {
		l.cond.Signal()
		h := sched.NewChan[int](1)
		sched.Go(func() { l.cond.Signal() })
		sched.Go(func() {
			l.cond.L.Lock()
			h.Send(1)
			l.cond.Wait()
			l.cond.L.Unlock()
		})
		h.Recv()
		l.cond.L.Lock()
		l.cond.L.Unlock()
		readCond(l)
	}, true},
	{"Broadcast that wakes", func(l *oneOfEach) {
		asked := sched.NewChan[int](1)
		sched.Go(func() {
			l.cond.L.Lock()
			asked.Send(1)
			l.cond.Wait()
			l.cond.L.Unlock()
		})
		asked.Recv()
		l.cond.L.Lock()
		l.cond.L.Unlock()
		sched.Go(func() { l.cond.Broadcast() })
		readCond(l)
	}, true},
	{"Signal, which another one waits for", func(l *oneOfEach) {
		l.cond.Signal()
		asked := sched.NewChan[int](1)
		sched.Go(func() {
			l.cond.L.Lock()
			asked.Send(1)
			l.cond.Wait()
			l.cond.L.Unlock()
		})
		asked.Recv()
		sched.Go(func() { l.cond.L.Lock(); l.cond.L.Unlock(); l.cond.Signal() })
		readMutex(l)
	}, false},
	{"Load, the first of which comes from another one", func(l *oneOfEach) {
		h := sched.Go(func() { l.m.Load(1) })
		sched.Go(func() { l.m.Load(2) })
		h.Join()
		readMap(l)
	}, true},
	{"Load, after the first", func(l *oneOfEach) {
		h := sched.Go(func() { l.m.Load(1) })
		h.Join()
		sched.Go(func() { l.m.Load(2) })
		readMap(l)
	}, false},
	{"what a Pool has handed over", func(l *oneOfEach) {
		use := func() {
			p, ok := l.pool.Get().(*oneOfEach)
			if !ok {
				p = newOfEach()
			}
			readMutex(p)
			p.mu.Lock()
			p.mu.Unlock()
			l.pool.Put(p)
		}
		sched.Go(use)
		use()
	}, false},
}

// TestOrderedReads is about what orders a plain read of a lock.
func TestOrderedReads(t *testing.T) {
	for _, c := range orders {
		if got := races(t, func() { c.f(newOfEach()) }); got != c.race {
			t.Errorf("%s: race %v, want %v", c.name, got, c.race)
		}
	}
}
