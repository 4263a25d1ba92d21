package explore

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

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
	res.Verdict.Properties = s.props.List()
	s.judge(res)
	if s.Cfg.Exhaustive && !res.Exhaustive && len(res.Failures) == 0 {
		return res, tooLittle(res.Verdict)
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
	own := func() trace.Engine { return s.withParts(s.Phase.engine) }
	shared := func() trace.Engine { return s.Sharing.Goroutines(s.withParts(s.Sharing.Processes(s.Phase.engine))) }
	if s.Cfg.MostFaults > 0 { // the sites of all executions are noted here
		own = func() trace.Engine { return s.Phase.engine }
		shared = own
	}
	stats, err := s.search(p, shared())
	for range 4 { // each once, in any order: others are for locks, Pools and goroutines
		if q := s.withoutAlike(p, err); q != nil {
			p = q
			stats, err = s.search(p, shared())
		}
		if q := s.settle(p); q != nil {
			p = q
			stats, err = s.search(p, own())
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
	stats.Exhaustive = (stats.Exhaustive || s.State.only) && s.State.Unfair == 0 && s.State.broken == 0
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
		p = s.fewerFaults(p)
		res.Failures = s.examineAll(p)
	}
	if s.Findings.Tally != nil && err == nil {
		s.Findings.Tally.judgeLate(s, p, res)
		s.Findings.Tally.conclude(s, p, assumptions)
	}
	s.lookBeside(p)
	res.Verdict = s.Verdict(res, leftToo(assumptions, &stats), err)
	res.Exhaustive = err == nil && res.Verdict.Exhaustive
	c, ok := p.(*exec.Closure)
	if ok {
		res.Verdict.Alike = c.Alike()
	}
	return res, ok && (c.Timed() || s.State.Timed), err
}

// withParts returns the engine that searches in the place of e.
func (s *Session) withParts(e trace.Engine) trace.Engine {
	if s.Findings.Tally == nil || !parts.Suits(e) {
		return e
	}
	return parts.Engine{Of: e, State: &s.State.parts, Over: s.Over}
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
	limit, excess := "", "too long to explore: the first execution did not complete within %v%s"
	switch s.Halted() {
	case StopTime:
		limit = s.FrontEnd().Advice("raise the limit", advice.SettingTime)
	case StopMemory:
		limit, excess = s.FrontEnd().Advice("raise the limit of memory", advice.SettingMemory), "too large to explore: the first execution took too much memory, within %v%s"
	case StopDeadline:
		limit = "; the deadline of the test is near" + s.FrontEnd().Advice("move it", advice.SettingTimeout)
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
	return &report.TooLongError{After: took, Text: fmt.Sprintf(excess, after, limit)}
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
	if s.Phase.Left && s.Phase.Share > 0 {
		limit = min(limit, s.Phase.Share)
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
