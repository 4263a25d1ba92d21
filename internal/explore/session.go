package explore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/trial"
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
	Faults   faults

	Out   Outputs     // of the execution that runs, or ran last, if it is recorded
	Leaks *exec.Leaks // tells what is leaked of what is left behind
	Over  func() bool // the search was stopped; made once
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
}

// state is how far a phase is.
type state struct {
	earlier int64 // executions of the search before this phase
	Unfair  int64 // executions that tell nothing: see trace.FailStarved
	broken  int64 // counted executions that were broken off when they were looked at
	Cut     int   // steps of the latest execution that was broken off
	left    bool  // a first look has left its first execution
	taken   bool  // the pause has come
	Timed   bool  // an execution of a worker has waited for the clock
	parts   partsState
}

// findings are what has come of executions.
type findings struct {
	Found     []Finding
	Keys      map[FailureKey]bool
	Tally     *tally // nil unless failures of all executions are to be told from others
	Remaining remaining
	noted     bool // the report is of what may be no failure: nothing is saved
	// Why goroutines of the program were not under control, "" if all were.
	uncontrolled string
	// To minimise the next failure in, 0 for as long as one that is alone.
	portion time.Duration
}

// faults are what is wrong with the engine, or the program, and which of them is at work when that
// shows.
type faults struct {
	Doubt     error // what the visitor has found to be wrong with the engine or the program
	unlike    error // how the second execution differed from the first, nil for any other error
	settled   bool  // the search has begun anew for that
	exploring bool  // the engine is at work, or has panicked
	Visiting  bool  // the visitor is at work, or has panicked
	refused   bool  // the visitor has asked for no more executions
}

// Sharing has others explore for a session: goroutines of this process, or other processes.
type Sharing interface {
	// Processes returns the engine that searches in the place of e by processes, if there are any,
	// and Goroutines the one that does so by several goroutines.
	Processes(e trace.Engine) trace.Engine
	Goroutines(e trace.Engine) trace.Engine
	// Alone says why one explores where several were asked for, "" if it is not so.
	Alone() string
	// Lost says why a search that others explore cannot be brought to its end.
	Lost() string
	// Ending reports whether nothing is left to explore, and others are being ended.
	Ending() bool
}

// divisible is an engine, or the [engine.Helper] of one, that explores a part of a program in
// another way than all of it.
type divisible[T any] interface {
	// OfPart returns what explores the part of that name for so long, or all parts unless it is to
	// focus on one.
	OfPart(share time.Duration, focus bool, part string) T
}

// unshared is the Sharing of a session for which no other process or goroutine explores.
type unshared struct{}

func (unshared) Processes(e trace.Engine) trace.Engine  { return e }
func (unshared) Goroutines(e trace.Engine) trace.Engine { return e }
func (unshared) Alone() string                          { return "" }
func (unshared) Lost() string                           { return "" }
func (unshared) Ending() bool                           { return false }

// Assigned is what another process has started this one for, nil if none has. It is set when the
// process starts.
var Assigned *share.Assignment

// IsWorker reports whether this process explores for another one.
func IsWorker() bool { return Assigned != nil && !Assigned.Serve }

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
	x.Leaks = NewLeaks()
	x.Over = func() bool { return x.Halted() != Running }
	return x
}

// Halt stops the search, for the first reason given.
func (m *monitor) Halt(why StopReason) { m.stop.CompareAndSwap(int32(Running), int32(why)) }

func (m *monitor) Halted() StopReason { return StopReason(m.stop.Load()) }

// finished is what the searching goroutine hands over.
type finished struct {
	res *report.Result
	err error
}

// Run searches, or replays, and returns when that is done or has to be given up.
func (s *Session) Run() (*report.Result, error) {
	s.Phase = phase{Run: s.Cfg.Run, engine: s.Cfg.Engine}
	if s.Cfg.Limits.Ctx != nil && s.Cfg.Limits.Ctx.Err() != nil {
		s.cancel()
	}
	done := make(chan finished, 1)
	go func() {
		var out finished
		returned := false
		defer func() {
			if !returned {
				out = finished{err: s.mishap(recover(), debug.Stack())}
			}
			done <- out
		}()
		s.searcher.Store(stack.Current())
		out.res, out.err = s.work()
		returned = true
	}()
	return s.watch(done)
}

// work does the whole session on the searching goroutine.
func (s *Session) work() (*report.Result, error) {
	if s.Script != nil {
		if err := s.prepare(); err != nil {
			return nil, err
		}
		return s.replayScript()
	}
	if res := s.runSaved(); res != nil {
		return res, nil
	}
	s.Begun = time.Now()
	defer s.Pulse.end()
	res, err := s.searchAll()
	if res == nil || err != nil || s.Halted() == StopAbandoned {
		return res, err
	}
	s.judge(res)
	if s.Cfg.Exhaustive && !res.Exhaustive && len(res.Failures) == 0 {
		return res, res.Verdict.TooLittle()
	}
	return res, nil
}

// prepare lets the subject prepare itself, if it has to.
func (s *Session) prepare() error {
	if s.Subject.Prepare == nil || s.Over() {
		return nil
	}
	return s.Subject.Prepare(s)
}

// runPhase searches once, as the phase says. It returns nil if
// the caller no longer waits for the result. Timed says that an execution has waited for the clock.
func (s *Session) runPhase() (res *report.Result, timed bool, err error) {
	if err := s.prepare(); err != nil {
		return new(report.Result), false, err
	}
	s.Phase.Run.Keyed = false
	p := s.Program(false)
	defer func() { s.Dismiss(p) }()
	s.ready(p)
	shared := func() trace.Engine { return s.Sharing.Goroutines(s.withParts(s.Sharing.Processes(s.Phase.engine))) }
	stats, err := s.search(p, shared())
	for range 2 { // either once, in any order
		if q := s.settle(p); q != nil {
			p = q
			stats, err = s.search(p, s.withParts(s.Phase.engine))
		}
		if q := s.withLocks(p); q != nil {
			p = q
			stats, err = s.search(p, shared())
		}
	}
	if c, ok := p.(*exec.Closure); ok {
		s.Phase.Run.Keyed = c.Keyed() // so are those that show again what was found
	}
	if err == nil && s.Halted() == stopAlways {
		err = s.sample(p, &stats)
	}
	if err == nil {
		err = s.tryMore(p)
	}
	stats.Executions -= s.State.Unfair + s.State.broken
	stats.Pruned += s.State.Unfair
	stats.Exhaustive = stats.Exhaustive && s.State.Unfair == 0 && s.State.broken == 0
	res = &report.Result{Stats: stats}
	if s.Halted() == StopAbandoned {
		return nil, false, nil
	}
	s.noteEarlier(p)
	assumptions := assumptionsOf(p)
	if err == nil {
		err = cmp.Or(s.Unshown(&stats), s.nonsense(&stats))
	} else {
		err = s.Explain(p, err)
	}
	suspectOf(err, assumptions)
	if s.Findings.Tally != nil {
		s.Findings.Tally.setAside(s, p, assumptions)
	}
	if err == nil {
		s.examineRemains(p)
		assumptions = assumptionsOf(p)
	}
	if len(s.Findings.Found) > 0 {
		res.Failures = s.examineAll(p)
	}
	if s.Findings.Tally != nil && err == nil {
		s.Findings.Tally.judgeLate(s, p, res)
		s.Findings.Tally.conclude(s, p, assumptions)
	}
	s.lookBeside(p)
	res.Verdict = s.Verdict(res, assumptions, err)
	res.Exhaustive = err == nil && res.Verdict.Exhaustive
	c, ok := p.(*exec.Closure)
	return res, ok && (c.Timed() || s.State.Timed), err
}

// ready lets a program prepare itself, the time for which does not count: it is the same whatever
// the limit.
func (s *Session) ready(p trace.Program) {
	c, ok := p.(*exec.Closure)
	if !ok || s.Subject.Borrowed || s.Over() {
		return
	}
	begin := time.Now()
	s.preparing.Store(begin.UnixNano())
	c.Prepare()
	s.anew.Add(int64(time.Since(begin)))
	s.preparing.Store(0)
}

// uncounted returns how much of the time since the search has begun does not count.
func (s *Session) uncounted() time.Duration {
	d := time.Duration(s.anew.Load())
	if begin := s.preparing.Load(); begin != 0 {
		d += time.Since(time.Unix(0, begin))
	}
	return d
}

// NotOne returns an error if a limit has ended the search before an execution was complete.
func (s *Session) NotOne(stats *trace.Stats) error {
	limit := ""
	switch s.Halted() {
	case StopTime:
		limit = s.FrontEnd().Advice("raise the limit", report.SettingTime)
	case StopMemory:
		limit = s.FrontEnd().Advice("raise the limit of memory", report.SettingMemory)
	case StopDeadline:
		limit = "; the deadline of the test is near" + s.FrontEnd().Advice("move it", report.SettingTimeout)
	}
	if limit == "" || s.State.Unfair > 0 || stats.Executions > 0 || len(s.Findings.Found) > 0 {
		return nil
	}
	took := time.Since(s.Begun) - s.waited() - s.uncounted()
	after := format.Time(took)
	if cut := stats.Blocked + stats.Pruned; cut > 0 {
		return &report.TooLongError{After: took, Text: fmt.Sprintf("too long to explore: no execution completed within %v (%s abandoned as redundant or out of bound)%s",
			after, format.Counted(cut, "execution"), limit)}
	}
	return &report.TooLongError{After: took, Text: fmt.Sprintf("too long to explore: the first execution did not complete within %v%s", after, limit)}
}

func assumptionsOf(p trace.Program) []exec.Assumption {
	if a, ok := p.(exec.Assuming); ok {
		return a.Assumptions()
	}
	return nil
}

// search runs an engine.
func (s *Session) search(p trace.Program, engine trace.Engine) (trace.Stats, error) {
	return s.SearchBy(p, engine, s.visit)
}

// SearchBy runs an engine that shows its executions to visit.
func (s *Session) SearchBy(p trace.Program, engine trace.Engine, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if s.Over() {
		return trace.Stats{}, nil
	}
	begin := time.Now()
	s.setSearching(p, true)
	defer s.setSearching(p, false)
	s.Sought.Store(true)
	limit := s.Cfg.Limits.Time
	if s.SoftEnd > 0 && (limit == 0 || s.SoftEnd < limit) {
		limit = s.SoftEnd
	}
	if limit > 0 && s.State.earlier > 0 {
		limit = max(limit-begin.Sub(s.since()), time.Nanosecond)
	}
	// A first look is left only if executions wait for the clock.
	if !s.Phase.Pause.At.IsZero() && s.Phase.Pause.steps == 0 {
		limit = max(s.Phase.Pause.At.Sub(begin), time.Nanosecond)
	}
	if with := trace.Describe(engine).WithTime; limit > 0 && with != nil {
		engine = with(limit)
	}
	s.setPatience(p)
	s.Faults.exploring = true
	stats, err := engine.Explore(p, visit)
	s.Faults.exploring = false
	if c, ok := p.(*exec.Closure); ok {
		s.State.Cut = c.BrokenOff()
	}
	if stats.Elapsed == 0 {
		stats.Elapsed = time.Since(begin)
	}
	if s.Faults.Doubt != nil {
		return stats, s.Faults.Doubt
	}
	if errors.Is(err, trace.ErrInterrupted) && (s.losesPatience(p) || s.Over()) {
		return stats, nil
	}
	return stats, err
}

// setSearching says whether executions may be interrupted.
func (s *Session) setSearching(p trace.Program, on bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.searching = on
	if c, ok := p.(trace.Interrupter); ok && !on {
		c.Interrupt(false)
	}
}

// visit looks at an execution and reports whether the search is to go on.
func (s *Session) visit(x *trace.Execution) bool {
	s.Faults.Visiting = true
	s.look(x)
	s.Faults.Visiting = false
	if x != nil {
		s.setPatience(x.Run)
	}
	s.Faults.refused = s.Halted() != Running || s.takesPause(x)
	return !s.Faults.refused
}

func (s *Session) look(x *trace.Execution) {
	if s.Faults.refused || x == nil || x.Run == nil {
		s.doubtEngine(x)
		return
	}
	x.Over = s.Over
	if isInterrupted(x.Run) {
		return
	}
	if s.Crossed(x.Run) {
		s.Halt(StopAnew)
		return
	}
	if x.Blocked || x.Pruned {
		s.blocked.Add(1)
		if s.Subject.Poisoned != nil && s.Subject.Poisoned() {
			s.keep(x, []trace.Failure{OuterFailure})
		}
		return
	}
	if ops := x.Run.Pending(); len(ops) > 0 {
		s.suspect("has shown an execution of %s as complete although g%d could go on", format.Counted(int64(x.Run.Len()), "step"), ops[0].G)
		return
	}
	steps := x.Run.Len() // now, since what follows may be interrupted
	failures := x.Run.Outcome()
	// While it was run once more to find races: what is wrong with it is not known.
	if isInterrupted(x.Run) {
		s.State.broken++
		return
	}
	if s.Subject.Count != nil {
		s.Subject.Count()
	}
	if len(failures) > 0 && len(x.Schedule) != steps {
		s.suspect("has shown an execution of %s with a schedule of %d that fails: %v", format.Counted(int64(steps), "step"), len(x.Schedule), trial.Primary(failures))
		return
	}
	// It does not count yet, so that no limit interrupts it.
	if s.Executions.Load() == 0 && s.Halted() != StopAbandoned {
		failures = s.compareFirst(failures)
	}
	n := s.Executions.Add(1)
	s.noteRemains(x)
	if x.Stats != nil && x.Stats.Drawn > 0 && !s.Pulse.Drawing.Load() {
		s.Pulse.Drawing.Store(true)
	}
	if x.Stats != nil && x.Stats.Claim != s.Pulse.claimed {
		s.Pulse.claimed = x.Stats.Claim
		claim := x.Stats.Claim
		s.Pulse.Covered.Store(&claim)
	}
	switch {
	case len(failures) > 0 && trial.Primary(failures).Kind == trace.FailStarved:
		s.State.Unfair++
	case s.Findings.Tally != nil:
		s.Findings.Tally.weigh(s, x, failures)
	case len(failures) > 0:
		s.keep(x, failures)
	}
	if max := s.Cfg.Limits.Executions; max > 0 && n >= max {
		s.Halt(StopExecutions)
	}
}

// keep notes a failing execution if one of its failures is the first of its kind.
func (s *Session) keep(x *trace.Execution, failures []trace.Failure) {
	f := s.Finding(x, failures)
	s.Take(f)
	if f.Poisoned {
		s.Halt(StopFailures)
	}
}

// Finding returns what is to be known of a failing execution.
func (s *Session) Finding(x *trace.Execution, failures []trace.Failure) *Finding {
	return &Finding{
		Schedule:  append(trace.Schedule(nil), x.Schedule...),
		Failures:  append([]trace.Failure(nil), failures...),
		Execution: s.Executions.Load(),
		Poisoned:  s.Subject.Poisoned != nil && s.Subject.Poisoned(),
	}
}

// Take adds a finding to those that are reported, unless all that is wrong with it is
// known, and ends the search if there are enough.
func (s *Session) Take(f *Finding) {
	want, unknown := UnknownOf(f.Failures, s.Findings.Keys)
	if !unknown {
		return
	}
	f.want = want
	s.Findings.Keys[KeyOf(f.want)] = true
	s.Findings.Found = append(s.Findings.Found, *f)
	if len(s.Findings.Found) >= s.Cfg.Limits.Failures {
		s.Halt(StopFailures)
	}
}

// UnknownOf returns the failure of an execution to speak of, if some are known: the first by rank,
// or another one that is not known. There may be none.
func UnknownOf(failures []trace.Failure, keys map[FailureKey]bool) (want trace.Failure, unknown bool) {
	if want = trial.Primary(failures); !keys[KeyOf(want)] {
		return want, true
	}
	i := slices.IndexFunc(failures, func(x trace.Failure) bool { return !keys[KeyOf(x)] })
	if i < 0 {
		return want, false
	}
	return failures[i], true
}

// Program makes a program and lets the watchdog follow its progress.
func (s *Session) Program(record bool) trace.Program {
	o := s.Phase.Run
	o.Record = record
	if !s.Cfg.StrictLeaks {
		o.Leaks = s.Leaks
	}
	if !record && !s.Subject.Borrowed {
		o.Between, o.Uncrossed = s.between, !IsWorker() // a worker's search does not begin anew
	}
	switch {
	case record:
		// Outcome and Delay may run an execution once more.
		o.Output, o.Between = s.Out.Print, s.Out.begin
	case !s.Cfg.ShowOutput:
		o.Output = Discard
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
