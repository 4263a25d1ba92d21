package explore

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/budget"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// ReplayString returns the schedule that the environment asks for.
func ReplayString() string { return os.Getenv(environ.Replay) }

// lenientReplay reports whether the environment asks for a replay that goes on
// past what does not fit.
func lenientReplay() bool { return os.Getenv(environ.ReplayLenient) == "1" }

// PrepareReplay finds out whether a schedule is to be replayed, and takes its options.
func (s *Request) PrepareReplay() error {
	text, option := s.Cfg.Replay, true
	if text == "" {
		text, option = ReplayString(), false
	}
	if text == "" {
		return nil
	}
	text, err := ReplayOf(text)
	var sc replay.Script
	if err == nil {
		sc, err = replay.Decode(text)
	}
	switch {
	case err != nil && option:
		return fmt.Errorf("the replay string is %w", err)
	case err != nil:
		return fmt.Errorf("POR_REPLAY is %w", err)
	case sc.Hash == replay.Hash(s.Where.Name):
		s.Script = &sc
		run := s.Cfg.Run
		sc.Set(&run)
		if s.Cfg.Says.Clock && sc.Time == sched.TimeDiscrete {
			run.Time = s.Cfg.Run.Time
		}
		s.Cfg.Run = run
	case option:
		return fmt.Errorf("Replay: the schedule belongs to another program than %q; give the string that this one has printed, or the Name under which it was made", s.Where.Name)
	default:
		s.Foreign = true
	}
	return nil
}

// replayScript runs the one schedule that was asked for.
func (s *Session) replayScript() (*report.Result, error) {
	if len(s.Script.Moves) > budget.Script {
		s.tryScript()
	}
	p := s.Program(true)
	defer s.Dismiss(p)
	res := new(report.Result)
	var t *trial.Trial
	var err error
	if s.Cfg.Lenient || lenientReplay() {
		done := false
		if s.within(p, replayTime, func() { t, done = trial.Guide(p, s.Script.Schedule(trial.PathsOf(p)), nil, nil) }); !done {
			return res, s.BrokenOff(t)
		}
	} else if s.within(p, replayTime, func() { t, err = trial.Follow(p, *s.Script) }); err != nil {
		var d *trace.DivergenceError
		switch {
		case errors.Is(err, trace.ErrInterrupted):
			return res, s.BrokenOff(t)
		case errors.As(err, &d):
			return res, fmt.Errorf("replay: %w. The program is not the one that the schedule was made for, or not deterministic. POR_REPLAY_LENIENT=1 goes on past what does not fit", err)
		}
		return res, fmt.Errorf("replay: %w", err)
	}
	res.Verdict = report.Verdict{Replayed: true, Options: s.Phase.Run, Stats: trace.Stats{Steps: int64(len(t.Schedule))}}
	if len(t.Failures) > 0 {
		res.Verdict.Failures = 1
		rep := s.newReport(p, t)
		s.enrich(p, t, &rep, s.Findings.long.Note())
		res.Failures = []report.Failure{rep}
	}
	return res, nil
}

// tryScript runs a schedule that was asked for, without recording it, to decide how much is
// recorded. What is wrong with the schedule is told by the run that is recorded.
func (s *Session) tryScript() {
	p := s.Program(false)
	defer s.Dismiss(p)
	begin := s.Clock()
	s.within(p, replayTime, func() {
		if t, err := trial.Follow(p, *s.Script); err == nil && len(t.Failures) > 0 {
			s.Findings.long.Took = s.Clock().Sub(begin)
			s.Findings.long.Decide(t, 2*s.patience())
		}
	})
}

// replayTime is how long a replay that was asked for may take: it has no limit of time. Other
// limits hold.
const replayTime = 24 * 365 * time.Hour

// BrokenOff returns the error of a replay that was interrupted after t.
func (s *Session) BrokenOff(t *trial.Trial) error {
	why := "it cannot go on"
	switch {
	case s.Crammed.Load():
		why = "it takes too much memory" + s.FrontEnd().Advice("raise the limit", advice.SettingMemory)
	case s.Halted() == StopContext:
		why = s.cancelled()
	case s.Halted() == StopInterrupted:
		why = "it was interrupted"
	case s.Halted() == StopDeadline:
		why = "the deadline of the test is near" + s.FrontEnd().Advice("move it", advice.SettingTimeout)
	}
	return fmt.Errorf("replay: broken off after %s: %s", format.Counted(int64(len(t.Schedule)), "step"), why)
}
