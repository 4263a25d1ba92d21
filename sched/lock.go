package sched

import "github.com/gopor/gopor/sched/trace"

// A Locker is a lock, as sync.Locker is.
type Locker interface {
	Lock()
	Unlock()
}

// A Mutex is a mutual exclusion lock, used like sync.Mutex. The zero value is
// an unlocked mutex. Requests are granted in the order in which they are made;
// every order of acquisitions is explored all the same, since every order of
// requests is.
type Mutex struct{ k key[mutexState] }

// Lock locks m, and waits while it is locked.
func (m *Mutex) Lock() {
	g := enter("Mutex.Lock")
	s, _ := find(g.m, &m.k)
	g.ask(trace.OpLock, s)
}

// TryLock locks m if it is unlocked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	g := enter("Mutex.TryLock")
	s, _ := find(g.m, &m.k)
	g.ask(trace.OpTryLock, s)
	g.noteResult(g.reply.ok)
	return g.reply.ok
}

// Unlock unlocks m. It is a fatal error if m is not locked. A locked Mutex is
// not tied to a goroutine: any may unlock it.
func (m *Mutex) Unlock() {
	if g := leave("Mutex.Unlock"); g != nil {
		s, _ := find(g.m, &m.k)
		g.ask(trace.OpUnlock, s)
	}
}

// An RWMutex is a reader/writer lock, used like sync.RWMutex. A Lock that waits
// keeps new readers out.
type RWMutex struct{ k key[rwState] }

// Lock locks rw for writing.
func (rw *RWMutex) Lock() { rw.wait("RWMutex.Lock", trace.OpLock) }

// RLock locks rw for reading.
func (rw *RWMutex) RLock() { rw.wait("RWMutex.RLock", trace.OpRLock) }

// TryLock locks rw for writing if nobody holds it, and reports whether it did. With
// [ModelTryLock] it may fail all the same.
func (rw *RWMutex) TryLock() bool {
	ok := rw.try("RWMutex.TryLock", trace.OpTryLock)
	if g := enter("RWMutex.TryLock"); ok && g.m.Model&ModelTryLock == 0 {
		g.usual(ModelTryLock, "RWMutex.TryLock")
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
	g := enter(what)
	s, _ := find(g.m, &rw.k)
	g.ask(kind, s)
}

func (rw *RWMutex) try(what string, kind trace.Kind) bool {
	rw.wait(what, kind)
	g := enter(what)
	g.noteResult(g.reply.ok)
	return g.reply.ok
}

func (rw *RWMutex) undo(what string, kind trace.Kind) {
	if g := leave(what); g != nil {
		s, _ := find(g.m, &rw.k)
		g.ask(kind, s)
	}
}

// RLocker returns a Locker whose Lock and Unlock are rw's RLock and RUnlock.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
