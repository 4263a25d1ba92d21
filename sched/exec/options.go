package exec

import (
	"encoding/json"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// DefaultLag is the lag of [sched.TimeLag] where [Options.Lag] is 0.
const DefaultLag = 100 * time.Millisecond

// Options sets how a closure is run. The zero value holds the defaults.
type Options struct {
	Races sched.RaceMode
	Time  sched.TimeMode
	Lag   time.Duration // of TimeLag, 0 for DefaultLag
	Rand  sched.RandMode
	// Seed is that of the random numbers which rewritten code draws; each has other numbers.
	Seed  uint64
	Model sched.Model
	LibraryRaces
	Maps sched.MapMode
	Net
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
	// Overdue lets [sched.Now] tell that sleeps and timers have lasted longer than was asked
	// for, by as much as a look takes, as they do on a real clock. Otherwise they last exactly
	// as long, where no goroutine asks for the time meanwhile.
	Overdue bool
	// Polls is how many operations in a row, that repeat each other in a loop of no
	// more than eight and find the same every time, make a goroutine one that waits
	// by polling, once it has performed as many others: from then on every further
	// look takes until the clock moves on. 0 means 500. A loop that only locks and
	// unlocks takes nine tenths of MaxSteps.
	Polls int
	// Awaits lets a goroutine wait that has come to a call of [sched.Loop] again without having
	// done more than look. What it would do later is part of other executions, in which it has
	// looked later: this one is futile then (see [trace.Futile]), or a livelock if there is
	// nothing to be found. It is for searches that explore all orders, in TimeDiscrete and
	// TimeAnyOrder, and does nothing while states are told apart.
	Awaits bool
	Loops
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
	Exchange
	Coarser
	// Uncrossed ends executions, with [trace.ErrInterrupted], once [Closure.Crossed] is true.
	Uncrossed bool
	// Record keeps positions, object names and values of operations, for
	// [Closure.Record]. It makes executions slower by two orders of magnitude.
	Record  bool
	Harness `json:"-"`
}

// Key returns text that differs for options with which executions of a closure differ. Limits and
// faults do not count, and neither does what the code around the closure gives.
func (o Options) Key() string {
	o.Plan, o.Faults, o.MaxSteps, o.MaxClock, o.Natively, o.Record = "", 0, 0, 0, false, false
	text, _ := json.Marshal(o) // plain data is never refused
	return string(text)
}

// Exchange is about goroutines that are interchangeable.
type Exchange struct {
	// Symmetric promises that the goroutines which one goroutine starts by one go statement, or
	// with one function by [sched.Go] or a WaitGroup's Go, are interchangeable: to exchange two
	// of them in an execution makes another one, which fails if the first does. What is done
	// between their starts comes to the same for all of them. So only executions are explored
	// in which they begin, with their first operations, in the order in which they were
	// started. Two that begin with operations of different kinds break the promise, which is a
	// failure; nothing else of it is checked.
	Symmetric bool
	// Alike finds goroutines that are interchangeable: a goroutine has started them by one go
	// statement, or with one function by [sched.Go] or a WaitGroup's Go, on the same captured
	// values, and has learnt nothing meanwhile. Only executions are explored in which they begin in
	// the order in which they were started. [Closure.Alike] says which there are, and
	// [Closure.ToldApart] whether an execution has told some of them apart, so that the search is
	// to begin anew without Alike. It does nothing unless data races are failures, in an execution
	// with faults, and where states are told apart.
	Alike bool
}

// Coarser has what leads to fewer executions, or to fewer steps. But for Needless and Prelude, it
// makes fewer operations depend on each other, at the price of outcomes that Go allows. An
// execution that might have another outcome without it notes that.
type Coarser struct {
	// LooseDones lets a Done of a WaitGroup commute with others also if neither its goroutine nor
	// that goroutine's parent has made an Add for it, as in a worker. If the counter becomes
	// negative, some Done panics in every order, and which one it is may not be explored.
	LooseDones bool
	// OwnPools lets a Get of a Pool return what the calling goroutine itself has Put last, and
	// never what another one has. Operations of a Pool by different goroutines commute then. It
	// does nothing with [sched.ModelPool].
	OwnPools bool
	// Needless tells engines which races of selects need not be reversed in TimeDiscrete: see
	// [trace.Needless]. Optimal DPOR visits fewer traces then, with the same outcomes. It may visit
	// one of them twice.
	Needless bool
	// Prelude is how many operations are steps that the closure performs before it has started a
	// goroutine or a timer, 0 for all. Most of those after them come before all that others do, in
	// any order, so they need not be steps: locks, atomic operations, Maps and Pools. An execution
	// then is as much quicker, and has no limit of steps for them. Its record counts them.
	Prelude int
}

// Net is about the network.
type Net struct {
	// Network says which sockets are in memory.
	Network sched.NetworkMode
	// Faults are the kinds of faults of which the sites are noted, also those of files; see
	// [Closure.Sites].
	Faults sched.Faults
	// Plan says which faults come, and where: a text of package internal/faults. New panics if
	// it is not one. With a plan, an execution follows from the plan and its schedule.
	Plan string
}

// Loops is about loops that poll in searches that tell states apart.
type Loops struct {
	// Turns lets [sched.Loop] say that a turn of a loop begins, of which what came before is no
	// part: a goroutine that calls it does not come to be taken for one that polls. So it
	// is once states have been told apart in Tracked mode, see [Closure.KeyStates].
	Turns bool
	// Keyed has loops of rewritten code that poll go on polling, whatever they find, as they do
	// once states have been told apart, see [Closure.KeyStates].
	Keyed bool
}

// LibraryRaces is about the races of libraries with themselves.
type LibraryRaces struct {
	// Library says which of them keep their order.
	Library sched.LibraryMode
	// Libraries names packages that are taken for libraries besides those of the standard
	// library: import paths with commas between them, where path/... stands for the packages
	// below path as well.
	Libraries string
}

// Harness is what the code around the closure gives to its executions, and is told of them. Any
// of it may be nil.
type Harness struct {
	// Probe is called on the goroutine that drives the run, at the end of every
	// execution, before Outcome is first told: it returns what the harness knows
	// to be wrong with it, or nil. The closure's own testing.TB is read this way.
	Probe func() []trace.Failure
	// Between is called before every execution, by the goroutine that drives it, when none
	// is going on. It may run another Closure.
	Between func()
	// Output is given what the closure writes to os.Stdout, or to os.Stderr if stderr is
	// true, directly or by packages fmt, log and log/slog, where the program was built under
	// control: goroutine g has written it after the event number step, -1 before the first.
	// The text is valid during the call only. nil leaves output alone.
	Output func(step int, g trace.ID, stderr bool, text []byte)
	// Owner is what [hook.Owner] returns to the goroutines of the run.
	Owner any
	// RecordFrom is the first event that is recorded, where Record is set: to record a long
	// execution as a whole takes too long. Events after a fault are recorded, too.
	RecordFrom int
}

const defaultMaxSteps = 10_000

// DefaultStart returns when the clock begins if [Options] have no Start: at 05:06:07.089101112
// UTC on 4 March 2026. That is an ordinary moment, at which no year, hour or second begins,
// later than the epochs that programs count from. Within a bubble of package testing/synctest
// the clock begins with the year 2000.
func DefaultStart() time.Time { return machine.StartTime }
