package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// Locker is sync.Locker.
type Locker = sync.Locker

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() }

// controls reports whether the calling goroutine, which is about to use the primitive with the
// key k, is controlled.
func controls[S any](k *machine.Key[S]) bool { return hook.Controlled() && hook.Uses(k) }

// A Mutex is a sync.Mutex, and under control a sched.Mutex.
type Mutex struct {
	_  noCopy
	mu words
}

// under returns the Mutex of the execution. If m was locked outside, it is locked at the start
// of every execution. The argument writes says that the caller is about to write the memory of
// m.
func (m *Mutex) under(writes bool) *sched.Mutex {
	if hook.Fresh(m.key(), writes) {
		if state := atomic.LoadInt32(&m.mu.state); state > 0 && state&1 != 0 {
			hook.AdoptMutex(m.key())
		}
	}
	return m.ctl()
}

// Lock locks m.
func (m *Mutex) Lock() {
	if hook.Controlled() && hook.Uses(m.key()) {
		m.under(true).Lock()
		return
	}
	if real := m.real(); !real.TryLock() {
		m.key().Natively(real.Lock)
	}
}

// TryLock locks m if it is unlocked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if controls(m.key()) {
		ok := m.under(false).TryLock()
		if ok {
			hook.Wrote(m.key())
		}
		return ok
	}
	m.key().Evict()
	return m.real().TryLock()
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	if hook.Controlled() && hook.Uses(m.key()) {
		m.under(true).Unlock()
		return
	}
	m.key().Evict()
	m.real().Unlock()
}

// An RWMutex is a sync.RWMutex, and under control a sched.RWMutex.
type RWMutex struct {
	w           Mutex // its words are the key
	writerSem   uint32
	readerSem   uint32
	readerCount atomic.Int32 // negative if a writer has the lock, or waits for it
	readerWait  atomic.Int32
}

// under returns the RWMutex of the execution. If rw was locked outside, it is locked in the
// same way at the start of every execution. The argument writes says that the caller is about
// to write the memory of rw.
func (rw *RWMutex) under(writes bool) *sched.RWMutex {
	if hook.Fresh(rw.key(), writes) {
		if n := rw.readerCount.Load(); n != 0 {
			hook.AdoptRWMutex(rw.key(), n < 0, max(0, int(n)))
		}
	}
	return rw.ctl()
}

// Lock locks rw for writing.
func (rw *RWMutex) Lock() {
	if hook.Controlled() && hook.Uses(rw.key()) {
		rw.under(true).Lock()
		return
	}
	if real := rw.real(); !real.TryLock() {
		rw.key().Natively(real.Lock)
	}
}

// TryLock locks rw for writing if it is unlocked, and reports whether it did.
func (rw *RWMutex) TryLock() bool {
	if controls(rw.key()) {
		ok := rw.under(false).TryLock()
		if g, s, _ := hook.Meet(rw.key()); g != nil {
			s.TouchByTry(g, unsafe.Pointer(rw.key()), ok)
		}
		return ok
	}
	rw.key().Evict()
	return rw.real().TryLock()
}

// Unlock undoes one Lock.
func (rw *RWMutex) Unlock() {
	if hook.Controlled() && hook.Uses(rw.key()) {
		rw.under(true).Unlock()
		return
	}
	rw.key().Evict()
	rw.real().Unlock()
}

// RLock locks rw for reading.
func (rw *RWMutex) RLock() {
	if hook.Controlled() && hook.Uses(rw.key()) {
		rw.under(true).RLock()
		return
	}
	rw.real().RLock()
}

// TryRLock locks rw for reading if no writer has or awaits the lock, and reports whether it
// did.
func (rw *RWMutex) TryRLock() bool {
	if controls(rw.key()) {
		ok := rw.under(false).TryRLock()
		if ok {
			hook.Wrote(rw.key())
		}
		return ok
	}
	return rw.real().TryRLock()
}

// RUnlock undoes one RLock.
func (rw *RWMutex) RUnlock() {
	if hook.Controlled() && hook.Uses(rw.key()) {
		rw.under(true).RUnlock()
		return
	}
	rw.real().RUnlock()
}

// RLocker returns a Locker with the methods RLock and RUnlock of rw.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
