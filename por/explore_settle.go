package por

import (
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// What the standard library keeps for later calls, such as the fields of types that
// encoding/json has looked at, or the idle connections of a database, is not put back after
// an execution. So the first may differ from all others, which find it there: a test as it is
// (por test -check) is not refused for that, but searched from its start, once.

// differs stops the search because the first execution did something else when it was run
// once more.
func (s *session) differs(err error) {
	if s.tally != nil && !s.settled {
		s.unlike = err
	}
	s.stopFor(err)
}

// settle dismisses a program whose first execution differed from the second, and returns
// another one to be searched in its place, nil if that is not to be.
func (s *session) settle(p trace.Program) trace.Program {
	if s.unlike == nil || s.doubt != s.unlike || !s.stop.CompareAndSwap(int32(stopDoubt), int32(running)) {
		return nil
	}
	s.dismiss(p)
	p = s.program(false)
	if c, ok := p.(*sched.Closure); ok {
		c.Note(sched.Assumption{Kind: sched.AssumeVariable, What: "what the first execution has left, which did something else than those after it"})
	}
	s.settled, s.unlike, s.doubt, s.refused = true, nil, nil, false
	s.found, s.keys = nil, make(map[failureKey]bool)
	s.tally, s.parts = &tally{enough: enough}, partsState{}
	s.executions.Store(0)
	s.blocked.Store(0)
	s.unfair = 0
	return p
}
