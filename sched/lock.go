package sched

import (
	"sync"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Locker is a lock.
type Locker = sync.Locker

// A Mutex is a mutual exclusion lock, used like sync.Mutex. The zero value is
// an unlocked mutex. Requests are granted in the order in which they are made;
// every order of acquisitions is explored all the same, since every order of
// requests is.
//
// This type and the other ones that are named as one of package sync's have the size, the alignment
// and the exported fields in the places that those have.
type Mutex struct {
	k machine.Key[machine.MutexState]
}

// Lock locks m, and waits while it is locked.
func (m *Mutex) Lock() {
	g := machine.Enter("Mutex.Lock")
	s, _ := machine.Find(g.M, &m.k)
	g.Ask(trace.OpLock, s)
	machine.Keep(g.M, &m.k, s)
}

// TryLock locks m if it is unlocked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	g := machine.Enter("Mutex.TryLock")
	s, _ := machine.Find(g.M, &m.k)
	g.Ask(trace.OpTryLock, s)
	machine.Keep(g.M, &m.k, s)
	g.NoteResult(g.Reply.Ok)
	return g.Reply.Ok
}

// Unlock unlocks m. It is a fatal error if m is not locked. A locked Mutex is
// not tied to a goroutine: any may unlock it.
func (m *Mutex) Unlock() {
	if g := machine.Leave("Mutex.Unlock"); g != nil {
		s, _ := machine.Find(g.M, &m.k)
		g.Ask(trace.OpUnlock, s)
		machine.Keep(g.M, &m.k, s)
	}
}

// An RWMutex is a reader/writer lock, used like sync.RWMutex. A Lock that waits
// keeps new readers out.
type RWMutex struct {
	k machine.Key[machine.RwState]
	_ [4]uint32
}

// Lock locks rw for writing.
func (rw *RWMutex) Lock() { rw.wait("RWMutex.Lock", trace.OpLock) }

// RLock locks rw for reading.
func (rw *RWMutex) RLock() { rw.wait("RWMutex.RLock", trace.OpRLock) }

// TryLock locks rw for writing if it is not held, and reports whether it did. With
// [ModelTryLock] it may fail all the same.
func (rw *RWMutex) TryLock() bool {
	ok := rw.try("RWMutex.TryLock", trace.OpTryLock)
	if g := machine.Enter("RWMutex.TryLock"); ok && g.M.Model&machine.ModelTryLock == 0 {
		g.Usual(machine.ModelTryLock, "RWMutex.TryLock")
	}
	return ok
}

// TryRLock locks rw for reading if no writer holds it or waits for it, and
// reports whether it did.
func (rw *RWMutex) TryRLock() bool { return rw.try("RWMutex.TryRLock", trace.OpTryRLock) }

// Unlock undoes one Lock. It is a fatal error if rw is not locked for writing.
func (rw *RWMutex) Unlock() { rw.undo("RWMutex.Unlock", trace.OpUnlock) }

// RUnlock undoes one RLock. It is a fatal error if rw is not locked for
// reading.
func (rw *RWMutex) RUnlock() { rw.undo("RWMutex.RUnlock", trace.OpRUnlock) }

func (rw *RWMutex) wait(what string, kind trace.Kind) {
	g := machine.Enter(what)
	s, _ := machine.Find(g.M, &rw.k)
	g.Ask(kind, s)
	machine.Keep(g.M, &rw.k, s)
}

func (rw *RWMutex) try(what string, kind trace.Kind) bool {
	rw.wait(what, kind)
	g := machine.Enter(what)
	g.NoteResult(g.Reply.Ok)
	return g.Reply.Ok
}

func (rw *RWMutex) undo(what string, kind trace.Kind) {
	if g := machine.Leave(what); g != nil {
		s, _ := machine.Find(g.M, &rw.k)
		g.Ask(kind, s)
		machine.Keep(g.M, &rw.k, s)
	}
}

// RLocker returns a Locker. Its Lock and Unlock are rw's RLock and RUnlock.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
