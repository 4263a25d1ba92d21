package native

import (
	"os"
	"runtime"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// execution is the execution of the calling goroutine. Its methods are in the files about what
// they do.
type execution struct{}

func init() { live.Caller = execution{} }

func (execution) Controlled() bool { return hook.Active() }

func (execution) Aside(f func()) { machine.Aside(f) }

func (execution) Read(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpRead) }

func (execution) Write(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpWrite) }

func (execution) Acquire(p unsafe.Pointer) bool { return machine.Acquire(p) }

func (execution) Release(p unsafe.Pointer) { machine.Release(p) }

func (execution) Ordered() { machine.Ordered() }

func (execution) Hold(n int) { machine.Hold(n) }

func (execution) Reserve(pool unsafe.Pointer, value any) {
	if co := machine.Callers.Find(); co.Reserves() {
		co.G.InLibrary().Reserve.Put(pool, value)
	}
}

func (execution) Reserved(pool unsafe.Pointer) any {
	if co := machine.Callers.Find(); co.Reserves() {
		return co.G.Library.Reserve.Get(pool)
	}
	return nil
}

// Yield counts all its calls as one and the same, reached again.
func (execution) Yield() {
	g := machine.Enter("Lock")
	if g.M.Parallel != nil {
		runtime.Gosched() // the holder of the lock goes on by itself
		return
	}
	g.Cross()
	g.YieldAt(1, "a lock inside the standard library")
}

// stdout and stderr are the standard files of the process, as it has got them.
var stdout, stderr = unsafe.Pointer(os.Stdout), unsafe.Pointer(os.Stderr)

// Diverts passes the output of a controlled goroutine to a standard file on to its execution.
// Output of deferred calls while an abandoned execution is unwound is dropped.
func (execution) Diverts(file, p unsafe.Pointer, n int) bool {
	if file != stdout && file != stderr {
		return false
	}
	co := machine.Callers.Find()
	switch {
	case co == nil || !co.M.Captures:
		return false
	case co.M.Closing:
		return true
	case co.Serving: // this module itself
		return false
	}
	if n > 0 && co.G != nil {
		co.M.Exec.Output(co.G, file == stderr, unsafe.Slice((*byte)(p), n))
	}
	return true
}

func (execution) Time(looks bool) (sec, nsec int64, ok bool) {
	if co := machine.Callers.Find(); co == nil || co.G == nil || co.Serving || co.M.Closing || !looks && co.M.Parallel != nil {
		return 0, 0, false
	}
	g := machine.Enter("Now")
	tell := g.Written
	if looks {
		tell = g.Now
	}
	t := tell()
	return t.Unix(), int64(t.Nanosecond()), true
}

func (execution) Test(test unsafe.Pointer) any {
	if co := machine.Callers.Find(); co != nil && !co.Serving {
		if t, ok := co.M.Owner.(hook.Tester); ok {
			return t.InTest(test)
		}
	}
	return nil
}
