package sched

import "github.com/gopor/gopor/internal/machine"

// RaceMode says how accesses of a [Var], plain shared memory, are treated. Whether two
// of them race is a matter of the Go memory model, in which fewer things are ordered
// than in a trace: two Lock requests are not, an Unlock and the Lock that it grants are.
type RaceMode uint8

const (
	// RaceFail lets accesses pass without a scheduling point and fails the
	// execution when two of them race by the Go memory model. A program
	// without such a race behaves as if every access were a scheduling point.
	RaceFail RaceMode = RaceMode(machine.RaceFail)
	// RaceExplore makes every access a scheduling point, and a race no failure.
	RaceExplore RaceMode = RaceMode(machine.RaceExplore)
	// RaceIgnore does neither.
	RaceIgnore RaceMode = RaceMode(machine.RaceIgnore)
)

// TimeMode says how virtual time passes. A goroutine that asks for the time a thousand
// times while it stands still waits by asking: from then on every question takes 10µs.
type TimeMode uint8

const (
	// TimeDiscrete moves the clock on when no goroutine can run, to the
	// earliest deadline, as testing/synctest does; a goroutine that waits for
	// a mutex cannot run either.
	TimeDiscrete TimeMode = TimeMode(machine.TimeDiscrete)
	// TimeAnyOrder lets every timer fire at any moment after it was started.
	TimeAnyOrder TimeMode = TimeMode(machine.TimeAnyOrder)
	// TimeLag lets code take time: the clock may also move on while goroutines can
	// run, to the next deadline, as long as it is no more than the lag (por.Lag) ahead
	// of where it would be if code took no time. Timers fire in the order of their
	// deadlines. So a timeout of a second never fires before work is done that
	// waits for nothing of the kind, while a Sleep of a millisecond that should be
	// enough may be over before the work has begun.
	TimeLag TimeMode = TimeMode(machine.TimeLag)
)

// RandMode says where the numbers come from that the functions of packages
// math/rand and math/rand/v2 return in rewritten code.
type RandMode uint8

const (
	// RandSeeded gives every goroutine a source of its own, which is the same in
	// every execution.
	RandSeeded RandMode = RandMode(machine.RandSeeded)
	// RandExplore makes a draw from few numbers a choice, as [Choose] does: a
	// complete search explores each of them. Draws from many are as in
	// RandSeeded.
	RandExplore RandMode = RandMode(machine.RandExplore)
)

// MapMode says in which order loops over maps go, in rewritten code.
type MapMode uint8

const (
	// MapSorted goes by the keys: numbers and strings ascend, pointers come in the
	// order in which they were inserted. A loop does not meet entries that are made
	// while it is under way, unless their keys were there when it began.
	MapSorted MapMode = MapMode(machine.MapSorted)
	// MapExplore makes the order a choice, as [Choose] does. Of up to four keys a
	// complete search explores all orders; of more, that of MapSorted, the reverse of
	// it, and one that begins in the middle of it. Whether a loop meets an entry that is
	// made, or deleted and made again, while it is under way, is a choice, too.
	MapExplore MapMode = MapMode(machine.MapExplore)
)

// NetworkMode says which sockets rewritten code has.
type NetworkMode uint8

const (
	// NetworkLoopback has the sockets of the loopback interface in memory, and Unix sockets. Others
	// are real ones, and so are lookups; an execution that uses one notes [AssumeCode].
	NetworkLoopback NetworkMode = NetworkMode(machine.NetworkLoopback)
	// NetworkReal has real sockets only. Each is noted.
	NetworkReal NetworkMode = NetworkMode(machine.NetworkReal)
	// NetworkNone is NetworkLoopback without the others: to make a socket that would be real, and
	// to look up a name, fails.
	NetworkNone NetworkMode = NetworkMode(machine.NetworkNone)
)

// LibraryMode says which races inside libraries are left in the order in which they come. A race is
// inside a library if the library makes both operations, of its own locks, channels and variables.
// Libraries are the packages of the standard library that are under control and
// those that [exec.Options] names. Engines that explore all orders of all operations, or draw
// them, take no notice.
//
// [exec.Options]: https://pkg.go.dev/github.com/gopor/gopor/sched/exec#Options
type LibraryMode uint8

const (
	// LibraryAll leaves none: all races are explored in both orders.
	LibraryAll LibraryMode = iota
	// LibraryOwn leaves the races of two goroutines that the library has started.
	LibraryOwn
	// LibraryKept leaves all of them.
	LibraryKept
)

// Model says which primitives do all that the language allows them to, at the
// price of more traces. In its zero value each of them has the model that is
// usual, and an execution in which that could matter notes [AssumeModel]. The
// values can be combined with |.
//
// The usual model of a primitive does what the one of the standard library does, step by
// step where the steps can be seen: a tree of contexts is cancelled one after the other,
// parents first and the children of one in any order, and Range of a [Map] looks up each
// key when it is its turn. It leaves something out where that would be expensive, or is
// more than programs count on. In one thing it does more than Go: of two contexts that are
// derived from the same one, package context finishes the tree below the first before it
// cancels the second, and here both trees can be half done.
type Model uint16

const (
	// ModelUnfair lets Gosched and a Sleep of no duration promise nothing: a loop
	// may poll again and again before another goroutine has moved, and so may a ticker of
	// [TimeAnyOrder] tick. Loops that wait for others run into the step limit
	// then, so it is for programs that poll a few times and give up. Usually they
	// let every other goroutine that is ready move first.
	ModelUnfair Model = Model(machine.ModelUnfair)
	// ModelPool lets Get of a Pool return any of the things in it, or none of them.
	// Usually it returns what was put last. Searches of package por let each goroutine have Pools
	// of its own, and share them for a part of the time.
	ModelPool Model = Model(machine.ModelPool)
	// ModelTryLock lets TryLock of an RWMutex fail even if the lock is not held, as
	// it may while another goroutine is about to lock or unlock it or tries to.
	// Usually it succeeds.
	ModelTryLock Model = Model(machine.ModelTryLock)
	// ModelRange lets Range of a Map visit keys in any order, and those stored while
	// it goes on or not. Usually it visits the keys that were there when it began,
	// in the order in which they were stored.
	ModelRange Model = Model(machine.ModelRange)
	// ModelWaitGroup lets the end of a Wait, and the Done that ends it, take two
	// steps each, so that a group that is used again too early panics as it may in
	// package sync. Usually such a use is no more than a data race.
	ModelWaitGroup Model = Model(machine.ModelWaitGroup)
	// ModelTimer lets Stop and Reset of a [Timer] with a channel return true again, after
	// one that has returned true, although the timer is not running: the first may have
	// come while its value was being sent, and the second while it still is. Usually the
	// second returns false.
	ModelTimer Model = Model(machine.ModelTimer)
	// ModelPipe lets a Read of a pipe of package os return what several Writes have
	// written. Usually it returns what one has, at most, which makes no difference to callers that
	// put everything together, such as io.ReadAll.
	ModelPipe Model = Model(machine.ModelPipe)
	// ModelLock explores in which order goroutines come to the locks that packages of the standard
	// library have of their own, such as that of a log.Logger: to lock one is an operation, as it
	// is with those of the program. So it is to look at what they keep, and to change it, as the
	// methods of expvar.Int or slog.LevelVar do, and os.Setenv, and to use a file. Usually one
	// order is explored. Where a goroutine performs operations while it holds such a lock, as the
	// io.Writer of a Logger does that has a lock itself, searches of package por explore all of
	// them in any case.
	ModelLock Model = Model(machine.ModelLock)
	// ModelLibrary explores both orders of every race inside a library from the beginning, see
	// [LibraryAll]. Usually searches of package por leave all of them at first, then some of
	// them, and then none, with a part of the time for each.
	ModelLibrary Model = Model(machine.ModelLibrary)
	// ModelStream lets a Read of a connection return all that there is, or one byte, besides what
	// one Write has written. Usually it returns the latter, or as much of it as was asked for,
	// which makes no difference to callers that read on until they have what they need, such as
	// io.ReadFull. Where it may make a difference, searches of package por draw some executions
	// with such Reads at the end.
	ModelStream Model = Model(machine.ModelStream)

	// ModelFine is all of them.
	ModelFine = ModelUnfair | ModelPool | ModelTryLock | ModelRange | ModelWaitGroup | ModelTimer | ModelPipe | ModelLock | ModelLibrary | ModelStream
)
