package por

import (
	"time"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
)

// LeaveAlone has processes leave to their workers what can be left to them.
func LeaveAlone() { check.AloneTime, check.Helps = 0, false }

// HelpOut has them explore as well, as ever.
func HelpOut() { check.Helps = true }

// OneEach has every job be one execution.
func OneEach() { check.ShortSlice, check.LongSlice = 1, 1 }

// Beside has n workers explore beside this process after the first executions, where an option does not say how many there are.
func Beside(n int) {
	check.Processors, check.SeesCode = func() int { return n + 1 }, func() bool { return true }
	tuning.WorkersAfter, tuning.AloneSteps = 0, 10
}

// DefaultCheckTime is the limit of time of one Check.
const DefaultCheckTime = explore.DefaultCheckTime

// Portion is how long minimising one of n failures may take.
var Portion = explore.Portion

// ReportWithin sets how long it may take to minimise, and returns what undoes that.
func ReportWithin(d time.Duration) (restore func()) {
	old := explore.ReportTime
	explore.ReportTime.Total = d
	return func() { explore.ReportTime = old }
}

// MinimiseFully lets minimising take as long as it needs, so that its result does not depend on how
// busy the machine is. It returns what undoes that.
func MinimiseFully() (restore func()) {
	old := explore.ReportTime
	t := &explore.ReportTime
	t.Least, t.Minimise, t.Total = time.Hour, time.Hour, time.Hour
	return func() { explore.ReportTime = old }
}

// FirstWithin sets how long the first execution may take at least, and returns what undoes that.
func FirstWithin(d time.Duration) (restore func()) {
	old := tuning.FirstTime
	tuning.FirstTime = d
	return func() { tuning.FirstTime = old }
}

// Enforced reports whether the limit of time ends a search when so much time has passed: one that no engine has
// begun yet, and one that has begun.
func Enforced(limit, elapsed time.Duration) (before, after bool) {
	s := explore.NewSession(explore.Config{Engine: engine.Optimal{}, Limits: explore.Limits{Time: limit}}, explore.Subject{})
	s.Enforce(elapsed)
	before = s.Over()
	s.Sought.Store(true)
	s.Enforce(elapsed)
	return before, s.Over()
}

// NoTimeForLeaks has searches begin without time to look for leaks, and returns what undoes that.
func NoTimeForLeaks() (restore func()) {
	old := explore.NewLeaks
	explore.NewLeaks = func() *exec.Leaks {
		l := old()
		l.Spend(time.Hour)
		return l
	}
	return func() { explore.NewLeaks = old }
}
