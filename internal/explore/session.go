package explore

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/budget"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/kept"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Subject is what a session needs to know of what it explores.
type Subject struct {
	// Program makes the program, one for searching or one that records.
	Program func(exec.Options) trace.Program
	// Borrowed says that the program is the caller's, and does not record.
	Borrowed bool
	// Repeatable says that several programs can be run at once, if the user says so.
	Repeatable bool

	Poisonable bool // an execution that fails makes all others seem to

	Outer testing.TB // the test that a Check is called for, nil for other searches

	// The rest may be nil.
	Poisoned func() bool   // every execution from now on would seem to fail
	Log      func() string // what the latest execution has logged
	Restore  func()        // undoes what the latest execution did to the process
	Count    func()        // the latest execution is over, and is one of the search
	// Prepare is called before a search, in a way of passing time.
	Prepare   func(*Session) error
	Checked   func() string // what verdicts say was looked at, besides failures
	Undecided func() string // what the judge of histories left open, "" for nothing
	// A picture of the history of the latest execution that fails by that.
	Draw func(io.Writer) error
}

// Session is one call of Check, Explore or ExploreProgram. The search runs on a goroutine of its
// own, since it may get stuck in the closure; the calling goroutine watches it.
//
// What the session is made of has one owner each: nothing changes the request once the search runs,
// the calling goroutine and the searching one share the monitor, and the rest is the searching
// goroutine's.
type Session struct {
	Request
	monitor
	Phase    phase    // the way of searching that is under way
	State    state    // of that
	Findings findings // of all phases so far
	Faults   mishaps
	props    report.Properties
	sites    faults.Sites // of executions of the phase at which faults may come
	corpus   *kept.Corpus // of searches with faults, nil for none

	Out   written.Output // of the execution that runs, or ran last, if it is recorded
	Leaks *exec.Leaks    // tells what is leaked of what is left behind
	Over  func() bool    // the search was stopped; made once
}

// Request is what the caller asks for.
type Request struct {
	Cfg     Config
	about   trace.About // cfg.engine
	Subject Subject
	Where   Place
	Script  *replay.Script // the schedule to replay, nil to search
	Store   *Store         // of failing schedules, may be nil
	Foreign bool           // POR_REPLAY is set, but meant for another session

	SoftEnd, HardEnd time.Duration // from the start of run; 0: none
	Sharing          Sharing
	// Takes what is to be said while the search goes on, may be nil.
	Tell func(text string)
}

// monitor is what the calling goroutine reads of the search, and by which it stops it.
type monitor struct {
	Begun time.Time // when the first search has begun
	// Nanoseconds that do not count, of dismissed searches and of preparing.
	anew      atomic.Int64
	preparing atomic.Int64 // since when a program prepares itself, in nanoseconds; 0 for no time

	stop       atomic.Int32 // a StopReason; the search ends when it is set
	Hurry      atomic.Bool  // the deadline of the test is near: no minimising any more
	Sought     atomic.Bool  // an engine has begun: a busy machine may be late with that
	Crammed    atomic.Bool  // executions of a report have met the limit of memory
	Executions atomic.Int64
	blocked    atomic.Int64
	Watched    atomic.Pointer[trace.Program] // the program for which Progress counts
	searcher   atomic.Uint64                 // number of the goroutine that searches
	Pulse      pulse

	Mu        sync.Mutex // guards these
	searching bool       // the engine is at work
	// When the executions of a report have to be over, zero if there are none.
	due  time.Time
	heap *heapWatch      // nil if there is no limit of memory
	Team []*exec.Closure // the programs of workers, besides the one that is watched
}

// phase is one way of searching: how executions run, which engine explores them, and when the phase
// is left for another one.
type phase struct {
	name   string // as progress says it, "" for the usual way
	Run    exec.Options
	engine trace.Engine
	Pause  pause
	// Share is how long after its start the search leaves the phase if that leaves races inside
	// libraries, 0 for never. Left says that an earlier phase did so.
	Share time.Duration
	Left  bool
}

// state is how far a phase is.
type state struct {
	earlier int64 // executions of the search before this phase
	Unfair  int64 // executions that tell nothing: see trace.FailStarved
	broken  int64 // counted executions that were broken off when they were looked at
	Cut     int   // steps of the latest execution that was broken off
	left    bool  // a phase has left its first execution
	only    bool  // a limit has ended the search after the only execution
	taken   bool  // the pause has come
	spent   bool  // its share of the time has passed
	shares  bool  // it is to begin anew, and goroutines are to share Pools
	Timed   bool  // an execution of a worker has waited for the clock
	parts   parts.State
}

// findings are what has come of executions.
type findings struct {
	Found     []Finding
	Keys      map[FailureKey]bool
	Tally     *tally      // nil unless failures of all executions are to be told from others
	earlier   stack.Frame // of a goroutine from before the test, see noteEarlier
	Remaining remaining
	faults    []string // of the execution that was recorded last
	noted     bool     // the report is of what may be no failure: nothing is saved
	// Why goroutines of the program were not under control, "" if all were.
	uncontrolled string
	// To minimise the next failure in, 0 for as long as one that is alone.
	portion time.Duration
	long    budget.Long
}

// mishaps are what is wrong with the engine, or the program, and which of them is at work when that
// shows.
type mishaps struct {
	Doubt     error // what the visitor has found to be wrong with the engine or the program
	unlike    error // how the second execution differed from the first, nil for any other error
	settled   bool  // the search has begun anew for that
	exploring bool  // the engine is at work, or has panicked
	Visiting  bool  // the visitor is at work, or has panicked
	refused   bool  // the visitor has asked for no more executions
}

// OuterFailure is the failure of a closure that has failed the test around it.
var OuterFailure = trace.Failure{
	Kind: trace.FailAssertion,
	G:    -1,
	Step: -1,
	Msg:  "the closure has failed the test around it (its message is above); pass a func(testing.TB) to have the message here and the schedule minimised",
}

// StopReason says why a search was stopped by the session.
type StopReason int32

const (
	Running         StopReason = iota
	StopFailures               // as many as were asked for
	StopExecutions             // the limit of executions
	StopTime                   // the limit of time
	StopMemory                 // the limit of memory
	StopDeadline               // the deadline of the test is near
	StopContext                // the context is done
	stopAlways                 // so many executions fail that others will hardly not
	stopDoubt                  // there is something wrong with the engine or the program
	StopInterrupted            // the user has typed Ctrl-C
	StopLost                   // what was given to others was lost
	StopAnew                   // it is to begin anew: see withLocks
	StopAbandoned              // the caller no longer waits for the result
)

// Finding is a failing execution as the search has met it.
type Finding struct {
	Schedule  trace.Schedule
	Failures  []trace.Failure
	want      trace.Failure // the one of them to speak of
	Execution int64
	Poisoned  bool // of the test around the closure
}

// FailureKey tells distinct failures apart.
type FailureKey struct {
	kind trace.FailureKind
	msg  string
}

func KeyOf(f trace.Failure) FailureKey { return FailureKey{f.Kind, f.Msg} }

// NewLeaks makes what tells leaks. Tests replace it.
var NewLeaks = exec.NewLeaks

func NewSession(c Config, s Subject) *Session {
	x := &Session{
		Request:  Request{Cfg: c, about: trace.Describe(c.Engine), Subject: s, Sharing: unshared{}},
		Phase:    phase{Run: c.Run, engine: c.Engine},
		Findings: findings{Keys: make(map[FailureKey]bool)},
	}
	x.Leaks, x.Over = NewLeaks(), func() bool { return x.Halted() != Running && !x.awaitsFirst() }
	return x
}

// Halt stops the search, for the first reason given.
func (m *monitor) Halt(why StopReason) { m.stop.CompareAndSwap(int32(Running), int32(why)) }

func (m *monitor) Halted() StopReason { return StopReason(m.stop.Load()) }

// Program makes a program and lets the watchdog follow its progress.
func (s *Session) Program(record bool) trace.Program {
	o := s.Phase.Run
	o.Record, o.RecordFrom = record, s.Findings.long.From
	if !s.Cfg.StrictLeaks {
		o.Leaks = s.Leaks
	}
	if !record && !s.Subject.Borrowed {
		o.Between, o.Uncrossed = s.between, !IsWorker() // a worker's search does not begin anew
	}
	switch {
	case record:
		// Outcome and Delay may run an execution once more.
		o.Output, o.Between = s.Out.Print, s.Out.Begin
	case !s.Cfg.ShowOutput:
		o.Output = written.Discard
	}
	p := s.Subject.Program(o)
	s.Watched.Store(&p)
	return p
}

// Dismiss ends the goroutines of a program that the session has made.
func (s *Session) Dismiss(p trace.Program) {
	if c, ok := p.(*exec.Closure); ok && !s.Subject.Borrowed {
		c.Shutdown()
	} else if r, ok := p.(trace.Run); ok {
		r.Close()
	}
	if s.Subject.Restore != nil {
		s.Subject.Restore()
	}
}

// Explore runs a session outside tests.
func (s *Session) Explore(caller string) (*report.Result, error) {
	s.Where = Place{Name: s.Cfg.Name}
	if s.Where.Name == "" {
		s.Where.Name = caller
	}
	if s.about.Endless && s.Cfg.Limits.Executions == 0 {
		s.Cfg.DefaultTime(DefaultCheckTime)
	}
	if err := s.PrepareReplay(); err != nil {
		return nil, fmt.Errorf("por: %w", err)
	}
	return s.Run()
}
