package trace

import (
	"errors"
	"fmt"
	"time"
)

// Program is what an engine explores. It can be started again and again from one initial state,
// and choices drive it. The function exec.New makes one of a Go closure. Any other transition
// system is possible that keeps these laws. Engines rely on them: if a law is broken, an engine
// may miss what it promises, or never end. [CheckLaws] names the step that breaks it.
//
//   - [LawRepeat]: the same choices lead to the same events, in every execution.
//   - [LawPending]: [Run.Pending] lists the next operation of every enabled goroutine, once and
//     in ascending order of goroutine. It has at least one alternative, and its accesses are of
//     objects that are numbered from 0 on, or of [Everything], in the modes of this package.
//   - [LawEvent]: a step performs the chosen operation, with the accesses that it had while it
//     was pending, and adds one to [Run.Len].
//   - [LawEnabled]: an operation stays pending until it is performed, and remains of the same
//     kind. If it cannot be granted yet, its goroutine waits after it was performed, that is
//     has no pending operation, and not before.
//   - [LawOrder]: if an event makes an operation of another goroutine pending, that operation
//     comes after the event: because of [Event.Order], or of a dependence.
//   - [LawHonesty]: if an event changes the accesses or the number of alternatives of a pending
//     operation of another goroutine, the two depend on each other by [Relation], by the
//     accesses of the operation before the event and by those after it. So an operation has
//     accesses of the objects that determine its other accesses. Two independent pending
//     operations then lead to the same state in either order.
//   - [LawFootprints]: if an event takes an access from a pending operation of another
//     goroutine, the event depends on everything that this access depends on, as far as the
//     remaining accesses of the operation do not.
//
// The last law is part of what makes a happens-before relation valid in the paper on optimal
// DPOR (Abdulla et al. 2014, definition 3.1): if two events depend on each other, and a third
// one is independent of the first, then the first two also depend on each other after the
// third. These three processes break it,
//
//	if x == 0 { y = 1 }        z = 1; x = 1        r = y
//
// if the first one is said to write y only while x is 0: then x = 1 takes that write from it. No
// race in another trace leads to the trace where r = y comes first, and y = 1 after it. To mend it,
// let the first process write y whatever x is, or let x = 1 write y. Engines differ on a system
// that breaks only this law: engine.DFS, engine.DPOR, engine.Source and the engines of package bpor
// but bpor.Optimal are complete nevertheless, though they may visit a trace twice then. Others are
// not. engine.Optimal, bpor.Optimal and the engines of package unfold require more where operations
// use more objects in some states than in others, see there.
//
// The kind of an operation is for messages: the promises of engines do not depend on it
// (engine.Eager guesses by it what is worth trying). Besides the laws, an engine may rely on the
// promises of [Op.Footprint], [Op.WaitsOnUses] and [Op.Quiet]. Without them the search is slower,
// and misses no more.
type Program interface {
	// Start returns an execution in its initial state. Only one execution of a Program lives at
	// a time: the previous Run must have been closed, and Start may reuse it.
	Start() Run
}

// Run is one execution, driven step by step by an engine. It is not safe for
// concurrent use.
type Run interface {
	// Pending returns the next operation of every enabled goroutine, in ascending order of
	// goroutine. It is empty when the execution is over: every goroutine has ended, or waits
	// forever, or a limit was reached. The slice and the operations are valid until the next
	// call of any method.
	Pending() []*Op
	// Step performs one operation. The event is valid until the next call of Step, Replay or
	// Close; its number is the count of steps before it. Step returns a [*ChoiceError] if the
	// choice is not pending; package por checks that before the program sees the choice.
	Step(Choice) (*Event, error)
	// Replay performs many operations, as Step does, and skips work that only engines need. It
	// returns a [*DivergenceError] if the schedule does not fit the program.
	Replay(Schedule) error
	// Len returns the number of events performed so far.
	Len() int
	// Outcome returns the failures of the execution so far, or nil. It is complete once Pending
	// is empty: it includes deadlocks then.
	Outcome() []Failure
	// Close ends the execution in any state and unwinds its goroutines. It is idempotent.
	Close()
}

// Driver is a [Run] that an engine may let run on by itself, which saves switches between the
// engine and the goroutines.
type Driver interface {
	Run
	// Drive performs the operations of a schedule, as Replay does. Then it asks decide for one
	// choice after the other and performs them, as Step does. It returns when decide returns
	// false. The argument of decide is the event of its previous choice, nil at first.
	//
	// Of the Run's methods decide may call Pending and Len. It is called on the stacks of the
	// program's goroutines, so it must not wait. If it panics, Drive stops the execution and
	// panics itself, in its caller.
	Drive(s Schedule, decide func(*Event) (Choice, bool)) error
}

// Coaster is a [Driver] that an engine may let run without choices, where it does not matter
// which goroutine moves. The Run need not compute what the engine does not ask for: goroutines
// that have not moved yet start when it is their turn.
type Coaster interface {
	Driver
	// Coast performs the operations of a schedule, as Replay does. It goes on by itself until
	// the execution has the given number of events, or nothing is pending. Among the enabled
	// goroutines, the one moves that moved last, and if none of them has moved, the one with
	// the lowest name. It takes the first alternative. Names are those of [Named], or numbers in
	// other programs. From event number from on, tell is called with every event. If tell returns
	// false, Coast returns, and the execution can only be closed.
	//
	// If Coast returns [ErrTold], an event that was passed to tell has turned out to be wrong.
	// The caller has to forget the events and start the execution anew, which gives the right
	// ones.
	//
	// Coast ends before the end of the schedule if nothing is pending after event number from,
	// which is not an error. Of the Run's methods tell may call Len. It is called on the stacks
	// of the program's goroutines, as decide is by Drive.
	Coast(s Schedule, from, events int, tell func(*Event) bool) error
}

// Futile is a [Run] that knows of executions that the program abandons, not the engine.
type Futile interface {
	Run
	// Futile reports whether the execution, in which nothing is pending, is redundant: a
	// goroutine was kept from going on, all continuations are explored elsewhere, and nothing
	// has failed so far. Such an execution is [Execution.Blocked].
	Futile() bool
}

// Leaving is a [Run] with operations within a library (see [Op.Within]).
type Leaving interface {
	Run
	// Left is told that the engine leaves the order of two such events as it is. The argument
	// within is the call of the second one.
	Left(within uintptr)
}

// Patient is a [Run] in which time may have to pass although some goroutines are enabled: they
// only repeat the same operations. An engine that recognises states finds that out when it has
// reached states that lead only to each other.
type Patient interface {
	Run
	// Patience returns whether time may pass in the present state, and the choice by which it
	// does. That choice can be made although it is not pending.
	Patience() (Patience, Choice)
}

// Patience says whether time may pass although some goroutines are enabled.
type Patience uint8

const (
	// Impatient says that time may not pass, or that no goroutine would notice.
	Impatient Patience = iota
	// InTurns says that all enabled goroutines are in loops that announce their iterations.
	InTurns
	// AtHeads says that all of them are about to begin an iteration of such a loop.
	AtHeads
)

// Engine explores the executions of a program.
//
// Explore calls visit once for every maximal execution that it runs. It also calls visit once
// for every execution that it cuts short, as redundant ([Execution.Blocked]) or beyond a bound
// ([Execution.Pruned]). When visit returns false, Explore stops and returns no error. An engine
// that has returned without error and was not stopped has covered what its documentation
// promises. [About] describes an engine further.
type Engine interface {
	Name() string
	Explore(p Program, visit func(*Execution) bool) (Stats, error)
}

// Execution is an execution as an engine has left it.
type Execution struct {
	// Run is at the end of the execution. The visitor may call its Outcome, but not move it.
	Run Run
	// Schedule leads from the start to the end of the execution. It is valid only during the
	// visit.
	Schedule Schedule
	// Blocked says that the engine, or the program (see [Futile]), abandoned the execution
	// since all continuations are explored elsewhere.
	Blocked bool
	// Pruned says that the engine abandoned the execution since all continuations are beyond
	// its bound.
	Pruned bool
	// Stats has the statistics of the engine so far.
	Stats *Stats
	// Over may be set by the visitor. An engine that computes for long between two visits calls
	// it now and then, and ends the search if it returns true. Before the first visit the
	// engine can ask a Run that is a [Halter].
	Over func() bool
	// FailuresOnly may be set by the visitor: it need not see every execution in which nothing
	// fails. An engine that explores several at a time may only count the others in Stats. It
	// then shows the visitor one of them a hundred times a second, or as often as there is one.
	FailuresOnly bool
	// Only may be set by the engine. It reports whether the engine would end after this execution,
	// because there is no other one to explore. A visitor that stops the search asks it, to know
	// whether anything was left.
	Only func() bool
}

// Stats counts what an engine did. An engine has to count Executions, Blocked and Pruned, as it
// shows them to the visitor, and to set Exhaustive at the end. The rest is for messages, and
// optional.
type Stats struct {
	Executions int64 // complete executions
	// Executions abandoned because every enabled goroutine slept, or as futile.
	Blocked  int64
	Pruned   int64 // executions, or parts of the search, cut off by a bound
	Steps    int64 // operations performed, replayed ones not counted
	Replayed int64 // operations performed again to get back to a state
	Races    int64 // races found that could be reversed
	Left     int64 // races found within libraries, and not reversed: see [Op.Within]
	Checks   int64 // dependence checks
	// The work of an algorithm without clocks that compares events in pairs, as in papers; 0 if
	// an engine does not count it. A check whether event i, and an event j after it, are a race
	// takes j - i dependence checks: of the two, and of each in between.
	PairChecks int64 // dependence checks of that algorithm
	RaceChecks int64 // pairs of events that it checks for a race
	// Trace constraint systems without a solution; at most 1<<62 of a section.
	Unsatisfiable int64
	MaxDepth      int // events of the longest execution
	Graph             // the counts of an engine that recognises states

	// The largest number of events of the unfolding kept at a time, by an engine that keeps
	// some (package unfold).
	Kept       int64
	Elapsed    time.Duration
	Exhaustive bool // everything that the engine promises to cover was covered
	// Claim says in words what was covered, where that is known and is not everything: "every
	// trace with at most 1 preemption".
	Claim string
	// Basis says in words on what the covering of everything rests, besides that the engine has
	// finished: how states were distinguished.
	Basis string
	// Fruitless names the parts of the search that have completed no execution.
	Fruitless string
	// Of Executions, those drawn at random by an engine that also searches.
	Drawn int64
	// Again is the number of Executions that may repeat others, for an engine that also visits
	// every trace once. It includes those that were drawn.
	Again int64
	// By says in words which engine has searched, where an engine has left that to others.
	// Counts, if not empty, says what their executions are, like Counts of [About].
	By, Counts string
}

// Then returns the sum of what two engines have done, one after the other: s, and then next. It is
// exhaustive if s is.
func (s Stats) Then(next *Stats) Stats {
	s.Executions += next.Executions
	s.Blocked += next.Blocked
	s.Pruned += next.Pruned
	s.Steps += next.Steps
	s.Replayed += next.Replayed
	s.Races += next.Races
	s.Left += next.Left
	s.Checks += next.Checks
	s.MaxDepth = max(s.MaxDepth, next.MaxDepth)
	s.Elapsed += next.Elapsed
	s.Drawn += next.Drawn
	s.Again += next.Again
	if next.By != "" {
		s.By = next.By
	}
	if next.Claim != "" {
		s.Claim = next.Claim
	}
	return s
}

// Graph counts what an engine did that recognises states (see [Keyed]).
type Graph struct {
	States      int64 // states visited
	Transitions int64 // transitions between them that were performed
	Matched     int64 // transitions to a state that had been visited before
	Bytes       int64 // approximate memory of the graph of states
	Livelocks   int64 // states from which no final state can be reached
}

// DivergenceError says that a schedule does not fit the program: the program is not
// deterministic, or not the one for which the schedule was made.
type DivergenceError struct {
	Step int    // number of the first event that differs, from 0
	Want string // the operation that the schedule requires
	Got  string // what the program does instead
}

func (e *DivergenceError) Error() string {
	return fmt.Sprintf("diverged at step %d: expected %s, but %s", e.Step, e.Want, e.Got)
}

// ChoiceError says that a choice is impossible: its goroutine is not enabled, or has no such
// alternative. The engine that made it is at fault, or the program is not deterministic.
type ChoiceError struct {
	Choice Choice
	After  Schedule // the choices that the execution had performed before
	DivergenceError
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("the choice of goroutine %d, alternative %d, is not pending at step %d: %s",
		e.Choice.G, e.Choice.Alt, e.Step, e.Got)
}

// Unwrap returns the [*DivergenceError] in the error.
func (e *ChoiceError) Unwrap() error { return &e.DivergenceError }

// DecidePanic is the value with which [Driver.Drive] panics when decide has panicked. That may
// have been on the stack of a goroutine of the program, and its deferred calls must not see the
// panic.
type DecidePanic struct {
	// The value of the panic; nil if decide has called runtime.Goexit.
	Value any
	Stack []byte // the stack of the panic
}

func (p *DecidePanic) Error() string {
	return fmt.Sprintf("the engine panicked in making a choice: %v\n%s", p.Value, p.Stack)
}

// ErrInterrupted is returned by a Run that was interrupted from outside.
var ErrInterrupted = errors.New("the execution was interrupted")

// ErrTold is returned by Coast if an event that it has told was wrong, see [Coaster].
var ErrTold = errors.New("what was told of the execution is not so")

// ErrClosed is returned by a Run that has been closed.
var ErrClosed = errors.New("the run is closed")
