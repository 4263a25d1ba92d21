package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// unknownRelease is the version of Go that the binary was built with, if gopor does not know its
// standard library. The linker sets it.
var unknownRelease string

// FrontEnd returns where the session has its settings from.
func (s *Session) FrontEnd() advice.FrontEnd {
	if s.Findings.Tally != nil {
		return advice.ByFlags
	}
	return advice.ByOptions
}

// isCovered reports whether the engine has come to its end, or a limit has ended the search after
// the only execution.
func (s *Session) isCovered(stats *trace.Stats) bool {
	return stats.Exhaustive && stats.Executions > 0 && (s.Halted() == Running || s.State.only && s.isStopped())
}

// Verdict returns the verdict of a search, which may have ended in an error.
func (s *Session) Verdict(res *report.Result, assumptions []exec.Assumption, err error) report.Verdict {
	about := trace.Describe(s.Phase.engine)
	v := report.Verdict{
		Engine:      s.Phase.engine.Name(),
		Title:       cmp.Or(res.Stats.By, about.Title),
		Options:     s.Phase.Run,
		Stats:       res.Stats,
		Unit:        cmp.Or(res.Stats.Counts, about.Counts),
		Failures:    len(res.Failures),
		Covered:     err == nil && s.isCovered(&res.Stats) && res.Stats.Claim == "" && s.stateDependent() == "" && s.Undecided() == "" && s.Findings.uncontrolled == "",
		Extent:      report.Extent{Claim: res.Stats.Claim},
		Drawn:       res.Stats.Drawn,
		Unfair:      s.State.Unfair,
		Assumptions: assumptions,
		Granted:     s.Cfg.Granted,
		Cause:       report.Cause{Flags: s.FrontEnd() == advice.ByFlags, Uncontrolled: s.Findings.uncontrolled, Long: s.Findings.Tally != nil && s.Findings.Tally.Long},
	}
	if s.State.parts.Together {
		v.Unit = "" // most were seen before
	}
	switch {
	case err != nil:
		v.Limit = "an error"
	case !v.Covered && v.Failures == 0 && v.Stats.Executions == 0 && s.Halted() == Running:
		v.Limit = "no execution has come to its end"
		if s.State.left {
			v.Cause.Needs = s.FrontEnd().Limit(advice.SettingTime)
		}
	case !v.Covered && v.Failures == 0:
		why, needs := s.Limit(v.Claim)
		v.Limit, v.Cause.Needs = why, s.FrontEnd().Limit(needs)
	}
	if unknownRelease != "" {
		v.Assumptions = append(slices.Clone(v.Assumptions), exec.Assumption{Kind: sched.AssumeCode, What: build.NotKnown(unknownRelease)})
	}
	slices.SortStableFunc(v.Assumptions, func(a, b exec.Assumption) int { return advice.Rank(a) - advice.Rank(b) })
	v.Exhaustive = v.Covered && len(v.Open()) == 0
	switch {
	case s.Foreign:
		v.Note = foreignSchedule
	case s.Findings.Tally != nil:
		v.Slow = s.Findings.Tally.slow
	}
	if v.Failures == 0 {
		v.Behind = s.Findings.Remaining.lines
		v.Note = cmp.Or(v.Note, s.Findings.Remaining.Note(s.Leaks.Looks()))
	}
	if v.Slow != "" {
		v.Exhaustive = false
	}
	if s.Subject.Checked != nil {
		v.Checked = s.Subject.Checked()
	}
	if v.Note == "" && v.Limit != "" {
		v.Note = s.Unending(&res.Stats)
	}
	if v.Note == "" {
		v.Note = s.Sharing.Alone()
	}
	if res.Stats.Basis != "" && v.Note == "" {
		v.Note = res.Stats.Basis
	}
	return v
}

// Unending says that the search, or an engine, has left an execution that is much longer than all
// others, and may be one that would not end, "" otherwise. It is none of those that were explored,
// so nothing else tells of it.
func (s *Session) Unending(stats *trace.Stats) string {
	if stats.Executions == 0 || s.State.Cut < guard.DefaultSteps || s.State.Cut < 10*stats.MaxDepth {
		return ""
	}
	return fmt.Sprintf("an execution was left after %s; all others ended within %s. It may be a livelock: set %s lower to find out",
		format.Counted(int64(s.State.Cut), "step"), format.Grouped(int64(stats.MaxDepth)), s.FrontEnd().Name(advice.SettingSteps))
}

// stateDependent says that operations of a program that is no closure use other objects
// while they are pending, and that the engine may then miss traces, "" otherwise.
func (s *Session) stateDependent() string {
	if g := s.guard(); g != nil && s.about.FixedUses {
		return g.StateDependent()
	}
	return ""
}

// Undecided says that it is not known of all executions whether they are right, "" otherwise.
func (s *Session) Undecided() string {
	if s.Subject.Undecided == nil {
		return ""
	}
	return s.Subject.Undecided()
}

// foreignSchedule is what a verdict says if POR_REPLAY is for another test.
const foreignSchedule = "POR_REPLAY holds the schedule of another program and was not used"

// Limit says why a search has not covered everything, and what setting would have it cover more.
func (s *Session) Limit(claim string) (why string, needs advice.Setting) {
	switch s.Halted() {
	case StopExecutions:
		return "execution limit", advice.SettingExecutions
	case StopTime:
		return "time limit", advice.SettingTime
	case StopMemory:
		return "memory limit", advice.SettingMemory
	case StopDeadline:
		return "the deadline of the test", advice.SettingTimeout
	case StopContext:
		return s.cancelled(), advice.NoSetting
	case StopInterrupted:
		return "interrupted", advice.NoSetting
	case StopLost:
		return s.Sharing.Lost(), advice.NoSetting
	}
	if s.State.taken {
		return "its part of the time", advice.SettingTime
	}
	if s.about.Random {
		return "drawn at random", advice.SettingEngine
	}
	if text := s.stateDependent(); text != "" {
		return text + ", which this engine is not made for: engine.Source is", advice.SettingEngine
	}
	if text := s.Undecided(); text != "" {
		return text, advice.NoSetting
	}
	switch {
	case s.Findings.uncontrolled != "":
		return s.Findings.uncontrolled, advice.NoSetting
	case claim == parts.Each:
		return "subtests were not explored together", advice.SettingTime
	case s.State.parts.Late:
		return "time limit", advice.SettingTime
	case s.Findings.Tally != nil && s.Findings.Tally.Long:
		return "some executions are longer than the limit of steps", advice.SettingSteps
	case s.State.Unfair > 0:
		return "some schedules are unfair", advice.SettingSteps
	case claim != "":
		return "bounded", advice.SettingEngine
	}
	return "the engine does not cover everything", advice.SettingEngine
}

// join adds to the verdict of a search what the search before it has met, which it takes for
// granted as well.
func join(v, before *report.Verdict) {
	for _, a := range before.Assumptions {
		if !slices.Contains(v.Assumptions, a) {
			v.Assumptions = append(v.Assumptions[:len(v.Assumptions):len(v.Assumptions)], a)
		}
	}
	slices.SortStableFunc(v.Assumptions, func(a, b exec.Assumption) int { return advice.Rank(a) - advice.Rank(b) })
	v.Exhaustive = v.Exhaustive && len(v.Open()) == 0
}

// tooLittle is the error of a search that has to be exhaustive and is not.
func tooLittle(v report.Verdict) error {
	if !v.Covered {
		return fmt.Errorf("%s; the option Exhaustive requires more: raise the limit or make the closure smaller", v)
	}
	return fmt.Errorf("%s; the option Exhaustive requires more: explore what is taken for granted, or grant it\n%s", v, v.Details())
}
