package por

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

// subject is what a session needs to know of what it explores.
type subject struct {
	// program makes the program, one for searching or one that records.
	program func(exec.Options) trace.Program
	// borrowed says that the program is the caller's, and does not record.
	borrowed bool
	// repeatable says that several programs can be run at once, if the user says so.
	repeatable bool

	poisonable bool // an execution that fails makes all others seem to

	outer testing.TB // the test that a Check is called for, nil for other searches

	// The rest may be nil.
	poisoned func() bool   // every execution from now on would seem to fail
	log      func() string // what the latest execution has logged
	restore  func()        // undoes what the latest execution did to the process
	count    func()        // the latest execution is over, and is one of the search
	// prepare is called before a search, in a way of passing time.
	prepare   func(*session) error
	checked   func() string         // what verdicts say was looked at, besides failures
	undecided func() string         // what the judge of histories left open, "" for nothing
	draw      func(io.Writer) error // a picture of the history of the latest execution that fails by that
}

// session is one call of Check, Explore or ExploreProgram. The search runs on a goroutine of its own,
// since it may get stuck in the closure; the calling goroutine watches it.
//
// What the session is made of has one owner each: nothing changes the request once the search
// runs, the calling goroutine and the searching one share the monitor, and the rest is the searching
// goroutine's.
type session struct {
	request
	monitor
	phase    phase    // the way of searching that is under way
	state    state    // of that
	findings findings // of all phases so far
	faults   faults

	out   outputs     // of the execution that runs, or ran last, if it is recorded
	leaks *exec.Leaks // tells what is leaked of what is left behind
	over  func() bool // the search was stopped; made once
}

// request is what the caller asks for.
type request struct {
	cfg     config
	about   trace.About // cfg.engine
	subject subject
	where   place
	script  *replay.Script // the schedule to replay, nil to search
	store   *store         // of failing schedules, may be nil
	foreign bool           // POR_REPLAY is set, but meant for another session

	softEnd, hardEnd time.Duration // from the start of run; 0: none
	sharing          Sharing
	tell             func(text string) // takes what is to be said while the search goes on, may be nil
}

// monitor is what the calling goroutine reads of the search, and by which it stops it.
type monitor struct {
	begun     time.Time    // when the first search has begun
	anew      atomic.Int64 // nanoseconds that do not count, of dismissed searches and of preparing
	preparing atomic.Int64 // since when a program prepares itself, in nanoseconds; 0 for no time

	stop       atomic.Int32 // a stopReason; the search ends when it is set
	hurry      atomic.Bool  // the deadline of the test is near: no minimising any more
	sought     atomic.Bool  // an engine has begun: a busy machine may be late with that
	crammed    atomic.Bool  // executions of a report have met the limit of memory
	executions atomic.Int64
	blocked    atomic.Int64
	watched    atomic.Pointer[trace.Program] // the program for which Progress counts
	searcher   atomic.Uint64                 // number of the goroutine that searches
	pulse      pulse

	mu        sync.Mutex      // guards these
	searching bool            // the engine is at work
	due       time.Time       // when the executions of a report have to be over, zero if there are none
	heap      *heapWatch      // nil if there is no limit of memory
	team      []*exec.Closure // the programs of workers, besides the one that is watched
}

// phase is one way of searching: how executions run, which engine explores them, and when the phase
// is left for another one.
type phase struct {
	name   string // as progress says it, "" for the usual way
	run    exec.Options
	engine trace.Engine
	pause  pause
}

// state is how far a phase is.
type state struct {
	earlier int64 // executions of the search before this phase
	unfair  int64 // executions that tell nothing: see trace.FailStarved
	broken  int64 // counted executions that were broken off when they were looked at
	cut     int   // steps of the latest execution that was broken off
	left    bool  // a first look has left its first execution
	taken   bool  // the pause has come
	timed   bool  // an execution of a worker has waited for the clock
	parts   partsState
}

// findings are what has come of executions.
type findings struct {
	found        []finding
	keys         map[failureKey]bool
	tally        *tally // nil unless failures of all executions are to be told from others
	remaining    remaining
	noted        bool          // the report is of what may be no failure: nothing is saved
	uncontrolled string        // why goroutines of the program were not under control, "" if all were
	portion      time.Duration // to minimise the next failure in, 0 for as long as one that is alone
}

// faults are what is wrong with the engine, or the program, and which of them is at work when that shows.
type faults struct {
	doubt     error // what the visitor has found to be wrong with the engine or the program
	unlike    error // how the second execution differed from the first, nil for any other error
	settled   bool  // the search has begun anew for that
	exploring bool  // the engine is at work, or has panicked
	visiting  bool  // the visitor is at work, or has panicked
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

// divisible is an engine, or the [engine.Helper] of one, that explores a part of a program in another
// way than all of it.
type divisible[T any] interface {
	// OfPart returns what explores the part of that name for so long, or all parts unless it is to focus
	// on one.
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

// isWorker reports whether this process explores for another one.
func isWorker() bool { return Assigned != nil && !Assigned.Serve }

// outerFailure is the failure of a closure that has failed the test around it.
var outerFailure = trace.Failure{
	Kind: trace.FailAssertion,
	G:    -1,
	Step: -1,
	Msg:  "the closure has failed the test around it (its message is above); pass a func(testing.TB) to have the message here and the schedule minimised",
}

// stopReason says why a search was stopped by the session.
type stopReason int32

const (
	running         stopReason = iota
	stopFailures               // as many as were asked for
	stopExecutions             // the limit of executions
	stopTime                   // the limit of time
	stopMemory                 // the limit of memory
	stopDeadline               // the deadline of the test is near
	stopContext                // the context is done
	stopAlways                 // so many executions fail that others will hardly not
	stopDoubt                  // there is something wrong with the engine or the program
	stopInterrupted            // the user has typed Ctrl-C
	stopLost                   // what was given to others was lost
	stopAnew                   // it is to begin anew: see withLocks
	stopAbandoned              // the caller no longer waits for the result
)

// finding is a failing execution as the search has met it.
type finding struct {
	schedule  trace.Schedule
	failures  []trace.Failure
	want      trace.Failure // the one of them to speak of
	execution int64
	poisoned  bool // of the test around the closure
}

// failureKey tells distinct failures apart.
type failureKey struct {
	kind trace.FailureKind
	msg  string
}

func keyOf(f trace.Failure) failureKey { return failureKey{f.Kind, f.Msg} }

// newLeaks makes what tells leaks. Tests replace it.
var newLeaks = exec.NewLeaks

func newSession(c config, s subject) *session {
	x := &session{
		request:  request{cfg: c, about: trace.Describe(c.engine), subject: s, sharing: unshared{}},
		phase:    phase{run: c.run, engine: c.engine},
		findings: findings{keys: make(map[failureKey]bool)},
	}
	x.leaks = newLeaks()
	x.over = func() bool { return x.halted() != running }
	return x
}

// halt stops the search, for the first reason given.
func (m *monitor) halt(why stopReason) { m.stop.CompareAndSwap(int32(running), int32(why)) }

func (m *monitor) halted() stopReason { return stopReason(m.stop.Load()) }

// finished is what the searching goroutine hands over.
type finished struct {
	res *report.Result
	err error
}

// run searches, or replays, and returns when that is done or has to be given up.
func (s *session) run() (*report.Result, error) {
	s.phase = phase{run: s.cfg.run, engine: s.cfg.engine}
	if s.cfg.limits.ctx != nil && s.cfg.limits.ctx.Err() != nil {
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
func (s *session) work() (*report.Result, error) {
	if s.script != nil {
		if err := s.prepare(); err != nil {
			return nil, err
		}
		return s.replayScript()
	}
	if res := s.runSaved(); res != nil {
		return res, nil
	}
	s.begun = time.Now()
	defer s.pulse.end()
	res, err := s.searchAll()
	if res == nil || err != nil || s.halted() == stopAbandoned {
		return res, err
	}
	s.judge(res)
	if s.cfg.exhaustive && !res.Exhaustive && len(res.Failures) == 0 {
		return res, res.Verdict.TooLittle()
	}
	return res, nil
}

// prepare lets the subject prepare itself, if it has to.
func (s *session) prepare() error {
	if s.subject.prepare == nil || s.over() {
		return nil
	}
	return s.subject.prepare(s)
}

// runPhase searches once, as the phase says. It returns nil if
// the caller no longer waits for the result. Timed says that an execution has waited for the clock.
func (s *session) runPhase() (res *report.Result, timed bool, err error) {
	if err := s.prepare(); err != nil {
		return new(report.Result), false, err
	}
	s.phase.run.Keyed = false
	p := s.program(false)
	defer func() { s.dismiss(p) }()
	s.ready(p)
	shared := func() trace.Engine { return s.sharing.Goroutines(s.withParts(s.sharing.Processes(s.phase.engine))) }
	stats, err := s.search(p, shared())
	for range 2 { // either once, in any order
		if q := s.settle(p); q != nil {
			p = q
			stats, err = s.search(p, s.withParts(s.phase.engine))
		}
		if q := s.withLocks(p); q != nil {
			p = q
			stats, err = s.search(p, shared())
		}
	}
	if c, ok := p.(*exec.Closure); ok {
		s.phase.run.Keyed = c.Keyed() // so are those that show again what was found
	}
	if err == nil && s.halted() == stopAlways {
		err = s.sample(p, &stats)
	}
	if err == nil {
		err = s.tryMore(p)
	}
	stats.Executions -= s.state.unfair + s.state.broken
	stats.Pruned += s.state.unfair
	stats.Exhaustive = stats.Exhaustive && s.state.unfair == 0 && s.state.broken == 0
	res = &report.Result{Stats: stats}
	if s.halted() == stopAbandoned {
		return nil, false, nil
	}
	s.noteEarlier(p)
	assumptions := assumptionsOf(p)
	if err == nil {
		err = cmp.Or(s.unshown(&stats), s.nonsense(&stats))
	} else {
		err = s.explain(p, err)
	}
	suspectOf(err, assumptions)
	if s.findings.tally != nil {
		s.findings.tally.setAside(s, p, assumptions)
	}
	if err == nil {
		s.examineRemains(p)
		assumptions = assumptionsOf(p)
	}
	if len(s.findings.found) > 0 {
		res.Failures = s.examineAll(p)
	}
	if s.findings.tally != nil && err == nil {
		s.findings.tally.judgeLate(s, p, res)
		s.findings.tally.conclude(s, p, assumptions)
	}
	s.lookBeside(p)
	res.Verdict = s.verdict(res, assumptions, err)
	res.Exhaustive = err == nil && res.Verdict.Exhaustive
	c, ok := p.(*exec.Closure)
	return res, ok && (c.Timed() || s.state.timed), err
}

// ready lets a program prepare itself, the time for which does not count: it is the same whatever
// the limit.
func (s *session) ready(p trace.Program) {
	c, ok := p.(*exec.Closure)
	if !ok || s.subject.borrowed || s.over() {
		return
	}
	begin := time.Now()
	s.preparing.Store(begin.UnixNano())
	c.Prepare()
	s.anew.Add(int64(time.Since(begin)))
	s.preparing.Store(0)
}

// uncounted returns how much of the time since the search has begun does not count.
func (s *session) uncounted() time.Duration {
	d := time.Duration(s.anew.Load())
	if begin := s.preparing.Load(); begin != 0 {
		d += time.Since(time.Unix(0, begin))
	}
	return d
}

// notOne returns an error if a limit has ended the search before an execution was complete.
func (s *session) notOne(stats *trace.Stats) error {
	limit := ""
	switch s.halted() {
	case stopTime:
		limit = s.frontEnd().Advice("raise the limit", report.SettingTime)
	case stopMemory:
		limit = s.frontEnd().Advice("raise the limit of memory", report.SettingMemory)
	case stopDeadline:
		limit = "; the deadline of the test is near" + s.frontEnd().Advice("move it", report.SettingTimeout)
	}
	if limit == "" || s.state.unfair > 0 || stats.Executions > 0 || len(s.findings.found) > 0 {
		return nil
	}
	took := time.Since(s.begun) - s.waited() - s.uncounted()
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
func (s *session) search(p trace.Program, engine trace.Engine) (trace.Stats, error) {
	return s.searchBy(p, engine, s.visit)
}

// searchBy runs an engine that shows its executions to visit.
func (s *session) searchBy(p trace.Program, engine trace.Engine, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if s.over() {
		return trace.Stats{}, nil
	}
	begin := time.Now()
	s.setSearching(p, true)
	defer s.setSearching(p, false)
	s.sought.Store(true)
	limit := s.cfg.limits.time
	if s.softEnd > 0 && (limit == 0 || s.softEnd < limit) {
		limit = s.softEnd
	}
	if limit > 0 && s.state.earlier > 0 {
		limit = max(limit-begin.Sub(s.since()), time.Nanosecond)
	}
	if !s.phase.pause.at.IsZero() && s.phase.pause.steps == 0 { // a first look is left only if executions wait for the clock
		limit = max(s.phase.pause.at.Sub(begin), time.Nanosecond)
	}
	if with := trace.Describe(engine).WithTime; limit > 0 && with != nil {
		engine = with(limit)
	}
	s.setPatience(p)
	s.faults.exploring = true
	stats, err := engine.Explore(p, visit)
	s.faults.exploring = false
	if c, ok := p.(*exec.Closure); ok {
		s.state.cut = c.BrokenOff()
	}
	if stats.Elapsed == 0 {
		stats.Elapsed = time.Since(begin)
	}
	if s.faults.doubt != nil {
		return stats, s.faults.doubt
	}
	if errors.Is(err, trace.ErrInterrupted) && (s.losesPatience(p) || s.over()) {
		return stats, nil
	}
	return stats, err
}

// setSearching says whether executions may be interrupted.
func (s *session) setSearching(p trace.Program, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searching = on
	if c, ok := p.(trace.Interrupter); ok && !on {
		c.Interrupt(false)
	}
}

// visit looks at an execution and reports whether the search is to go on.
func (s *session) visit(x *trace.Execution) bool {
	s.faults.visiting = true
	s.look(x)
	s.faults.visiting = false
	if x != nil {
		s.setPatience(x.Run)
	}
	s.faults.refused = s.halted() != running || s.takesPause(x)
	return !s.faults.refused
}

func (s *session) look(x *trace.Execution) {
	if s.faults.refused || x == nil || x.Run == nil {
		s.doubtEngine(x)
		return
	}
	x.Over = s.over
	if isInterrupted(x.Run) {
		return
	}
	if s.crossed(x.Run) {
		s.halt(stopAnew)
		return
	}
	if x.Blocked || x.Pruned {
		s.blocked.Add(1)
		if s.subject.poisoned != nil && s.subject.poisoned() {
			s.keep(x, []trace.Failure{outerFailure})
		}
		return
	}
	if ops := x.Run.Pending(); len(ops) > 0 {
		s.suspect("has shown an execution of %s as complete although g%d could go on", format.Counted(int64(x.Run.Len()), "step"), ops[0].G)
		return
	}
	steps := x.Run.Len() // now, since what follows may be interrupted
	failures := x.Run.Outcome()
	if isInterrupted(x.Run) { // while it was run once more to find races: what is wrong with it is not known
		s.state.broken++
		return
	}
	if s.subject.count != nil {
		s.subject.count()
	}
	if len(failures) > 0 && len(x.Schedule) != steps {
		s.suspect("has shown an execution of %s with a schedule of %d that fails: %v", format.Counted(int64(steps), "step"), len(x.Schedule), trial.Primary(failures))
		return
	}
	if s.executions.Load() == 0 && s.halted() != stopAbandoned { // it does not count yet, so that no limit interrupts it
		failures = s.compareFirst(failures)
	}
	n := s.executions.Add(1)
	s.noteRemains(x)
	if x.Stats != nil && x.Stats.Drawn > 0 && !s.pulse.drawing.Load() {
		s.pulse.drawing.Store(true)
	}
	if x.Stats != nil && x.Stats.Claim != s.pulse.claimed {
		s.pulse.claimed = x.Stats.Claim
		claim := x.Stats.Claim
		s.pulse.covered.Store(&claim)
	}
	switch {
	case len(failures) > 0 && trial.Primary(failures).Kind == trace.FailStarved:
		s.state.unfair++
	case s.findings.tally != nil:
		s.findings.tally.weigh(s, x, failures)
	case len(failures) > 0:
		s.keep(x, failures)
	}
	if max := s.cfg.limits.executions; max > 0 && n >= max {
		s.halt(stopExecutions)
	}
}

// keep notes a failing execution if one of its failures is the first of its kind.
func (s *session) keep(x *trace.Execution, failures []trace.Failure) {
	f := s.finding(x, failures)
	s.take(f)
	if f.poisoned {
		s.halt(stopFailures)
	}
}

// finding returns what is to be known of a failing execution.
func (s *session) finding(x *trace.Execution, failures []trace.Failure) *finding {
	return &finding{
		schedule:  append(trace.Schedule(nil), x.Schedule...),
		failures:  append([]trace.Failure(nil), failures...),
		execution: s.executions.Load(),
		poisoned:  s.subject.poisoned != nil && s.subject.poisoned(),
	}
}

// take adds a finding to those that are reported, unless all that is wrong with it is
// known, and ends the search if there are enough.
func (s *session) take(f *finding) {
	want, unknown := unknownOf(f.failures, s.findings.keys)
	if !unknown {
		return
	}
	f.want = want
	s.findings.keys[keyOf(f.want)] = true
	s.findings.found = append(s.findings.found, *f)
	if len(s.findings.found) >= s.cfg.limits.failures {
		s.halt(stopFailures)
	}
}

// unknownOf returns the failure of an execution to speak of, if some are known: the first by rank,
// or another one that is not known. There may be none.
func unknownOf(failures []trace.Failure, keys map[failureKey]bool) (want trace.Failure, unknown bool) {
	if want = trial.Primary(failures); !keys[keyOf(want)] {
		return want, true
	}
	i := slices.IndexFunc(failures, func(x trace.Failure) bool { return !keys[keyOf(x)] })
	if i < 0 {
		return want, false
	}
	return failures[i], true
}

// program makes a program and lets the watchdog follow its progress.
func (s *session) program(record bool) trace.Program {
	o := s.phase.run
	o.Record = record
	if !s.cfg.strictLeaks {
		o.Leaks = s.leaks
	}
	if !record && !s.subject.borrowed {
		o.Between, o.Uncrossed = s.between, !isWorker() // a worker's search does not begin anew
	}
	switch {
	case record:
		o.Output, o.Between = s.out.print, s.out.begin // Outcome and Delay may run an execution once more
	case !s.cfg.showOutput:
		o.Output = discard
	}
	p := s.subject.program(o)
	s.watched.Store(&p)
	return p
}

// dismiss ends the goroutines of a program that the session has made.
func (s *session) dismiss(p trace.Program) {
	if c, ok := p.(*exec.Closure); ok && !s.subject.borrowed {
		c.Shutdown()
	} else if r, ok := p.(trace.Run); ok {
		r.Close()
	}
	if s.subject.restore != nil {
		s.subject.restore()
	}
}

// explore runs a session outside tests.
func (s *session) explore(caller string) (*report.Result, error) {
	s.where = place{name: s.cfg.name}
	if s.where.name == "" {
		s.where.name = caller
	}
	if s.about.Endless && s.cfg.limits.executions == 0 {
		s.cfg.defaultTime(defaultCheckTime)
	}
	if err := s.prepareReplay(); err != nil {
		return nil, fmt.Errorf("por: %w", err)
	}
	return s.run()
}
