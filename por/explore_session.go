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
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/trial"
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

	check *harness // nil unless it is the closure of a Check

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

// session is one call of Check, Explore or ExploreProgram. The search runs on a
// goroutine of its own, since it may get stuck in the closure; the calling
// goroutine watches it.
type session struct {
	cfg     config
	about   trace.About // cfg.engine
	subject subject
	where   place
	script  *replay.Script // the schedule to replay, nil to search
	store   *store         // of failing schedules, may be nil
	foreign bool           // POR_REPLAY is set, but meant for another session

	softEnd, hardEnd time.Duration // from the start of run; 0: none
	begun            time.Time     // when the first search has begun
	anew             atomic.Int64  // nanoseconds that do not count: of a search that settle has dismissed, and of preparing programs
	preparing        atomic.Int64  // since when a program prepares itself, in nanoseconds; 0 if it does not

	stop       atomic.Int32 // a stopReason; the search ends when it is set
	hurry      atomic.Bool  // the deadline of the test is near: no minimising any more
	sought     atomic.Bool  // an engine has begun: a machine that is busy may be late with that, and have no time left
	executions atomic.Int64
	blocked    atomic.Int64
	earlier    int64                         // executions of the search before this one
	left       bool                          // a first look has left its first execution
	unfair     int64                         // executions that tell nothing: see trace.FailStarved
	broken     int64                         // executions that engines have counted, and that were broken off when they were looked at
	watched    atomic.Pointer[trace.Program] // the program for which Progress counts
	searcher   atomic.Uint64                 // number of the goroutine that searches

	mu        sync.Mutex      // guards these
	searching bool            // the engine is at work
	due       time.Time       // when the executions of a report have to be over, zero if there are none
	heap      *heapWatch      // nil if there is no limit of memory
	crammed   atomic.Bool     // executions of a report have met it
	team      []*exec.Closure // the programs of workers, besides the one that is watched

	tell  func(text string) // takes what is to be said while the search goes on, may be nil
	pulse pulse

	out       outputs // of the execution that runs, or ran last, if it is recorded
	found     []finding
	keys      map[failureKey]bool
	parts     partsState
	pause     pause
	leaks     *exec.Leaks // tells what is leaked of what is left behind
	remaining remaining
	tally     *tally      // nil unless failures of all executions are to be told from others
	noted     bool        // the report is of what may be no failure: nothing is saved
	over      func() bool // the search was stopped; made once

	portion time.Duration // how long it may take to minimise the next failure, 0 for as long as one that is alone

	alone  string      // why there is one process where several were asked for, or fewer
	apart  string      // what the process has done that others would feel, if that has kept them from exploring beside it
	ending atomic.Bool // nothing is left to explore, and workers are being ended
	lost   string      // why a search that others explore cannot be brought to its end

	beside  string // why goroutines of the program were not under control, "" if all were
	cut     int    // steps of the latest execution that was broken off
	unlike  error  // how the second execution differed from the first, nil if that is an error like any other
	settled bool   // the search has begun anew for that
	timed   bool   // an execution of a worker has waited for the clock

	doubt     error // what the visitor has found to be wrong with the engine or the program
	exploring bool  // the engine is at work, or has panicked
	visiting  bool  // the visitor is at work, or has panicked
	refused   bool  // the visitor has asked for no more executions
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
	x := &session{cfg: c, about: trace.Describe(c.engine), subject: s, keys: make(map[failureKey]bool)}
	x.leaks = newLeaks()
	x.over = func() bool { return x.halted() != running }
	return x
}

// halt stops the search, for the first reason given.
func (s *session) halt(why stopReason) { s.stop.CompareAndSwap(int32(running), int32(why)) }

func (s *session) halted() stopReason { return stopReason(s.stop.Load()) }

// finished is what the searching goroutine hands over.
type finished struct {
	res *Result
	err error
}

// run searches, or replays, and returns when that is done or has to be given up.
func (s *session) run() (*Result, error) {
	if s.cfg.ctx != nil && s.cfg.ctx.Err() != nil {
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
func (s *session) work() (*Result, error) {
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
	s.pulse.begin("", 0)
	defer s.pulse.end()
	res, err := s.ways()
	if res == nil || err != nil || s.halted() == stopAbandoned {
		return res, err
	}
	s.judge(res)
	if s.cfg.exhaustive && !res.Exhaustive && len(res.Failures) == 0 {
		return res, res.Verdict.tooLittle()
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

// phase searches once, in the one way of passing time that the options say now. It returns nil if
// the caller no longer waits for the result. Timed says that an execution has waited for the clock.
func (s *session) phase() (res *Result, timed bool, err error) {
	if err := s.prepare(); err != nil {
		return new(Result), false, err
	}
	s.cfg.run.Keyed = false
	p := s.program(false)
	defer func() { s.dismiss(p) }()
	s.ready(p)
	stats, err := s.search(p, s.withWorkers(s.withParts(s.withProcesses(s.cfg.engine))))
	for range 2 { // either once, in any order
		if q := s.settle(p); q != nil {
			p = q
			stats, err = s.search(p, s.withParts(s.cfg.engine))
		}
		if q := s.withLocks(p); q != nil {
			p = q
			stats, err = s.search(p, s.withWorkers(s.withParts(s.withProcesses(s.cfg.engine))))
		}
	}
	if c, ok := p.(*exec.Closure); ok {
		s.cfg.run.Keyed = c.Keyed() // so are those that show again what was found
	}
	if err == nil && s.halted() == stopAlways {
		err = s.sample(p, &stats)
	}
	if err == nil {
		err = s.tryMore(p)
	}
	stats.Executions -= s.unfair + s.broken
	stats.Pruned += s.unfair
	stats.Exhaustive = stats.Exhaustive && s.unfair == 0 && s.broken == 0
	res = &Result{Stats: stats}
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
	if s.tally != nil {
		s.tally.setAside(s, p, assumptions)
	}
	if err == nil {
		s.examineRemains(p)
		assumptions = assumptionsOf(p)
	}
	if len(s.found) > 0 {
		res.Failures = s.examineAll(p)
	}
	if s.tally != nil && err == nil {
		s.tally.judgeLate(s, p, res)
		s.tally.conclude(s, p, assumptions)
	}
	s.lookBeside(p)
	res.Verdict = s.verdict(res, assumptions, err)
	res.Exhaustive = err == nil && res.Verdict.Exhaustive
	c, ok := p.(*exec.Closure)
	return res, ok && (c.Timed() || s.timed), err
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
		limit = s.frontEnd().advice("raise the limit", settingTime)
	case stopMemory:
		limit = s.frontEnd().advice("raise the limit of memory", settingMemory)
	case stopDeadline:
		limit = "; the deadline of the test is near" + s.frontEnd().advice("move it", settingTimeout)
	}
	if limit == "" || s.unfair > 0 || stats.Executions > 0 || len(s.found) > 0 {
		return nil
	}
	took := time.Since(s.begun) - s.waited() - s.uncounted()
	after := format.Time(took)
	if cut := stats.Blocked + stats.Pruned; cut > 0 {
		return &TooLongError{took, fmt.Sprintf("too long to explore: no execution completed within %v (%s abandoned as redundant or out of bound)%s",
			after, format.Counted(cut, "execution"), limit)}
	}
	return &TooLongError{took, fmt.Sprintf("too long to explore: the first execution did not complete within %v%s", after, limit)}
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
	limit := s.cfg.maxTime
	if s.softEnd > 0 && (limit == 0 || s.softEnd < limit) {
		limit = s.softEnd
	}
	if limit > 0 && s.earlier > 0 {
		limit = max(limit-begin.Sub(s.since()), time.Nanosecond)
	}
	if !s.pause.at.IsZero() && s.pause.steps == 0 { // a first look is left only if executions wait for the clock
		limit = max(s.pause.at.Sub(begin), time.Nanosecond)
	}
	if with := trace.Describe(engine).WithTime; limit > 0 && with != nil {
		engine = with(limit)
	}
	s.setPatience(p)
	s.exploring = true
	stats, err := engine.Explore(p, visit)
	s.exploring = false
	if c, ok := p.(*exec.Closure); ok {
		s.cut = c.BrokenOff()
	}
	if stats.Elapsed == 0 {
		stats.Elapsed = time.Since(begin)
	}
	if s.doubt != nil {
		return stats, s.doubt
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
	s.visiting = true
	s.look(x)
	s.visiting = false
	if x != nil {
		s.setPatience(x.Run)
	}
	s.refused = s.halted() != running || s.pause.due(s, x)
	return !s.refused
}

func (s *session) look(x *trace.Execution) {
	if s.refused || x == nil || x.Run == nil {
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
		s.broken++
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
		s.unfair++
	case s.tally != nil:
		s.tally.weigh(s, x, failures)
	case len(failures) > 0:
		s.keep(x, failures)
	}
	if max := s.cfg.maxExecutions; max > 0 && n >= max {
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
	want, unknown := unknownOf(f.failures, s.keys)
	if !unknown {
		return
	}
	f.want = want
	s.keys[keyOf(f.want)] = true
	s.found = append(s.found, *f)
	if len(s.found) >= s.cfg.keep {
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
	o := s.cfg.run
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
