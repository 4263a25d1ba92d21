package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// A libraryLock stands for a lock inside the standard library where such locks are operations,
// see [sched.ModelLock]. The goroutine that has it takes the original lock, too, because of
// uncontrolled goroutines.
type libraryLock struct {
	mutex sched.Mutex // for the methods of either type
	rw    sched.RWMutex
	held  int // how often the original lock is held
}

// Locks also returns true while an execution is unwound in which the locks were operations.
func (execution) Locks() bool {
	co := machine.Callers.Look()
	return co != nil && (co.M.Closing || !co.Serving) && co.M.Model&machine.ModelLock != 0
}

func (e execution) Lock(call live.LockCall, p unsafe.Pointer, try func() bool) bool {
	if hook.Unwinding() { // no other goroutine goes on
		l := unwound(p)
		if l == nil || !try() {
			return call == live.MutexLock || call == live.RWMutexLock || call == live.RWMutexRLock
		}
		l.held++
		return true
	}
	l := hook.Shadow(p, func() any { return new(libraryLock) }).(*libraryLock)
	got := l.ask(call)
	if !got {
		return false
	}
	for !try() { // an uncontrolled goroutine has it
		e.Yield()
	}
	l.held++
	machine.Locking(1)
	return true
}

// ask performs the operation, and reports whether it has succeeded.
func (l *libraryLock) ask(call live.LockCall) bool {
	switch call {
	case live.MutexLock:
		l.mutex.Lock()
	case live.MutexTryLock:
		return l.mutex.TryLock()
	case live.RWMutexLock:
		l.rw.Lock()
	case live.RWMutexTryLock:
		return l.rw.TryLock()
	case live.RWMutexRLock:
		l.rw.RLock()
	case live.RWMutexTryRLock:
		return l.rw.TryRLock()
	}
	return true
}

func (execution) Unlock(call live.LockCall, p unsafe.Pointer, unlock func()) {
	if hook.Unwinding() { // perhaps a second time, since the call that had to unlock was abandoned
		if l := unwound(p); l != nil && l.held > 0 {
			l.held--
			unlock()
		}
		return
	}
	l := hook.Shadow(p, func() any { return new(libraryLock) }).(*libraryLock)
	if l.held > 0 {
		l.held--
		unlock()
		machine.Locking(-1)
	}
	switch call {
	case live.MutexLock:
		l.mutex.Unlock()
	case live.RWMutexLock:
		l.rw.Unlock()
	case live.RWMutexRLock:
		l.rw.RUnlock()
	}
}

// unwound returns the substitute of a lock in an execution that is over, or nil if there is
// none.
func unwound(p unsafe.Pointer) *libraryLock {
	l, _ := hook.LeftShadow(p).(*libraryLock)
	return l
}
