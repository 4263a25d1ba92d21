package hook

import (
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

func init() {
	live.Read, live.Write = ReadMemory, WriteMemory
	live.Acquire, live.Release = machine.Acquire, machine.Release
	live.Hold, live.Ordered = machine.Hold, machine.Ordered
	live.Controlled, live.Yield, live.Aside = Active, yield, machine.Aside
	live.Print, live.InTest = printed, inTest
	live.Now = now
}

// yield lets others go on before the calling goroutine does. All calls are one and the
// same, come to again.
func yield() {
	g := machine.Enter("Lock")
	if g.M.Parallel != nil {
		runtime.Gosched() // who has the lock goes on by itself
		return
	}
	g.Cross()
	g.YieldAt(1, "a lock inside the standard library")
}

// The standard files of the process, as it has got them.
var stdout, stderr = unsafe.Pointer(os.Stdout), unsafe.Pointer(os.Stderr)

// printed hands what a controlled goroutine writes to a standard file to its execution. What
// deferred calls write while an execution is unwound that was given up is dropped.
func printed(file, p unsafe.Pointer, n int) bool {
	if file != stdout && file != stderr {
		return false
	}
	co := machine.Callers.Find()
	switch {
	case co == nil || co.M.Output == nil:
		return false
	case co.M.Closing:
		return true
	case co.Serving: // this module itself
		return false
	}
	if n > 0 && co.G != nil {
		co.M.Output(co.G, file == stderr, unsafe.Slice((*byte)(p), n))
	}
	return true
}

// LibraryLocks reports whether the locks inside the standard library are operations of the calling goroutine, or
// were in the execution that it leaves.
func LibraryLocks() bool {
	co := machine.Callers.Look()
	return co != nil && (co.M.Closing || !co.Serving) && co.M.Model&machine.ModelLock != 0
}

// Touch says that the calling goroutine is about to look at what the standard library keeps at p, or to change it, where that is no operation.
func Touch(p unsafe.Pointer, changes bool) { machine.Touch(p, changes) }

// Acquire, Release and Released are the functions of package machine.
func Acquire(p unsafe.Pointer) bool  { return machine.Acquire(p) }
func Release(p unsafe.Pointer)       { machine.Release(p) }
func Released(p unsafe.Pointer) bool { return machine.Released(p) }

// External and ExternalUse are those of package machine, as is UseExternals.
type (
	External    = machine.External
	ExternalUse = machine.ExternalUse
)

func UseExternals(uses []ExternalUse) { machine.UseExternals(uses) }

// BeginFileCall, EndFileCall and UseFile are the functions of package machine.
func BeginFileCall() *machine.FileCall   { return machine.BeginFileCall() }
func EndFileCall(call *machine.FileCall) { machine.EndFileCall(call) }
func UseFile(own bool)                   { machine.UseFile(own) }

// fileMade is what [FileMade] calls; nil where times of files are real.
var fileMade func(name string)

// SetFileMade sets it.
func SetFileMade(f func(name string)) { fileMade = f }

// FileMade says that somebody has made a file for the calling goroutine: if that is controlled, that was at the time of its execution.
func FileMade(name string) {
	if fileMade != nil && Active() {
		fileMade(name)
	}
}

// ownFolders are those of which nothing is there when an execution begins or after it.
var ownFolders atomic.Pointer[[]string]

// OwnFolders returns their names, and AddOwnFolder adds one.
func OwnFolders() []string {
	if all := ownFolders.Load(); all != nil {
		return *all
	}
	return nil
}

func AddOwnFolder(name string) {
	for {
		old := ownFolders.Load()
		all := append(slices.Clone(OwnFolders()), name)
		if ownFolders.CompareAndSwap(old, &all) {
			return
		}
	}
}

// Within says, if in is true, that what the calling goroutine does outside the program is a part of what it has said last, until it
// says otherwise, and returns what it has said before.
func Within(in bool) (before bool) {
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		before, co.G.Within = co.G.Within, in
	}
	return before
}

// IsWithin reports whether it has said so.
func IsWithin() bool {
	co := machine.Callers.Look()
	return co != nil && co.G != nil && co.G.Within
}

// LibraryLocked says that the calling goroutine has taken n more of them.
func LibraryLocked(n int) { machine.Locking(n) }

// now returns the time of the execution that the calling goroutine is one of, in seconds and nanoseconds since
// 1970, and whether it is.
func now(looks bool) (sec, nsec int64, ok bool) {
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

// Tester is an owner of executions that has something in place of a test there.
type Tester interface {
	// InTest returns it, nil if there is nothing. The test is known by its address.
	InTest(test unsafe.Pointer) any
}

func inTest(test unsafe.Pointer) any {
	if co := machine.Callers.Find(); co != nil && !co.Serving {
		if t, ok := co.M.Owner.(Tester); ok {
			return t.InTest(test)
		}
	}
	return nil
}
