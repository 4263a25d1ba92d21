package explore

import (
	"time"

	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// What the standard library keeps for later calls, such as the fields of types that
// encoding/json has looked at, or the idle connections of a database, is not put back after
// an execution. So the first may differ from all others, which find it there: a test as it is
// (por check) is not refused for that, but searched from its start, once.

// since returns when the search has begun, as far as it counts.
func (s *Session) since() time.Time { return s.Begun.Add(time.Duration(s.anew.Load())) }

// differs stops the search because the first execution did something else when it was run
// once more.
func (s *Session) differs(err error) {
	if s.Findings.Tally != nil && !s.Faults.settled {
		s.Faults.unlike = err
	}
	s.StopFor(err)
}

// settle dismisses a program if its first execution differed from the second, and returns
// another one to be searched in its place, nil if that is not to be. The limit of time is that
// of the new search: it may well be over when an execution has been run twice, which says nothing
// of whether the program is deterministic.
func (s *Session) settle(p trace.Program) trace.Program {
	why := s.Halted()
	if s.Faults.unlike == nil || s.Faults.Doubt != s.Faults.unlike || why != stopDoubt && why != StopTime {
		return nil
	}
	before := s.anew.Swap(int64(time.Since(s.Begun)))
	if !s.stop.CompareAndSwap(int32(why), int32(Running)) { // it was abandoned
		s.anew.Store(before)
		return nil
	}
	p = s.anewWith(p)
	if c, ok := p.(*exec.Closure); ok {
		c.Note(exec.Assumption{Kind: sched.AssumeVariable, What: "what the first execution has left, which did something else than those after it"})
	}
	s.Faults.settled = true
	s.ready(p)
	return p
}

// anewWith dismisses a program and forgets what was found, and returns another one for a search
// from the start.
func (s *Session) anewWith(p trace.Program) trace.Program {
	s.Dismiss(p)
	p = s.Program(false)
	s.Faults.unlike, s.Faults.Doubt, s.Faults.refused = nil, nil, false
	s.Findings.Found, s.Findings.Keys = nil, make(map[FailureKey]bool)
	if s.Findings.Tally != nil {
		s.Findings.Tally = s.freshTally()
	}
	s.State.parts = parts.State{}
	s.Executions.Store(s.State.earlier)
	s.blocked.Store(0)
	s.State.Unfair, s.State.broken = 0, 0
	return p
}

// Crossed reports whether in executions of p a goroutine has performed operations while it held a
// lock inside the standard library, and these locks are no operations: then the search is to begin
// anew with such as are.
func (s *Session) Crossed(p trace.Run) bool {
	c, ok := p.(*exec.Closure)
	return ok && !s.Subject.Borrowed && s.Phase.Run.Model&sched.ModelLock == 0 && c.Crossed()
}

// SharesPools reports whether the search is to begin anew because of a failing execution: a Get has
// returned nil where a Pool that goroutines share would have had something. Go allows that, but
// hardly ever does it. What the execution has done to the test around it cannot be undone.
func (s *Session) SharesPools(p trace.Run) bool {
	c, ok := p.(*exec.Closure)
	if !ok || s.Subject.Borrowed || !s.Phase.Run.OwnPools || !c.Missed() || s.Subject.Poisoned != nil && s.Subject.Poisoned() {
		return false
	}
	s.State.shares = true
	s.Halt(StopAnew)
	return true
}

// toldApart reports whether executions of p have told goroutines apart that were taken for
// interchangeable. Then the search is to begin anew without such.
func (s *Session) toldApart(p trace.Run) bool {
	c, ok := p.(*exec.Closure)
	return ok && s.Phase.Run.Alike && c.ToldApart()
}

// withoutAlike dismisses a program that has told goroutines apart, or has ended with an error while
// there were such, and returns the one to be searched in its place; nil if that is not to be. A
// captured struct may have bytes between its fields that differ from execution to execution.
func (s *Session) withoutAlike(p trace.Program, err error) trace.Program {
	c, ok := p.(*exec.Closure)
	if !ok || !s.toldApart(c) && (err == nil || len(c.Alike()) == 0) || !s.Phase.Run.Alike || !s.takesUp() {
		return nil
	}
	s.Phase.Run.Alike = false
	return s.takeUp(p)
}

// takesUp reports whether a search that has ended may begin anew. The time of a first execution
// does not count, since nothing was learned from it.
func (s *Session) takesUp() bool {
	why := s.Halted()
	if why != Running && why != StopAnew && why != stopDoubt && why != StopTime && why != stopAlways {
		return false
	}
	if s.Executions.Load() <= s.State.earlier+1 {
		s.anew.Store(int64(time.Since(s.Begun)))
	}
	return s.stop.CompareAndSwap(int32(why), int32(Running)) // or it was abandoned
}

// takeUp returns the program in the place of one to be dismissed.
func (s *Session) takeUp(p trace.Program) trace.Program {
	p = s.anewWith(p)
	s.ready(p)
	return p
}

// withLocks dismisses a program that has crossed, or missed something in a Pool, and returns the
// one to be searched in its place; nil if it has not, or if that is not to be.
func (s *Session) withLocks(p trace.Program) trace.Program {
	if run, _ := p.(trace.Run); s.Halted() != StopAnew && !s.Crossed(run) || !s.takesUp() {
		return nil
	}
	if s.State.shares {
		s.State.shares, s.Phase.Run.OwnPools = false, false
	} else {
		s.Phase.Run.Model |= sched.ModelLock
	}
	return s.takeUp(p)
}
