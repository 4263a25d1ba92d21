package trace

import (
	"errors"
	"fmt"
	"time"
)

// Program is what an engine explores: something that can be started again and
// again from one initial state and is driven by choices. sched.New makes one of a
// Go closure; any other transition system will do that keeps to these laws.
// Engines rely on them, and miss what they promise, or never end, where one is
// broken; [CheckLaws] names the step that breaks it.
//
//   - [LawRepeat]: the same choices lead to the same events, in every execution.
//   - [LawPending]: [Run.Pending] lists the next operation of every goroutine that
//     is ready, once and in ascending order of goroutine. It has one alternative at
//     least, and its accesses are of objects that are numbered from 0 on, or of
//     [Everything], in the modes of this package.
//   - [LawEvent]: a step performs the operation that was chosen, which uses what it
//     was said to use while it was pending, and adds one to [Run.Len].
//   - [LawEnabled]: an operation stays pending until it is performed, and remains of
//     the same kind. What cannot be granted yet makes its goroutine wait when it
//     has been performed, that is not be pending, and not before.
//   - [LawOrder]: what an event makes pending, of another goroutine than its own,
//     comes after it: because of [Event.Order], or of what its events depend on.
//   - [LawHonesty]: if an event changes what a pending operation of another
//     goroutine uses, or how many alternatives that has, the two depend on each
//     other by [Relation], by what the operation uses before the event and by what
//     it uses after. So an operation uses what it looks at to find out what else it
//     will use. Two pending operations that are independent then lead to the same
//     state in either order.
//   - [LawFootprints]: an event that takes an access away from a pending operation
//     of another goroutine depends itself on whatever that access depends on, so far
//     as what the operation keeps does not.
//
// The last one is part of what makes a happens-before relation valid in the paper
// on optimal DPOR (Abdulla et al. 2014, definition 3.1): if two events depend on each
// other, and a third one is independent of the first, then the first two depend on
// each other after the third as well. These three processes break it,
//
//	if x == 0 { y = 1 }        z = 1; x = 1        r = y
//
// if the first one is said to write y only while x is 0: then x = 1 takes that write
// from it. No race in another trace leads to the trace where r = y comes first, and
// y = 1 after it. It is mended by letting the first process write y whatever x is, or
// x = 1 do so. Engines differ in what they make of a system that breaks this law and no
// other: por.DFS, por.DPOR, por.Source and the engines of package bpor but bpor.Optimal
// are complete all the same, though they may visit a trace twice then, and others are
// not. por.Optimal, bpor.Optimal and the engines of package unfold ask for more where
// operations use more objects in some states than in others, see there.
//
// The kind of an operation is for people: no engine promises more or less because of it
// (por.Eager guesses by it what is worth trying). What an engine may
// take for granted besides the laws, an operation promises by [Op.Footprint] and
// [Op.WaitsOnUses]; without, the search is slower, and misses nothing more.
type Program interface {
	// Start returns an execution in its initial state. Only one execution of a
	// Program lives at a time: the previous Run must have been closed, and may
	// be reused by this one.
	Start() Run
}

// Run is one execution, driven step by step by an engine. It is not safe for
// concurrent use.
type Run interface {
	// Pending returns the next operation of every goroutine that is ready, in
	// ascending order of goroutine. It is empty when the execution is over:
	// every goroutine has ended, or waits for ever, or a limit was reached. The
	// slice and what it points at are valid until the next call of any method.
	Pending() []*Op
	// Step performs one operation. The event is valid until the next call of
	// Step, Replay or Close; its number is the count of steps before it. The
	// error is a [*ChoiceError] if the choice is none of those pending; package por
	// looks for that before the program sees it.
	Step(Choice) (*Event, error)
	// Replay performs many operations, as Step would, and skips what only
	// engines need. The error is a [*DivergenceError] if the schedule does not
	// fit the program.
	Replay(Schedule) error
	// Len returns the number of events performed so far.
	Len() int
	// Outcome returns what is wrong with the execution, nil if nothing is yet.
	// It is complete once Pending is empty: deadlocks are in it then.
	Outcome() []Failure
	// Close ends the execution wherever it is and unwinds its goroutines. It is
	// idempotent.
	Close()
}

// Driver is a [Run] that an engine may leave to run on by itself, which takes
// fewer changes between the engine and the goroutines.
type Driver interface {
	Run
	// Drive performs the operations of a schedule, as Replay would, and then asks
	// decide for one choice after the other and performs them, as Step would. It
	// returns when decide returns false. The argument of decide is the event that
	// came of its choice before, nil at first.
	//
	// Of the Run's methods decide may call Pending and Len. It is called on the
	// stacks of the program's goroutines, so it must not wait. If it panics, Drive
	// stops the execution and panics in its turn, where it was called.
	Drive(s Schedule, decide func(*Event) (Choice, bool)) error
}

// Coaster is a [Driver] that an engine may leave alone where it does not care who moves. What nobody asks for need not be
// found out then: goroutines that have done nothing yet begin when it is their turn.
type Coaster interface {
	Driver
	// Coast performs the operations of a schedule, as Replay would, and goes on by itself until the execution has so many
	// events, or nothing is pending. Of those whose operations are pending, the goroutine moves that has moved last, and if
	// none of them has moved, the one of the lowest name; first alternatives are taken. Names are paths as those of
	// [github.com/gopor/gopor/sched.Closure.Path], of programs that have none the numbers. From event number from on, tell is called with
	// every event. If it returns false, Coast returns, and the execution can only be closed.
	//
	// If the error is [ErrTold], what was told is not so, as it turned out later. It is to be forgotten, and the
	// execution to be begun anew: then it is so.
	//
	// Coast ends before the end of the schedule if nothing is pending after event number from, which is no error. Of the
	// Run's methods tell may call Len. It is called on the stacks of the program's goroutines, as decide is by Drive.
	Coast(s Schedule, from, events int, tell func(*Event) bool) error
}

// Futile is a [Run] that knows of executions that are given up by the program, not by the engine.
type Futile interface {
	Run
	// Futile reports whether the execution, in which nothing is pending, says nothing: somebody was
	// kept from going on, whatever follows is explored elsewhere, and nothing is wrong so far.
	// Such an execution is [Execution.Blocked].
	Futile() bool
}

// Patient is a [Run] in which time may have to pass although somebody could go on: who could
// goes round and round. That is for an engine to find out which recognises states, when it
// has come to states which it can leave for each other only.
type Patient interface {
	Run
	// Patience tells whether time may pass in the present state, and the choice by which it
	// does so. That choice can be made although it is not pending.
	Patience() (Patience, Choice)
}

// Patience says whether time may pass although somebody can go on.
type Patience uint8

const (
	// Impatient says that it may not, or that nobody would notice.
	Impatient Patience = iota
	// InTurns says that all who can go on have been in loops that say so.
	InTurns
	// AtHeads says that all of them are about to begin a turn of such a loop.
	AtHeads
)

// Engine explores the executions of a program.
//
// Explore calls visit once for every maximal execution it runs and once for
// every one that it cuts short, as redundant ([Execution.Blocked]) or beyond a
// bound ([Execution.Pruned]); when visit
// returns false, Explore stops and returns with no error. An engine that has
// returned without error and was not stopped has covered what its
// documentation promises. What else there is to say of an engine is in [About].
type Engine interface {
	Name() string
	Explore(p Program, visit func(*Execution) bool) (Stats, error)
}

// Execution is an execution as an engine has left it.
type Execution struct {
	// Run is positioned at the end of the execution. The visitor may ask for
	// its Outcome, but not move it.
	Run Run
	// Schedule leads from the start to the end of the execution. It is valid
	// during the visit only.
	Schedule Schedule
	// Blocked says that the engine, or the program (see [Futile]), gave up the execution
	// since whatever follows has been or will be explored elsewhere.
	Blocked bool
	// Pruned says that the engine gave up the execution since all that follows is
	// beyond its bound.
	Pruned bool
	// Stats is what the engine has done so far.
	Stats *Stats
	// Over may be set by the visitor. An engine that computes for long between two
	// visits asks it now and then, and ends the search if it says true. Before the first
	// visit it can ask the method Halted() bool of a Run that has one.
	Over func() bool
	// FailuresOnly may be set by the visitor: it need not see every execution in which nothing fails.
	// An engine that explores several at a time may only count the others in Stats, and calls the
	// visitor with one of them a hundred times a second, or as often as there is one.
	FailuresOnly bool
}

// Stats counts what an engine did. An engine has to count Executions, Blocked and
// Pruned, as it shows them to the visitor, and to say at the end whether it was
// Exhaustive. The rest is for people, and may be left out.
type Stats struct {
	Executions int64 // complete executions
	Blocked    int64 // executions given up because every ready goroutine slept, or as futile
	Pruned     int64 // executions, or parts of the search, cut off by a bound
	Steps      int64 // operations performed, replayed ones not counted
	Replayed   int64 // operations performed again to get back to a state
	Races      int64 // races found that could be reversed
	Checks     int64 // dependence checks
	// What an algorithm would check that has no clocks and compares events in pairs, as
	// those of papers do; 0 if an engine does not count it. A check whether event i, and an
	// event j after it, are a race takes j - i dependence checks: of the two, and of each
	// in between.
	PairChecks    int64 // dependence checks then
	RaceChecks    int64 // pairs of events that are checked for a race
	Unsatisfiable int64 // trace constraint systems without a solution; at the most 1<<62 of a section
	MaxDepth      int   // events of the longest execution
	// What an engine counts that recognises states (see [Keyed]).
	States      int64 // states visited
	Transitions int64 // transitions between them that were performed
	Matched     int64 // transitions to a state that had been visited before
	Bytes       int64 // memory that the graph of states takes, about
	Livelocks   int64 // states from which no execution comes to an end

	Kept       int64 // events of the unfolding kept at a time, at the most, by an engine that keeps some (package unfold)
	Elapsed    time.Duration
	Exhaustive bool // everything that the engine promises to cover was covered
	// Claim says in words what was covered, where that is known and is not everything
	// there is: "every trace with at most 1 preemption".
	Claim string
	// Basis says in words what it rests on that everything was covered, if there is more to
	// say than that the engine has come to its end: how states were told apart.
	Basis string
	// Fruitless names the parts of the search that have completed no execution.
	Fruitless string
	Drawn     int64 // of Executions, those drawn at random by an engine that also searches
	// Again is how many of Executions may show what another one has shown, of an engine that
	// also visits every trace once; those that were drawn are among them.
	Again int64
	// By says in words what has searched, where an engine has left that to others, and Counts, if it is not
	// empty, what their executions are, as [About] has it of an engine.
	By, Counts string
}

// DivergenceError says that a schedule does not fit the program: the program is
// not deterministic, or not the one that the schedule was made for.
type DivergenceError struct {
	Step int    // number of the first event that differs, from 0
	Want string // the operation that the schedule calls for
	Got  string // what the program does instead
}

func (e *DivergenceError) Error() string {
	return fmt.Sprintf("diverged at step %d: expected %s, but %s", e.Step, e.Want, e.Got)
}

// ChoiceError says that a choice was made that cannot be made: its goroutine is not
// ready there, or has no such alternative. Whoever chose it is wrong, or the program
// is not deterministic.
type ChoiceError struct {
	Choice Choice
	After  Schedule // what the execution had performed before
	DivergenceError
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("the choice of goroutine %d, alternative %d, is not pending at step %d: %s",
		e.Choice.G, e.Choice.Alt, e.Step, e.Got)
}

// Unwrap returns the [*DivergenceError] that the error is as well.
func (e *ChoiceError) Unwrap() error { return &e.DivergenceError }

// DecidePanic is what [Driver.Drive] panics with when the function that it asks for
// choices has panicked: that may have been on the stack of one of the program's
// goroutines, whose deferred calls must not come to know of it.
type DecidePanic struct {
	Value any    // what the function has panicked with; nil if it has called runtime.Goexit
	Stack []byte // where
}

func (p *DecidePanic) Error() string {
	return fmt.Sprintf("the engine panicked in making a choice: %v\n%s", p.Value, p.Stack)
}

// ErrInterrupted is returned by a Run that was interrupted from outside.
var ErrInterrupted = errors.New("the execution was interrupted")

// ErrTold is returned by Coast if what was told of the execution is not so, see [Coaster].
var ErrTold = errors.New("what was told of the execution is not so")

// ErrClosed is returned by a Run that has been closed.
var ErrClosed = errors.New("the run is closed")
