package explore

import (
	"slices"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// visit looks at an execution and reports whether the search is to go on.
func (s *Session) visit(x *trace.Execution) bool {
	s.Findings.long.Ends()
	s.Faults.Visiting = true
	s.look(x)
	s.Faults.Visiting = false
	s.Findings.long.Begins()
	if x != nil {
		s.setPatience(x.Run)
	}
	s.Faults.refused = s.Halted() != Running && !s.awaitsFirst() || s.takesPause(x)
	s.State.only = s.Faults.refused && s.isStopped() && parts.IsOnly(x)
	return !s.Faults.refused
}

// isStopped reports whether a limit has ended the search, which might have come to its end as well.
func (m *monitor) isStopped() bool {
	return slices.Contains([]StopReason{StopExecutions, StopTime, StopMemory, StopDeadline}, m.Halted())
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
	if s.Crossed(x.Run) || s.toldApart(x.Run) {
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
	if len(failures) > 0 && s.SharesPools(x.Run) {
		return
	}
	// It does not count yet, so that no limit interrupts it.
	if s.Executions.Load() == 0 && s.Halted() != StopAbandoned {
		failures = s.compareFirst(failures)
	}
	n := s.Executions.Add(1)
	s.noteSites(x.Run)
	if c, ok := x.Run.(*exec.Closure); ok {
		s.props.Note(c.Reached())
	}
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
