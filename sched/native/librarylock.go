package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// The locks inside the standard library, where they are operations: a lock of package sched
// stands for each that an execution has met.

func init() {
	live.Locks = func() bool {
		co := machine.Callers.Find()
		return co != nil && !co.Serving && !co.M.Closing && co.M.Model&machine.ModelLock != 0
	}
	live.Lock = libraryLock
}

func libraryLock(call live.LockCall, p unsafe.Pointer) bool {
	got := true
	switch call {
	case live.MutexLock:
		mutexFor(p).Lock()
	case live.MutexTryLock:
		got = mutexFor(p).TryLock()
	case live.MutexUnlock:
		mutexFor(p).Unlock()
	case live.RWMutexLock:
		rwMutexFor(p).Lock()
	case live.RWMutexTryLock:
		got = rwMutexFor(p).TryLock()
	case live.RWMutexUnlock:
		rwMutexFor(p).Unlock()
	case live.RWMutexRLock:
		rwMutexFor(p).RLock()
	case live.RWMutexTryRLock:
		got = rwMutexFor(p).TryRLock()
	case live.RWMutexRUnlock:
		rwMutexFor(p).RUnlock()
	}
	switch call {
	case live.MutexUnlock, live.RWMutexUnlock, live.RWMutexRUnlock:
		machine.Locking(-1)
	default:
		if got {
			machine.Locking(1)
		}
	}
	return got
}

func mutexFor(p unsafe.Pointer) *sched.Mutex {
	return hook.Shadow(p, func() any { return new(sched.Mutex) }).(*sched.Mutex)
}

func rwMutexFor(p unsafe.Pointer) *sched.RWMutex {
	return hook.Shadow(p, func() any { return new(sched.RWMutex) }).(*sched.RWMutex)
}
