package check

import (
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// oneWorker says why there is one worker where several were asked for, "" if it is not so.
func (s *sharer) oneWorker() string {
	switch {
	case s.Cfg.Workers < 2:
		return ""
	case !s.Subject.Repeatable:
		return "one worker: what is explored cannot be run several times at once"
	case s.Cfg.Limits.Failures > 1:
		return "one worker: several failures were asked for"
	}
	return ""
}

// Goroutines implements [explore.Sharing].
func (s *sharer) Goroutines(e trace.Engine) trace.Engine {
	if s.Cfg.Workers < 2 || s.oneWorker() != "" {
		return e
	}
	return byWorkers{Engine: e, s: s}
}

// byWorkers is an engine that explores for a session by several workers.
type byWorkers struct {
	trace.Engine
	s *sharer
}

// About implements [trace.About].
func (e byWorkers) About() trace.About { return trace.Describe(e.Engine) }

// Explore shows the first execution to the visitor, which runs it once more, and so
// finds out whether it is the same every time. Then all is left to the workers.
func (e byWorkers) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	refused, before := false, e.s.Executions.Load()
	stats, err := e.Engine.Explore(p, func(x *trace.Execution) bool {
		refused = !visit(x)
		return false
	})
	if refused || err != nil {
		return stats, err
	}
	e.s.State.Unfair = 0 // it is explored once more
	t := team{s: e.s, before: before}
	defer t.end(p)
	stats, err = trace.Describe(e.Engine).WithWorkers(e.s.Cfg.Workers, t.another).Explore(p, t.visit)
	e.s.Executions.Store(before + stats.Executions)
	if t.found != nil {
		t.found.Execution = before + stats.Executions
		e.s.Take(t.found)
	}
	return stats, err
}

// team is the programs of the workers of a session, and what they have found.
type team struct {
	s      *sharer
	before int64            // executions of the search before this one
	found  *explore.Finding // the first failing execution, so far
}

// another makes the program of a worker.
func (t *team) another() trace.Program {
	o := t.s.Phase.Run
	o.Uncrossed = true
	if !t.s.Cfg.ShowOutput {
		o.Output = written.Discard
	}
	p := t.s.Subject.Program(o)
	if c, ok := p.(*exec.Closure); ok {
		t.s.Mu.Lock()
		defer t.s.Mu.Unlock()
		t.s.Team = append(t.s.Team, c)
	}
	return p
}

// end ends the programs of the workers. What they take for granted p does.
func (t *team) end(p trace.Program) {
	t.s.Mu.Lock()
	team := t.s.Team
	t.s.Team = nil
	t.s.Mu.Unlock()
	for _, c := range team {
		if t.s.Crossed(c) {
			t.s.Halt(explore.StopAnew)
		}
		t.s.State.Timed = t.s.State.Timed || c.Timed()
		if p, ok := p.(*exec.Closure); ok {
			for _, a := range c.Assumptions() {
				p.Note(a)
			}
		}
		c.Shutdown()
	}
}

// visit looks at an execution. The engine shows none after one that fails, of those that are in
// order, so the last one that fails is the first.
func (t *team) visit(x *trace.Execution) bool {
	s := t.s
	x.Over = s.Over
	if c, ok := x.Run.(trace.Interruptible); ok && c.Interrupted() {
		return false
	}
	failures := x.Run.Outcome()
	n := t.before + x.Stats.Executions
	s.Executions.Store(n)
	limit := s.Cfg.Limits.Executions
	if limit > 0 && n >= limit {
		s.Halt(explore.StopExecutions)
	}
	x.FailuresOnly = limit == 0
	switch {
	case len(failures) == 0:
	case trial.Primary(failures).Kind == trace.FailStarved:
		s.State.Unfair++
	case s.SharesPools(x.Run):
		return false
	default:
		t.found = s.Finding(x, failures)
		return false
	}
	return !s.Over()
}
