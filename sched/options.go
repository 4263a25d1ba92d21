package sched

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// RaceMode says how accesses of a [Var], plain shared memory, are treated. Whether two
// of them race is a matter of the Go memory model, in which fewer things are ordered
// than in a trace: two Lock requests are not, an Unlock and the Lock that it grants are.
type RaceMode = machine.RaceMode

const (
	// RaceFail lets accesses pass without a scheduling point and fails the
	// execution when two of them race by the Go memory model. A program
	// without such a race behaves as if every access were a scheduling point.
	RaceFail RaceMode = machine.RaceFail
	// RaceExplore makes every access a scheduling point, and a race no failure.
	RaceExplore RaceMode = machine.RaceExplore
	// RaceIgnore does neither.
	RaceIgnore RaceMode = machine.RaceIgnore
)

// TimeMode says how virtual time passes. A goroutine that asks for the time a thousand
// times while it stands still waits by asking: from then on every question takes 10µs.
type TimeMode = machine.TimeMode

const (
	// TimeDiscrete moves the clock on when no goroutine can run, to the
	// earliest deadline, as testing/synctest does; a goroutine that waits for
	// a mutex cannot run either.
	TimeDiscrete TimeMode = machine.TimeDiscrete
	// TimeAnyOrder lets every timer fire at any moment after it was started.
	TimeAnyOrder TimeMode = machine.TimeAnyOrder
	// TimeLag lets code take time: the clock may also move on while goroutines can
	// run, to the next deadline, as long as it is no more than [Options.Lag] ahead
	// of where it would be if code took no time. Timers fire in the order of their
	// deadlines. So a timeout of a second never fires before work is done that
	// waits for nothing of the kind, while a Sleep of a millisecond that should be
	// enough may be over before the work has begun.
	TimeLag TimeMode = machine.TimeLag
)

// DefaultLag is the lag of [TimeLag] where [Options.Lag] is 0.
const DefaultLag = 100 * time.Millisecond

// RandMode says where the numbers come from that the functions of packages
// math/rand and math/rand/v2 return in rewritten code.
type RandMode = machine.RandMode

const (
	// RandSeeded gives every goroutine a source of its own, which is the same in
	// every execution.
	RandSeeded RandMode = machine.RandSeeded
	// RandExplore makes a draw from few numbers a choice, as [Choose] does: a
	// complete search explores each of them. Draws from many are as in
	// RandSeeded.
	RandExplore RandMode = machine.RandExplore
)

// MapMode says in which order loops over maps go, in rewritten code.
type MapMode = machine.MapMode

const (
	// MapSorted goes by the keys: numbers and strings ascend, pointers come in the
	// order in which they were inserted. A loop does not meet entries that are made
	// while it is under way, unless their keys were there when it began.
	MapSorted MapMode = machine.MapSorted
	// MapExplore makes the order a choice, as [Choose] does. Of up to four keys a
	// complete search explores all orders; of more, that of MapSorted, the reverse of
	// it, and one that begins in the middle of it. Whether a loop meets an entry that is
	// made, or deleted and made again, while it is under way, is a choice, too.
	MapExplore MapMode = machine.MapExplore
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
type Model = machine.Model

const (
	// ModelUnfair lets Gosched and a Sleep of no duration promise nothing: a loop
	// may poll again and again before another goroutine has moved, and so may a ticker of
	// [TimeAnyOrder] tick. Loops that wait for others run into the step limit
	// then, so it is for programs that poll a few times and give up. Usually they
	// let every other goroutine that is ready move first.
	ModelUnfair Model = machine.ModelUnfair
	// ModelPool lets Get of a Pool return any of the things in it, or none of them.
	// Usually it returns what was put last.
	ModelPool Model = machine.ModelPool
	// ModelTryLock lets TryLock of an RWMutex fail even if the lock is not held, as
	// it may while another goroutine is about to lock or unlock it or tries to.
	// Usually it succeeds.
	ModelTryLock Model = machine.ModelTryLock
	// ModelRange lets Range of a Map visit keys in any order, and those stored while
	// it goes on or not. Usually it visits the keys that were there when it began,
	// in the order in which they were stored.
	ModelRange Model = machine.ModelRange
	// ModelWaitGroup lets the end of a Wait, and the Done that ends it, take two
	// steps each, so that a group that is used again too early panics as it may in
	// package sync. Usually such a use is no more than a data race.
	ModelWaitGroup Model = machine.ModelWaitGroup
	// ModelTimer lets Stop and Reset of a [Timer] with a channel return true again, after
	// one that has returned true, although the timer is not running: the first may have
	// come while its value was being sent, and the second while it still is. Usually the
	// second returns false.
	ModelTimer Model = machine.ModelTimer
	// ModelPipe lets a Read of a pipe of package os return what several Writes have
	// written. Usually it returns what one has, at most, which makes no difference to callers that
	// put everything together, such as io.ReadAll.
	ModelPipe Model = machine.ModelPipe
	// ModelLock explores in which order goroutines come to the locks that packages of the standard
	// library have of their own, such as that of a log.Logger: to lock one is an operation, as it
	// is with those of the program. So it is to look at what they keep, and to change it, as the
	// methods of expvar.Int or slog.LevelVar do, and os.Setenv, and to use a file. Usually one
	// order is explored. Where a goroutine performs operations while it holds such a lock, as the
	// io.Writer of a Logger does that has a lock itself, searches of package por explore all of
	// them in any case.
	ModelLock Model = machine.ModelLock

	// ModelFine is all of them.
	ModelFine = ModelUnfair | ModelPool | ModelTryLock | ModelRange | ModelWaitGroup | ModelTimer | ModelPipe | ModelLock
)

// Options sets how a closure is run. The zero value holds the defaults.
type Options struct {
	Races RaceMode
	Time  TimeMode
	Lag   time.Duration // of TimeLag, 0 for DefaultLag
	Rand  RandMode
	// Seed is that of the random numbers which rewritten code draws; each has other numbers.
	Seed  uint64
	Model Model
	Maps  MapMode
	// Start is when the clock begins, in every execution; see [DefaultStart], which the zero time
	// stands for. Years from 1950 to 2200 are good.
	Start time.Time
	// MaxClock is a limit of virtual time, 0 for none: the clock does not move on
	// beyond it while the closure has not returned. So a closure that only a timer
	// beyond it would wake fails, as one that waits for ever.
	MaxClock time.Duration
	// Natively says that MaxClock is the time after which go test would end the process. It does
	// not hold in bubbles of package testing/synctest, where time costs nothing. Where states are
	// told apart it is a limit of every single wait.
	Natively bool
	// Overdue lets [Now] tell that sleeps and timers have lasted longer than was asked for,
	// by as much as a look takes, as they do on a real clock. Otherwise they last exactly as long,
	// where no goroutine asks for the time meanwhile.
	Overdue bool
	// Polls is how many operations in a row, that repeat each other in a loop of no
	// more than eight and find the same every time, make a goroutine one that waits
	// by polling, once it has performed as many others: from then on every further
	// look takes until the clock moves on. 0 means 500. A loop that only locks and
	// unlocks takes nine tenths of MaxSteps.
	Polls int
	// Turns lets [Loop] say that a turn of a loop begins, of which what came before is no
	// part: a goroutine that calls it does not come to be taken for one that polls. So it
	// is once states have been told apart in Tracked mode, see [Closure.KeyStates].
	Turns bool
	// Awaits lets a goroutine wait that has come to a call of [Loop] again without having done more
	// than look. What it would do later is part of other executions, in which it has looked
	// later: this one is futile then (see [trace.Futile]), or a livelock if there is nothing to be
	// found. It is for searches that explore all orders, in TimeDiscrete and TimeAnyOrder, and does
	// nothing while states are told apart.
	Awaits bool
	// Keyed has loops of rewritten code that poll go on polling, whatever they find, as they do
	// once states have been told apart, see [Closure.KeyStates].
	Keyed bool
	// MaxSteps is the longest execution, in operations, that is not reported as
	// a livelock, or as too long. 0 means 10,000.
	MaxSteps int
	// AllowLeaks says that goroutines which wait for ever after the closure has
	// returned are no failure. For ever is, until virtual time has moved on a
	// hundred times: a goroutine that serves a ticker waits for ever.
	AllowLeaks bool
	// Leaks tells goroutines that are leaked from others that wait for ever after the closure has
	// returned, which are no failure then: see [Closure.Remains]. If it is nil all of them are
	// leaked.
	Leaks *Leaks `json:"-"`
	// PollersLeak counts goroutines that poll for ever after the closure has returned among those
	// that wait for ever. Otherwise that is a livelock.
	PollersLeak bool
	// Symmetric promises that the goroutines which one goroutine starts by one go statement, or
	// with one function by [Go] or a WaitGroup's Go, are interchangeable: to exchange two of them
	// in an execution makes another one, which fails if the first does. What is done between their
	// starts comes to the same for all of them. So only executions are explored in which they
	// begin, with their first operations, in the order in which they were started. Two that begin
	// with operations of different kinds break the promise, which is a failure; nothing else of it
	// is checked.
	Symmetric bool
	// Uncrossed ends executions, with [trace.ErrInterrupted], once [Closure.Crossed] is true.
	Uncrossed bool
	// Record keeps positions, object names and values of operations, for
	// [Closure.Record]. It makes executions slower by two orders of magnitude.
	Record bool
	// Probe is called on the goroutine that drives the run, at the end of every
	// execution, before Outcome is first told: it returns what the harness knows
	// to be wrong with it, or nil. The closure's own testing.TB is read this way.
	Probe func() []trace.Failure `json:"-"`
	// Between is called before every execution, by the goroutine that drives it, when none
	// is going on. It may run another Closure.
	Between func() `json:"-"`
	// Output is given what the closure writes to os.Stdout, or to os.Stderr if stderr is
	// true, directly or by packages fmt, log and log/slog, where the program was built under
	// control: goroutine g has written it after the event number step, -1 before the first.
	// The text is valid during the call only. nil leaves output alone.
	Output func(step int, g trace.ID, stderr bool, text []byte) `json:"-"`
	// Owner is what [hook.Owner] returns to the goroutines of the run.
	Owner any `json:"-"`
}

const defaultMaxSteps = 10_000

// DefaultStart returns when the clock begins if [Options] have no Start: at 05:06:07.089101112 UTC
// on 4 March 2026. That is an ordinary moment, at which no year, hour or second begins, later than
// the epochs that programs count from. Within a bubble of package testing/synctest the clock begins
// with the year 2000.
func DefaultStart() time.Time { return machine.StartTime }

// StartTime returns when virtual time has begun in the execution that the calling goroutine is one
// of, or [DefaultStart]. To ask for it is no operation.
func StartTime() time.Time { return hook.StartTime() }
