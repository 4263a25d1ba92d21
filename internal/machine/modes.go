package machine

import "time"

// RaceMode says how accesses of plain shared memory are treated; see package sched for
// the values of this and the other modes.
type RaceMode uint8

const (
	RaceFail RaceMode = iota
	RaceExplore
	RaceIgnore
)

// TimeMode says how virtual time passes.
type TimeMode uint8

const (
	TimeDiscrete TimeMode = iota
	TimeAnyOrder
	TimeLag
)

// RandMode says where random numbers come from.
type RandMode uint8

const (
	RandSeeded RandMode = iota
	RandExplore
)

// MapMode says in which order loops over maps go.
type MapMode uint8

const (
	MapSorted MapMode = iota
	MapExplore
)

// NetworkMode says which sockets an execution has.
type NetworkMode uint8

const (
	NetworkLoopback NetworkMode = iota
	NetworkReal
	NetworkNone
)

// Model says which primitives do all that the language allows them to.
type Model uint16

const (
	ModelUnfair Model = 1 << iota
	ModelPool
	ModelTryLock
	ModelRange
	ModelWaitGroup
	ModelTimer
	ModelPipe
	ModelLock
	ModelLibrary
	ModelStream
)

// AssumptionKind says what kind of thing the result of a search takes for granted.
type AssumptionKind uint8

const (
	AssumeClock AssumptionKind = iota + 1
	AssumeMapOrder
	AssumeRandom
	AssumeModel
	AssumeSource
	AssumeVariable
	AssumeCode
	AssumeCount
	NumAssumptions
)

// Coarser has what leads to fewer executions.
type Coarser struct {
	LooseDones bool // see WgState
	OwnPools   bool // see PoolState
	Needless   bool // engines are told of races that need not be reversed, see needless.go
	Prelude    int  // see prelude.go; 0 for no such thing
}

// Config says how the executions of a [Machine] go.
type Config struct {
	Races RaceMode
	Time  TimeMode
	Lag   int64 // of TimeLag, in nanoseconds
	// Held says that in TimeLag the clock moves on to no moment at which a goroutine is later than
	// Lag. Otherwise it may be up to twice as late.
	Held bool
	// Overdue lets everything last longer by a look than was asked for, by what time is told.
	Overdue bool
	// MaxClock is how far the clock moves on while main has not ended, 0 for as far as
	// there is time.
	MaxClock int64
	// Natively says that MaxClock stands for the limit of time of go test, see limit.go.
	Natively bool
	Start    time.Time // when the clock begins, StartTime if it is zero
	Polls    int32     // see DefaultPolls, which 0 stands for
	// LockPolls is Polls for a loop that only locks and unlocks: it may look at what
	// the lock guards, or do some work with it.
	LockPolls int32
	Turns     bool // turns of loops, see [Goroutine.Turn], are told apart
	Awaits    bool // loops may await something, see [Goroutine.AwaitAt]
	Keyed     bool // executions are of a search that tells states apart, see [Goroutine.TurnAt]
	Rand      RandMode
	Seed      uint64 // of random numbers
	Model     Model
	Maps      MapMode
	Network   NetworkMode
	Faults    Faults
	Coarser
	Exchange
	Record bool // reports are wanted: positions, names and values matter
	Owner  any  // what belongs to the executions, see package hook
	// Captures gives what goroutines write to the standard files of the process to the executor,
	// see Executor.Output.
	Captures bool
}

// By these bits Machine.met remembers that a goroutine got nothing from a Pool, Pools that
// goroutines do not share, the use of the clock, and of the date, and the order of a Map.
const (
	MetNone  Model = 1 << 11
	metPools Model = 1 << 12
	metClock Model = 1 << 13
	metDate  Model = 1 << 14
	MetOrder Model = 1 << 15
)

// Usual notes, once in an execution, that it met the usual model of a primitive in a
// way that could matter.
func (g *Goroutine) Usual(m Model, what string) { g.Meet(m, AssumeModel, what) }

// usesClock notes that g depends on how time passes.
func (g *Goroutine) usesClock(what string) {
	if g.M.Time != TimeAnyOrder {
		g.Meet(metClock, AssumeClock, what)
	}
}

// Met reports whether the execution has met that.
func (m *Machine) Met(what Model) bool { return m.met&what != 0 }

func (g *Goroutine) Meet(m Model, k AssumptionKind, what string) {
	if met := &g.M.met; *met&m == 0 {
		*met |= m
		g.M.Exec.Assume(g, k, what)
	}
}
