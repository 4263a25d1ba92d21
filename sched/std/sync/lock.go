package sync

import (
	"sync"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// Locker is sync.Locker.
type Locker = sync.Locker

// controlled reports whether the calling goroutine is a controlled one.
func controlled() bool { return hook.Controlled() && hook.Active() }

// controls is controlled for one that is about to use
// the primitive with the key k.
func controls[S any](k *machine.Key[S]) bool { return hook.Controlled() && hook.Uses(k) }

// A Mutex is a sync.Mutex, and under control a sched.Mutex.
type Mutex struct {
	real sync.Mutex
	ctl  sched.Mutex
}

// under returns the Mutex of the execution. If m was locked outside, it is
// locked at the start of every execution.
func (m *Mutex) under() *sched.Mutex {
	if hook.Fresh(mutexKey(&m.ctl)) {
		if m.real.TryLock() {
			m.real.Unlock()
		} else {
			hook.AdoptMutex(mutexKey(&m.ctl))
		}
	}
	return &m.ctl
}

// Lock locks m.
func (m *Mutex) Lock() {
	if hook.Controlled() && hook.Uses(mutexKey(&m.ctl)) {
		m.under().Lock()
		return
	}
	m.real.Lock()
}

// TryLock locks m if it is unlocked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if controls(mutexKey(&m.ctl)) {
		return m.under().TryLock()
	}
	return m.real.TryLock()
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	if hook.Controlled() && hook.Uses(mutexKey(&m.ctl)) {
		m.under().Unlock()
		return
	}
	m.real.Unlock()
}

// An RWMutex is a sync.RWMutex, and under control a sched.RWMutex.
type RWMutex struct {
	real sync.RWMutex
	ctl  sched.RWMutex
}

// under returns the RWMutex of the execution. If rw was locked outside, it is
// locked in the same way at the start of every execution.
func (rw *RWMutex) under() *sched.RWMutex {
	if !hook.Fresh(rwKey(&rw.ctl)) {
		return &rw.ctl
	}
	switch {
	case rw.real.TryLock():
		rw.real.Unlock()
	case rw.real.TryRLock():
		rw.real.RUnlock()
		hook.AdoptRWMutex(rwKey(&rw.ctl), false, readersOf(&rw.real))
	default:
		hook.AdoptRWMutex(rwKey(&rw.ctl), true, 0)
	}
	return &rw.ctl
}

// Lock locks rw for writing.
func (rw *RWMutex) Lock() {
	if hook.Controlled() && hook.Uses(rwKey(&rw.ctl)) {
		rw.under().Lock()
		return
	}
	rw.real.Lock()
}

// TryLock locks rw for writing if it is unlocked, and reports whether it did.
func (rw *RWMutex) TryLock() bool {
	if controls(rwKey(&rw.ctl)) {
		return rw.under().TryLock()
	}
	return rw.real.TryLock()
}

// Unlock undoes one Lock.
func (rw *RWMutex) Unlock() {
	if hook.Controlled() && hook.Uses(rwKey(&rw.ctl)) {
		rw.under().Unlock()
		return
	}
	rw.real.Unlock()
}

// RLock locks rw for reading.
func (rw *RWMutex) RLock() {
	if hook.Controlled() && hook.Uses(rwKey(&rw.ctl)) {
		rw.under().RLock()
		return
	}
	rw.real.RLock()
}

// TryRLock locks rw for reading if no writer is in the way, and reports whether
// it did.
func (rw *RWMutex) TryRLock() bool {
	if controls(rwKey(&rw.ctl)) {
		return rw.under().TryRLock()
	}
	return rw.real.TryRLock()
}

// RUnlock undoes one RLock.
func (rw *RWMutex) RUnlock() {
	if hook.Controlled() && hook.Uses(rwKey(&rw.ctl)) {
		rw.under().RUnlock()
		return
	}
	rw.real.RUnlock()
}

// RLocker returns a Locker whose methods are RLock and RUnlock of rw.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
