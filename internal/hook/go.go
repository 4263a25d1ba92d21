package hook

import (
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// ExploresPipes reports whether the caller's execution has sched.ModelPipe.
func ExploresPipes() bool { return machine.Enter("ExploresPipes").M.Model&machine.ModelPipe != 0 }

// Network returns which sockets the caller's execution has.
func Network() machine.NetworkMode { return machine.Enter("Network").M.Network }

// RealConn, RealSocket and EarlierServer begin the assumption of an execution with a connection,
// or another socket, that is not in memory. EarlierServer is a RealConn.
const (
	RealConn      = "a connection to "
	RealSocket    = "a real socket"
	EarlierServer = live.EarlierServer
)

// LibraryLock is the assumption of an execution in which only a lock inside the standard
// library has ordered some goroutines.
const LibraryLock = machine.LibraryLock

// MoreRoom is what failures say of a connection that has less room than natively.
const MoreRoom = machine.MoreRoom

// LibraryRace is the assumption of a search that has left the order of two operations which a
// library makes: see sched.LibraryMode.
const LibraryRace = "a race inside a library"

// LibraryState is the assumption of an execution in which goroutines have read and changed what
// the standard library keeps, in an order without explored alternatives.
const LibraryState = machine.LibraryState

// OwnPool is the assumption of an execution in which a goroutine gets from a Pool only what it has
// put, and another one has put something.
const OwnPool = machine.OwnPool

// SeveralMessages is the assumption of an execution in which a caller may have taken for a message
// what a Read of a connection has returned.
const SeveralMessages = machine.SeveralMessages

// FullPipe is the assumption of an execution in which a pipe would have been full at some time.
const FullPipe = "a pipe that may be full"

// Seed returns a number that depends on the name of the calling goroutine. It is the same in
// every execution and every process, and hardly ever that of another goroutine of the
// execution. So numbers from a source with that seed do not depend on the draws of other
// goroutines.
func Seed() uint64 {
	g := machine.Enter("Seed")
	g.Named()
	return seed(g.M, g)
}

// TellApart says that the calling goroutine, which is controlled, learns the runtime's numbers of
// goroutines.
func TellApart() {
	g := machine.Enter("TellApart")
	g.Named()
	g.M.TellApart()
}

func seed(m *machine.Machine, g *machine.Goroutine) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	seed := uint64(offset)
	if m.Seed != 0 {
		seed = (seed ^ m.Seed) * prime
	}
	for _, place := range m.Path(g) {
		seed = (seed ^ uint64(place+1)) * prime
	}
	return seed
}

// fewNumbers is the largest range of numbers that [machine.RandExplore] explores.
const fewNumbers = 16

// Draw returns a number from 0 to n-1 that the search varies, if [machine.RandExplore] is set
// and n is at least 1 and at most 16. Otherwise it has no effect and returns false.
func Draw(n int64) (int64, bool) {
	g := machine.Enter("Draw")
	if g.M.Rand != machine.RandExplore || n < 1 || n > fewNumbers {
		return 0, false
	}
	return int64(g.Choose(int(n))), true
}

// Owner returns exec.Options.Owner of the run that controls the calling goroutine, or nil if
// there is none.
func Owner() any {
	if co := machine.Callers.Find(); co != nil {
		return co.M.Owner
	}
	return nil
}

// Tester is an owner of executions that has a substitute for a test.
type Tester interface {
	// InTest returns the substitute of the test at an address, or nil.
	InTest(test unsafe.Pointer) any
}

// GoschedAt is sched.Gosched for a function that stands for it. The site identifies the call:
// two calls with the same site are the same call, reached again.
func GoschedAt(site uintptr) { machine.Enter("Gosched").YieldAt(site, "runtime.Gosched") }

// SleepAt is Sleep for a function that stands for it. The site identifies the call, as for
// [GoschedAt].
func SleepAt(d time.Duration, site uintptr) {
	g := machine.Enter("Sleep")
	if d <= 0 {
		d = g.Nap()
	}
	if d > 0 {
		g.Sleep(d)
	}
	if d <= 0 || g.M.Time == machine.TimeAnyOrder {
		g.YieldAt(site, "time.Sleep")
	}
}

// Uses reports whether the calling goroutine, which is about to use the primitive with the key
// k, is controlled.
func Uses[S any](k *machine.Key[S]) bool {
	if machine.Callers.Look() != nil {
		return true
	}
	machine.Outside(unsafe.Pointer(k), true, true)
	return false
}

// UsesAt is Uses for memory and native channels.
func UsesAt(p unsafe.Pointer) bool {
	if machine.Callers.Look() != nil {
		return true
	}
	machine.Outside(p, false, true)
	return false
}

// Exclusive says that executions share something that this package does not know of, such as
// package-level variables that are set back before each of them. From now on no two executions
// of this process run at the same time, except those that one goroutine runs.
func Exclusive() { machine.Turns.Everyone.Store(true) }

// Current returns the calling goroutine, or -1 if it is not controlled.
func Current() trace.ID {
	if co := machine.Callers.Find(); co != nil && co.G != nil {
		return co.G.ID
	}
	return -1
}

// Active reports whether the calling goroutine is controlled. It costs a nanosecond if no
// goroutine of the process is.
func Active() bool { return Controlled() && machine.Callers.Look() != nil }

// SetAsyncTimers makes the channels of timers and tickers behave as before Go 1.23, and as with
// GODEBUG=asynctimerchan=1. They have a buffer, and the time in it stays there when the timer
// is stopped or reset. It must be called at the start of the program.
func SetAsyncTimers(on bool) { machine.AsyncTimers = on }

// Fatal fails the execution of the calling goroutine, where the process would have ended
// without control, and ends that goroutine.
func Fatal(text string) {
	g := machine.Enter("Fatal")
	stack := ""
	if g.M.Record {
		stack = string(debug.Stack())
	}
	g.M.FailFatal(g, text, stack)
	runtime.Goexit()
}

// BubbleTime restarts the clock of the calling goroutine, and of the goroutines that it starts
// from now on, as in a bubble of testing/synctest. It also undoes exec.Options.Overdue in the
// execution.
func BubbleTime() { machine.Enter("BubbleTime").BubbleTime() }

// JoinBubble waits for the end of goroutine first, which the calling one has started in a
// bubble, and of all goroutines that first leads to, as Test of package testing/synctest does.
func JoinBubble(first trace.ID) { machine.Enter("JoinBubble").JoinBubble(first) }

// StartTime returns the time at which the clock of the calling goroutine began. It is the
// default if the goroutine is not controlled.
func StartTime() time.Time {
	if co := machine.Callers.Find(); co != nil && co.G != nil {
		return co.G.Beginning()
	}
	return machine.StartTime
}

// Settle waits until all other goroutines wait, in [machine.TimeDiscrete], and orders all their
// events before the next one of the calling goroutine. It implements Wait of package
// testing/synctest. The clock advances by a nanosecond.
func Settle() { machine.Enter("Settle").Settle() }

// Turn announces an iteration of a loop, which place identifies in the function of the calling
// goroutine. The first iteration passes loop 0, and Turn returns the number that later ones
// pass. Turn has no effect in a goroutine that is not controlled.
func Turn(place uintptr, values []any, loop int32) int32 {
	if machine.Callers.Find() == nil {
		return loop
	}
	g := machine.Enter("Turn")
	Serve(func() { loop = g.TurnAt(place, values, loop) })
	return loop
}

// Acts notes that the calling goroutine has a lasting effect in the present iteration of its
// loop. It has no effect in a goroutine that is not controlled.
func Acts() {
	if machine.Callers.Find() == nil {
		return
	}
	if g := machine.Leave("Acts"); g != nil {
		g.Acts()
	}
}

// Counts announces that the calling goroutine is in a loop that counts its iterations, with the
// present number. It is called after every 64 of them, and has no effect in a goroutine that is
// not controlled.
func Counts(turn int) {
	if machine.Callers.Find() == nil {
		return
	}
	if g := machine.Leave("Counts"); g != nil {
		g.Counts(turn)
	}
}

// TurnTimer returns the timer that the calling goroutine made at place in an earlier iteration,
// for the loop to start again: see [machine.Goroutine.TurnTimer]. It returns nil if there is
// none.
func TurnTimer(place uintptr) any {
	if machine.Callers.Find() == nil {
		return nil
	}
	return machine.Enter("TurnTimer").TurnTimer(place)
}

// KeepTimer keeps a timer for TurnTimer.
func KeepTimer(place uintptr, timer any) {
	if machine.Callers.Find() != nil {
		machine.Enter("KeepTimer").KeepTimer(place, timer)
	}
}
