package hook

import (
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Explores reports whether the caller's execution has a model of primitives.
func Explores(m machine.Model) bool { return machine.Enter("Explores").M.Model&m != 0 }

// LibraryLock is what an execution has met in which a lock inside the standard library has ordered goroutines that
// nothing else has.
const LibraryLock = machine.LibraryLock

// LibraryState is what an execution has met in which goroutines have looked at what the standard library keeps, and changed it, in an
// order of which others are not explored.
const LibraryState = machine.LibraryState

// FullPipe is what an execution has met in which a pipe would have been full at some time.
const FullPipe = "a pipe that may be full"

// Seed returns a number that goes by the name of the calling goroutine: it is
// the same in every execution and every process, and hardly ever that of
// another goroutine of the execution. So what is drawn from a source with that
// seed does not depend on what others draw.
func Seed() uint64 {
	g := machine.Enter("Seed")
	return seed(g.M, g)
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

// fewNumbers is how many numbers [machine.RandExplore] explores at the most.
const fewNumbers = 16

// Draw returns a number from 0 to n-1 that the search varies, if [machine.RandExplore]
// asks for that and n is at least 1 and at most 16. Otherwise it returns false,
// and nothing has happened.
func Draw(n int64) (int64, bool) {
	g := machine.Enter("Draw")
	if g.M.Rand != machine.RandExplore || n < 1 || n > fewNumbers {
		return 0, false
	}
	return int64(g.Choose(int(n))), true
}

// Owner returns sched.Options.Owner of the run that the calling goroutine is controlled
// by, nil if there is none.
func Owner() any {
	if co := machine.Callers.Find(); co != nil {
		return co.M.Owner
	}
	return nil
}

// GoschedAt is sched.Gosched for a function that is called in its place: site says
// where from. Two calls with the same site are the same call, come to again.
func GoschedAt(site uintptr) { machine.Enter("Gosched").YieldAt(site, "runtime.Gosched") }

// SleepAt is Sleep for a function that is called in its place: site says where
// from, as for [GoschedAt].
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

// Uses reports whether the calling goroutine, which is about to use the primitive with
// the key k, is controlled.
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

// Exclusive says that executions share something that this package does not know
// of, such as variables at package level that are set back before each of them.
// From now on no two executions of this process go on at the same time, except
// those that one goroutine runs.
func Exclusive() { machine.Turns.Everyone.Store(true) }

// Current returns the calling goroutine, or -1 if it is not controlled by a run.
func Current() trace.ID {
	if co := machine.Callers.Find(); co != nil && co.G != nil {
		return co.G.Id
	}
	return -1
}

// Active reports whether the calling goroutine is controlled by a run.
func Active() bool { return machine.Callers.Look() != nil }

// SetAsyncTimers lets the channels of timers and tickers be as they were before Go 1.23,
// and are with GODEBUG=asynctimerchan=1: they have a buffer, and the time in it stays
// there when the timer is stopped or reset. It is for the start of the program.
func SetAsyncTimers(on bool) { machine.AsyncTimers = on }

// Fatal fails the execution of the calling goroutine in a way that would have ended the
// process, and ends that goroutine.
func Fatal(text string) {
	g := machine.Enter("Fatal")
	stack := ""
	if g.M.Record {
		stack = string(debug.Stack())
	}
	g.M.FailFatal(g, text, stack)
	runtime.Goexit()
}

// BubbleTime has the clock of the calling goroutine, and of those that it starts from now on, begin once
// more, as in a bubble of testing/synctest, and undoes sched.Options.Overdue in the execution.
func BubbleTime() { machine.Enter("BubbleTime").BubbleTime() }

// JoinBubble waits for the end of goroutine first, which the calling one has started in a bubble, and of all that come
// of it, as Test of package testing/synctest does.
func JoinBubble(first trace.ID) { machine.Enter("JoinBubble").JoinBubble(first) }

// StartTime returns when the clock has begun for the calling goroutine: the default, if it is not controlled.
func StartTime() time.Time {
	if co := machine.Callers.Find(); co != nil && co.G != nil {
		return co.G.Beginning()
	}
	return machine.StartTime
}

// Settle waits until all other goroutines wait, in [machine.TimeDiscrete], and lets the calling
// one know all that they have done: it is what Wait of package testing/synctest is. The
// clock moves on by a nanosecond.
func Settle() { machine.Enter("Settle").Settle() }

// Turn says that a turn begins of the loop of that place, of the function that the calling
// goroutine is in. The first one has number 0; Turn returns the number of those that follow. A goroutine that is not
// controlled may say it as well.
func Turn(place uintptr, values []any, loop int32) int32 {
	if machine.Callers.Find() == nil {
		return loop
	}
	g := machine.Enter("Turn")
	Serve(func() { loop = g.TurnAt(place, values, loop) })
	return loop
}

// Acts says that the calling goroutine does more than look, in the turn of whatever loop it is in: that is not to be
// forgotten. One that is not controlled may say it as well.
func Acts() {
	if machine.Callers.Find() == nil {
		return
	}
	if g := machine.Leave("Acts"); g != nil {
		g.Acts()
	}
}

// Counts says that the calling goroutine is in a loop that counts its turns, and in which, after 64 of them. One that is
// not controlled may say it as well.
func Counts(turn int) {
	if machine.Callers.Find() == nil {
		return
	}
	if g := machine.Leave("Counts"); g != nil {
		g.Counts(turn)
	}
}

// TurnTimer returns the timer that a loop is to start again, which the calling goroutine has made there in an earlier
// turn: see [machine.Goroutine.TurnTimer]. It is nil if there is none.
func TurnTimer(place uintptr) any {
	if machine.Callers.Find() == nil {
		return nil
	}
	return machine.Enter("TurnTimer").TurnTimer(place)
}

// KeepTimer keeps a timer for that.
func KeepTimer(place uintptr, timer any) {
	if machine.Callers.Find() != nil {
		machine.Enter("KeepTimer").KeepTimer(place, timer)
	}
}
