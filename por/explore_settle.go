package por

import (
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// What the standard library keeps for later calls, such as the fields of types that
// encoding/json has looked at, or the idle connections of a database, is not put back after
// an execution. So the first may differ from all others, which find it there: a test as it is
// (por test -check) is not refused for that, but searched from its start, once.

// since returns when the search has begun, as far as it counts.
func (s *session) since() time.Time { return s.begun.Add(time.Duration(s.anew.Load())) }

// differs stops the search because the first execution did something else when it was run
// once more.
func (s *session) differs(err error) {
	if s.findings.tally != nil && !s.faults.settled {
		s.faults.unlike = err
	}
	s.stopFor(err)
}

// settle dismisses a program if its first execution differed from the second, and returns
// another one to be searched in its place, nil if that is not to be. The limit of time is that
// of the new search: it may well be over when an execution has been run twice, which says nothing
// of whether the program is deterministic.
func (s *session) settle(p trace.Program) trace.Program {
	why := s.halted()
	if s.faults.unlike == nil || s.faults.doubt != s.faults.unlike || why != stopDoubt && why != stopTime {
		return nil
	}
	before := s.anew.Swap(int64(time.Since(s.begun)))
	if !s.stop.CompareAndSwap(int32(why), int32(running)) { // it was abandoned
		s.anew.Store(before)
		return nil
	}
	p = s.anewWith(p)
	if c, ok := p.(*exec.Closure); ok {
		c.Note(exec.Assumption{Kind: sched.AssumeVariable, What: "what the first execution has left, which did something else than those after it"})
	}
	s.faults.settled = true
	s.ready(p)
	return p
}

// anewWith dismisses a program and forgets what was found, and returns another one for a search
// from the start.
func (s *session) anewWith(p trace.Program) trace.Program {
	s.dismiss(p)
	p = s.program(false)
	s.faults.unlike, s.faults.doubt, s.faults.refused = nil, nil, false
	s.findings.found, s.findings.keys = nil, make(map[failureKey]bool)
	if s.findings.tally != nil {
		s.findings.tally = &tally{enough: enough}
	}
	s.state.parts = partsState{}
	s.executions.Store(s.state.earlier)
	s.blocked.Store(0)
	s.state.unfair, s.state.broken = 0, 0
	return p
}

// crossed reports whether in executions of p a goroutine has performed operations while it held a
// lock inside the standard library, and these locks are no operations: then the search is to begin
// anew with such as are.
func (s *session) crossed(p trace.Run) bool {
	c, ok := p.(*exec.Closure)
	return ok && !s.subject.borrowed && s.phase.run.Model&sched.ModelLock == 0 && c.Crossed()
}

// withLocks dismisses a program that has crossed, and returns the one to be searched in its place;
// nil if it has not, or if that is not to be. The time of a first execution does not count, since
// nothing was learned from it.
func (s *session) withLocks(p trace.Program) trace.Program {
	why := s.halted()
	run, _ := p.(trace.Run)
	switch {
	case why != stopAnew && !s.crossed(run):
		return nil
	case why != running && why != stopAnew && why != stopDoubt && why != stopTime && why != stopAlways:
		return nil
	case s.executions.Load() <= s.state.earlier+1:
		s.anew.Store(int64(time.Since(s.begun)))
	}
	if !s.stop.CompareAndSwap(int32(why), int32(running)) { // it was abandoned
		return nil
	}
	s.phase.run.Model |= sched.ModelLock
	p = s.anewWith(p)
	s.ready(p)
	return p
}
