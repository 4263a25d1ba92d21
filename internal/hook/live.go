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

// yield lets other goroutines run before the calling one. All calls count as one and the same,
// reached again.
func yield() {
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

// printed passes the output of a controlled goroutine to a standard file on to its execution,
// and reports whether it has. Output of deferred calls while an abandoned execution is unwound
// is dropped.
func printed(file, p unsafe.Pointer, n int) bool {
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

// LibraryLocks reports whether the locks inside the standard library are operations of the
// calling goroutine, or were in the execution that it leaves.
func LibraryLocks() bool {
	co := machine.Callers.Look()
	return co != nil && (co.M.Closing || !co.Serving) && co.M.Model&machine.ModelLock != 0
}

// Touch announces that the calling goroutine is about to read, or change, what the standard
// library keeps at p, where that is not an operation.
func Touch(p unsafe.Pointer, changes bool) { machine.Touch(p, changes) }

// Acquire, Release and Released are the functions of package machine.
func Acquire(p unsafe.Pointer) bool  { return machine.Acquire(p) }
func Release(p unsafe.Pointer)       { machine.Release(p) }
func Released(p unsafe.Pointer) bool { return machine.Released(p) }

// External and ExternalUse are types of package machine, and UseExternals is its function.
type (
	External    = machine.External
	ExternalUse = machine.ExternalUse
)

func UseExternals(uses []ExternalUse) { machine.UseExternals(uses) }

// BeginFileCall, EndFileCall and UseFile are the functions of package machine.
func BeginFileCall() *machine.FileCall   { return machine.BeginFileCall() }
func EndFileCall(call *machine.FileCall) { machine.EndFileCall(call) }
func UseFile(own bool)                   { machine.UseFile(own) }

// fileMade implements [FileMade]; it is nil where times of files are real.
var fileMade func(name string)

// SetFileMade sets the function that FileMade calls.
func SetFileMade(f func(name string)) { fileMade = f }

// FileMade notes that a file was made for the calling goroutine. If that is controlled, the
// file has the time of its execution.
func FileMade(name string) {
	if fileMade != nil && Active() {
		fileMade(name)
	}
}

// ownFolders has the folders that are empty when an execution begins or after it.
var ownFolders atomic.Pointer[[]string]

// OwnFolders returns the names of the process's own folders, and AddOwnFolder adds one.
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

// Within sets whether external effects of the calling goroutine are part of the latest one that
// it has announced. It returns the previous setting.
func Within(in bool) (before bool) {
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		before, co.G.Library.Within = co.G.Library.Within, in
	}
	return before
}

// IsWithin returns the setting of Within.
func IsWithin() bool {
	co := machine.Callers.Look()
	return co != nil && co.G != nil && co.G.Library.Within
}

// LibraryLocked notes that the calling goroutine has taken n more locks inside the standard
// library.
func LibraryLocked(n int) { machine.Locking(n) }

// now returns the time of the calling goroutine's execution, in seconds and nanoseconds since
// 1970. It returns false if the goroutine is in no execution.
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

// Tester is an owner of executions that has a substitute for a test.
type Tester interface {
	// InTest returns the substitute of the test at an address, or nil.
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
