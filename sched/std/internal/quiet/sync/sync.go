// Package sync takes the place of package sync in packages of the standard library that are
// compiled to announce accesses of memory. Its primitives order accesses under control, as the
// originals do, but are not operations of the program: their order is not explored. A primitive
// that has to wait for a controlled goroutine yields. Where the order in which goroutines reach
// locks is explored, see [sched.ModelLock], Lock and Unlock are operations.
//
// [sched.ModelLock]: https://pkg.go.dev/github.com/gopor/gopor/sched#ModelLock
package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// Locker is sync.Locker.
type Locker = sync.Locker

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return live.In() }

// explored reports whether locks of the calling goroutine are operations.
func explored() bool { return live.On() && live.Caller.Locks() }

// lock calls lock, or try until it succeeds. The caller then comes after the goroutines that
// have released one of the places. The first place stands for the lock.
func lock(call live.LockCall, lock func(), try func() bool, places ...unsafe.Pointer) {
	switch {
	case explored():
		live.Caller.Lock(call, places[0], try)
	case !controlled():
		lock()
	default:
		for !try() {
			live.Caller.Yield()
		}
		holds(places)
	}
}

// tries calls try, and reports whether it has succeeded.
func tries(call live.LockCall, try func() bool, places ...unsafe.Pointer) bool {
	if explored() {
		return live.Caller.Lock(call, places[0], try)
	}
	ok := try()
	if ok && controlled() {
		holds(places)
	}
	return ok
}

func holds(places []unsafe.Pointer) {
	ordered := false
	for _, p := range places {
		ordered = live.Caller.Acquire(p) || ordered
	}
	live.Caller.Hold(1)
	if ordered {
		live.Caller.Ordered()
	}
}

// unlock calls unlock, for a goroutine that has called lock with the same call.
func unlock(call live.LockCall, unlock func(), lock, place unsafe.Pointer) {
	if explored() {
		live.Caller.Unlock(call, lock, unlock)
		return
	}
	releases(place)
	unlock()
	if controlled() {
		live.Caller.Hold(-1)
	}
}

// releases is called before an operation that lets other goroutines go on.
func releases(p unsafe.Pointer) {
	if controlled() {
		live.Caller.Release(p)
	}
}

// acquires is called after an operation that observes other goroutines.
func acquires(p unsafe.Pointer) {
	if controlled() {
		live.Caller.Acquire(p)
	}
}

// Mutex is a sync.Mutex.
type Mutex struct{ real sync.Mutex }

func (m *Mutex) Lock()         { lock(live.MutexLock, m.real.Lock, m.real.TryLock, unsafe.Pointer(m)) }
func (m *Mutex) TryLock() bool { return tries(live.MutexTryLock, m.real.TryLock, unsafe.Pointer(m)) }
func (m *Mutex) Unlock() {
	unlock(live.MutexLock, m.real.Unlock, unsafe.Pointer(m), unsafe.Pointer(m))
}

// RWMutex is a sync.RWMutex.
type RWMutex struct{ real sync.RWMutex }

func (rw *RWMutex) Lock() {
	lock(live.RWMutexLock, rw.real.Lock, rw.real.TryLock, rw.written(), rw.read())
}
func (rw *RWMutex) TryLock() bool {
	return tries(live.RWMutexTryLock, rw.real.TryLock, rw.written(), rw.read())
}
func (rw *RWMutex) Unlock() { unlock(live.RWMutexLock, rw.real.Unlock, rw.written(), rw.written()) }
func (rw *RWMutex) RLock() {
	lock(live.RWMutexRLock, rw.real.RLock, rw.real.TryRLock, rw.written())
}
func (rw *RWMutex) TryRLock() bool {
	return tries(live.RWMutexTryRLock, rw.real.TryRLock, rw.written())
}
func (rw *RWMutex) RUnlock() { unlock(live.RWMutexRLock, rw.real.RUnlock, rw.written(), rw.read()) }

// written and read are the places that writers and readers release: readers are not ordered
// among each other.
func (rw *RWMutex) written() unsafe.Pointer { return unsafe.Pointer(rw) }
func (rw *RWMutex) read() unsafe.Pointer    { return unsafe.Add(unsafe.Pointer(rw), 1) }

// RLocker returns a Locker that calls RLock and RUnlock.
func (rw *RWMutex) RLocker() Locker { return (*readers)(rw) }

type readers RWMutex

func (r *readers) Lock()   { (*RWMutex)(r).RLock() }
func (r *readers) Unlock() { (*RWMutex)(r).RUnlock() }

// WaitGroup is a sync.WaitGroup.
type WaitGroup struct{ real sync.WaitGroup }

func (wg *WaitGroup) Add(delta int) { releases(unsafe.Pointer(wg)); wg.real.Add(delta) }
func (wg *WaitGroup) Done()         { wg.Add(-1) }
func (wg *WaitGroup) Wait()         { wg.real.Wait(); acquires(unsafe.Pointer(wg)) }

// Go calls f in a new goroutine, which is not controlled.
func (wg *WaitGroup) Go(f func()) { wg.real.Go(f) }

// Once is a sync.Once.
type Once struct {
	done atomic.Bool
	m    Mutex
}

// Do calls f unless Do was called before.
func (o *Once) Do(f func()) {
	if !o.done.Load() {
		o.m.Lock()
		defer o.m.Unlock()
		if !o.done.Load() {
			defer o.close()
			f()
			return
		}
	}
	acquires(unsafe.Pointer(o))
}

// close marks the Once as done. It announces that as a write: the mark is put back after the
// execution, together with the effects of f.
func (o *Once) close() {
	releases(unsafe.Pointer(o))
	if controlled() {
		live.Caller.Write(unsafe.Pointer(&o.done), unsafe.Sizeof(o.done))
	}
	o.done.Store(true)
}

// OnceFunc returns a function that calls f once.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { g() }
}

// OnceValue returns a function that calls f once, and returns what that has returned.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T { v, _ := g(); return v }
}

// OnceValues is OnceValue for two values.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once Once
	var v1 T1
	var v2 T2
	var failed any
	valid := false
	return func() (T1, T2) {
		once.Do(func() {
			defer func() {
				if !valid {
					failed = recover()
					panic(failed)
				}
			}()
			v1, v2 = f()
			f, valid = nil, true
		})
		if !valid {
			panic(failed)
		}
		return v1, v2
	}
}

// Cond is a sync.Cond.
type Cond struct {
	L    Locker
	real *sync.Cond
}

// NewCond returns a Cond with a lock.
func NewCond(l Locker) *Cond { return &Cond{l, sync.NewCond(l)} }

func (c *Cond) Wait()      { c.real.Wait() }
func (c *Cond) Signal()    { c.real.Signal() }
func (c *Cond) Broadcast() { c.real.Broadcast() }

// Pool is a sync.Pool. Controlled goroutines get what they have put into it themselves, and nothing
// of others: that would order unrelated events.
type Pool struct {
	New  func() any
	real sync.Pool
}

// Get returns a value of the pool, or a new one.
func (p *Pool) Get() any {
	get := p.real.Get
	if controlled() {
		get = p.reserved
	}
	if v := get(); v != nil {
		return v
	}
	if p.New == nil {
		return nil
	}
	return p.New()
}

// Put puts a value into the pool.
func (p *Pool) Put(v any) {
	if controlled() {
		live.Caller.Reserve(unsafe.Pointer(p), v)
		return
	}
	p.real.Put(v)
}

func (p *Pool) reserved() any { return live.Caller.Reserved(unsafe.Pointer(p)) }

// Map is a sync.Map.
type Map struct{ real sync.Map }

func (m *Map) Load(key any) (value any, ok bool) {
	value, ok = m.real.Load(key)
	acquires(unsafe.Pointer(m))
	return value, ok
}

func (m *Map) Range(f func(key, value any) bool) {
	acquires(unsafe.Pointer(m))
	m.real.Range(f)
}

func (m *Map) Store(key, value any) { m.Swap(key, value) }
func (m *Map) Delete(key any)       { m.LoadAndDelete(key) }

func (m *Map) Clear() {
	m.changes()
	m.real.Clear()
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	m.changes()
	return m.real.LoadOrStore(key, value)
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	m.changes()
	return m.real.LoadAndDelete(key)
}

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	m.changes()
	return m.real.Swap(key, value)
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	m.changes()
	return m.real.CompareAndSwap(key, old, new)
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	m.changes()
	return m.real.CompareAndDelete(key, old)
}

// changes is called before an operation that observes other goroutines and lets them go on. No
// controlled goroutine runs between the two, since the next one moves when this one makes a
// request.
func (m *Map) changes() {
	if controlled() {
		live.Caller.Acquire(unsafe.Pointer(m))
		live.Caller.Release(unsafe.Pointer(m))
	}
}
