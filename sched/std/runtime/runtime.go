package runtime

import (
	"runtime"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// controlled reports whether the calling goroutine is a controlled one.
func controlled() bool { return hook.Controlled() && hook.Active() }

// Gosched lets other goroutines run.
func Gosched() {
	if controlled() {
		var pcs [1]uintptr
		runtime.Callers(2, pcs[:])
		hook.GoschedAt(pcs[0])
		return
	}
	runtime.Gosched()
}

// NumGoroutine returns the number of goroutines, under control of those in the
// execution.
func NumGoroutine() int {
	if controlled() {
		return sched.NumGoroutine()
	}
	return runtime.NumGoroutine()
}

// LockOSThread ties the calling goroutine to its thread. Under control it does
// nothing: the goroutines of an execution take turns on one thread.
func LockOSThread() {
	if !controlled() {
		runtime.LockOSThread()
	}
}

// UnlockOSThread undoes one LockOSThread.
func UnlockOSThread() {
	if !controlled() {
		runtime.UnlockOSThread()
	}
}

// The functions below look at their caller. They are functions nevertheless, as
// in the original, where nobody can assign to them, and not variables; two of
// them step over themselves, and Stack shows one call more.

// Caller returns where a call on the stack of the calling goroutine was made.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	return runtime.Caller(skip + 1)
}

// Callers fills pc with the return addresses on the stack of the calling
// goroutine.
func Callers(skip int, pc []uintptr) int { return runtime.Callers(skip+1, pc) }

// Stack writes the stack of the calling goroutine, or of all, to buf.
func Stack(buf []byte, all bool) int { return runtime.Stack(buf, all) }

// AddCleanup has cleanup called some time after ptr has become unreachable.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	sched.Assume(sched.AssumeCode, "runtime.AddCleanup")
	return runtime.AddCleanup(ptr, cleanup, arg)
}
