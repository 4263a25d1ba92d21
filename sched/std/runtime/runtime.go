package runtime

import (
	"runtime"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
)

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() }

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

// NumGoroutine returns the number of goroutines. Under control it counts those of the
// execution.
func NumGoroutine() int {
	if controlled() {
		return sched.NumGoroutine()
	}
	return runtime.NumGoroutine()
}

// GOMAXPROCS sets how many threads run Go code, and returns how many did so before. Under control
// that makes no difference, but what another execution has set is not undone.
func GOMAXPROCS(n int) int {
	if n > 0 && controlled() {
		sched.Assume(sched.AssumeVariable, "runtime.GOMAXPROCS")
	}
	return runtime.GOMAXPROCS(n)
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

// collections is the key of the number of collections that an execution has requested.
var collections byte

// collected returns that number.
func collected() *uint32 {
	return hook.Shadow(unsafe.Pointer(&collections), func() any { return new(uint32) }).(*uint32)
}

// GC collects garbage.
func GC() {
	if controlled() {
		*collected()++
	}
	runtime.GC()
}

// aPause is the reported duration of a collection under control, in nanoseconds.
const aPause = 1000

// ReadMemStats reports about memory. Under control it reports only the collections that the
// program has requested: others depend on the rest of the process.
func ReadMemStats(m *MemStats) {
	runtime.ReadMemStats(m)
	if !controlled() {
		return
	}
	n := *collected()
	m.NumGC, m.NumForcedGC, m.GCCPUFraction, m.PauseTotalNs, m.LastGC = n, n, 0, uint64(n)*aPause, 0
	clear(m.PauseNs[:])
	clear(m.PauseEnd[:])
	for i := n; i > 0 && i+uint32(len(m.PauseNs)) > n; i-- {
		k := (i + uint32(len(m.PauseNs)) - 1) % uint32(len(m.PauseNs))
		m.PauseNs[k], m.PauseEnd[k] = aPause, uint64(hook.StartTime().UnixNano())
		m.LastGC = m.PauseEnd[k]
	}
}

// The functions below look at their caller. They are functions, as in the original, and not
// variables, so that a program cannot assign to them. Under control they show the calls of the
// program as if package testing, or a go statement, had made them.

// Caller returns the position of a call on the stack of the calling goroutine.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	if pc, file, line, ok = runtime.Caller(skip + 1); !controlled() || ok && stack.IsProgram(pc) {
		return pc, file, line, ok
	}
	var pcs [1]uintptr
	if stack.Callers(skip+1, pcs[:]) == 0 {
		return 0, "", 0, false
	}
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return pcs[0], f.File, f.Line, true
}

// Callers fills pc with the return addresses on the stack of the calling
// goroutine.
func Callers(skip int, pc []uintptr) int {
	switch {
	case !controlled():
		return runtime.Callers(skip+1, pc)
	case skip == 0 && len(pc) > 0:
		runtime.Callers(1, pc[:1])
		return 1 + stack.Callers(1, pc[1:])
	}
	return stack.Callers(skip, pc)
}

func init() { hook.NumberGoroutines() }

// Stack writes the stack of the calling goroutine, or of all goroutines, to buf. Under control,
// all means those of the execution, and others that do not belong to this module.
func Stack(buf []byte, all bool) int {
	if !hook.Controlled() && !all {
		return runtime.Stack(buf, all)
	}
	var waiting map[uint64]stack.Standing
	if hook.Active() {
		hook.TellApart()
		if all {
			sched.NumGoroutine() // the result depends on the state of all goroutines
		}
		waiting = make(map[uint64]stack.Standing)
		for id, s := range hook.Waiting() {
			waiting[id] = stack.Standing(s)
		}
	}
	return copy(buf, stack.Present(stack.Text(all), waiting))
}

// AddCleanup sets a cleanup that runs some time after ptr has become unreachable. Under control
// it never runs: it would run after the execution, when it could only disturb others.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	if !controlled() {
		return runtime.AddCleanup(ptr, cleanup, arg)
	}
	sched.Assume(sched.AssumeCode, "runtime.AddCleanup")
	runtime.AddCleanup(ptr, cleanup, arg).Stop() // panics if the arguments are invalid
	hook.Finalize(ptr, false, cleanup, arg)
	runtime.KeepAlive(ptr)
	return Cleanup{}
}

// SetFinalizer sets a finalizer that runs some time after obj has become unreachable. Under
// control it never runs, as in [AddCleanup].
func SetFinalizer(obj any, finalizer any) {
	if !controlled() {
		runtime.SetFinalizer(obj, finalizer)
		return
	}
	sched.Assume(sched.AssumeCode, "runtime.SetFinalizer")
	runtime.SetFinalizer(obj, nil) // removes one that was set outside
	runtime.SetFinalizer(obj, finalizer)
	runtime.SetFinalizer(obj, nil)
	if finalizer == nil {
		hook.Finalize(obj, true)
	} else {
		hook.Finalize(obj, true, finalizer)
	}
	runtime.KeepAlive(obj)
}
