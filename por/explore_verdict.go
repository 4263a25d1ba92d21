package por

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// unknownRelease is the version of Go that the binary was built with, if gopor does not know its
// standard library. The linker sets it.
var unknownRelease string

// frontEnd returns where the session has its settings from.
func (s *session) frontEnd() report.FrontEnd {
	if s.findings.tally != nil {
		return report.ByFlags
	}
	return report.ByOptions
}

// verdict returns the verdict of a search, which may have ended in an error.
func (s *session) verdict(res *report.Result, assumptions []exec.Assumption, err error) report.Verdict {
	v := report.Verdict{
		Engine:      s.phase.engine.Name(),
		Title:       cmp.Or(res.Stats.By, s.about.Title),
		Options:     s.phase.run,
		Stats:       res.Stats,
		Unit:        cmp.Or(res.Stats.Counts, s.about.Counts),
		Failures:    len(res.Failures),
		Covered:     err == nil && res.Stats.Exhaustive && res.Stats.Executions > 0 && s.halted() == running && res.Stats.Claim == "" && s.stateDependent() == "" && s.undecided() == "" && s.findings.uncontrolled == "",
		Claim:       res.Stats.Claim,
		Drawn:       res.Stats.Drawn,
		Unfair:      s.state.unfair,
		Assumptions: assumptions,
		Granted:     s.cfg.granted,
		Cause:       report.Cause{From: s.frontEnd(), Uncontrolled: s.findings.uncontrolled, Long: s.findings.tally != nil && s.findings.tally.long},
	}
	if s.state.parts.together {
		v.Unit = "" // most were seen before
	}
	switch {
	case err != nil:
		v.Limit = "an error"
	case !v.Covered && v.Failures == 0 && v.Stats.Executions == 0 && s.halted() == running:
		v.Limit = "no execution has come to its end"
		if s.state.left {
			v.Cause.Setting = report.SettingTime
		}
	case !v.Covered && v.Failures == 0:
		v.Limit, v.Cause.Setting = s.limit(v.Claim)
	}
	if unknownRelease != "" {
		v.Assumptions = append(slices.Clone(v.Assumptions), exec.Assumption{Kind: sched.AssumeCode, What: build.NotKnown(unknownRelease)})
	}
	slices.SortStableFunc(v.Assumptions, func(a, b exec.Assumption) int { return report.Rank(a) - report.Rank(b) })
	v.Exhaustive = v.Covered && len(v.Open()) == 0
	switch {
	case s.foreign:
		v.Note = foreignSchedule
	case s.findings.tally != nil:
		v.Slow = s.findings.tally.slow
	}
	if v.Failures == 0 {
		v.Behind = s.findings.remaining.lines
		v.Note = cmp.Or(v.Note, s.findings.remaining.note(s.leaks.Looks()))
	}
	if v.Slow != "" {
		v.Exhaustive = false
	}
	if s.subject.checked != nil {
		v.Checked = s.subject.checked()
	}
	if v.Note == "" && v.Limit != "" {
		v.Note = s.unending(&res.Stats)
	}
	if v.Note == "" {
		v.Note = s.sharing.Alone()
	}
	if res.Stats.Basis != "" && v.Note == "" {
		v.Note = res.Stats.Basis
	}
	return v
}

// unending says that the search has ended in an execution that is much longer than all others, and
// may be one that would not end, "" otherwise. It is none of those that were explored, so nothing
// else tells of it.
func (s *session) unending(stats *trace.Stats) string {
	if stats.Executions == 0 || s.state.cut < guard.DefaultSteps || s.state.cut < 10*stats.MaxDepth {
		return ""
	}
	return fmt.Sprintf("the search stopped inside an execution of %s; all others ended within %s. It may be a livelock: set %s lower to find out",
		format.Counted(int64(s.state.cut), "step"), format.Grouped(int64(stats.MaxDepth)), s.frontEnd().Name(report.SettingSteps))
}

// stateDependent says that operations of a program that is no closure use other objects
// while they are pending, and that the engine may then miss traces, "" otherwise.
func (s *session) stateDependent() string {
	if g := s.guard(); g != nil && s.about.FixedUses {
		return g.StateDependent()
	}
	return ""
}

// undecided says that it is not known of all executions whether they are right, "" otherwise.
func (s *session) undecided() string {
	if s.subject.undecided == nil {
		return ""
	}
	return s.subject.undecided()
}

// foreignSchedule is what a verdict says if POR_REPLAY is for another test.
const foreignSchedule = "POR_REPLAY holds the schedule of another program and was not used"

// limit says why a search has not covered everything, and what setting would have it cover more.
func (s *session) limit(claim string) (why string, needs report.Setting) {
	switch s.halted() {
	case stopExecutions:
		return "execution limit", report.SettingExecutions
	case stopTime:
		return "time limit", report.SettingTime
	case stopMemory:
		return "memory limit", report.SettingMemory
	case stopDeadline:
		return "the deadline of the test", report.SettingTimeout
	case stopContext:
		return s.cancelled(), report.NoSetting
	case stopInterrupted:
		return "interrupted", report.NoSetting
	case stopLost:
		return s.sharing.Lost(), report.NoSetting
	}
	if s.state.taken {
		return "its part of the time", report.SettingTime
	}
	if s.about.Random {
		return "drawn at random", report.SettingEngine
	}
	if text := s.stateDependent(); text != "" {
		return text + ", which this engine is not made for: engine.Source is", report.SettingEngine
	}
	if text := s.undecided(); text != "" {
		return text, report.NoSetting
	}
	switch {
	case s.findings.uncontrolled != "":
		return s.findings.uncontrolled, report.NoSetting
	case claim == onePart:
		return "subtests were not explored together", report.SettingTime
	case s.state.parts.late:
		return "time limit", report.SettingTime
	case s.findings.tally != nil && s.findings.tally.long:
		return "some executions are longer than the limit of steps", report.SettingSteps
	case s.state.unfair > 0:
		return "some schedules are unfair", report.SettingSteps
	case claim != "":
		return "bounded", report.SettingEngine
	}
	return "the engine does not cover everything", report.SettingEngine
}
