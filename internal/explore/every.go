package explore

import (
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells failures that have nothing to do with the schedule from others, where
// the first execution of a search has failed.

// everyRuns is how many executions are tried.
const everyRuns = 200

// alwaysFails runs other executions than the first one, if that was what has failed, and says
// that all of them fail in the same way; "" if one does not, or too few could be tried. One
// execution took as long as took says.
func (s *Session) alwaysFails(p trace.Program, f *Finding, took time.Duration) string {
	if f.Execution != 1 || s.Findings.Tally != nil || s.Hurry.Load() || took > ReportTime.Every/20 || s.Halted() == StopAbandoned {
		return ""
	}
	end := time.Now().Add(ReportTime.Every / 2)
	visited, tried, passes := 0, int64(0), false
	visit := func(x *trace.Execution) bool {
		if !x.Blocked && !x.Pruned {
			visited++
			failures := x.Run.Outcome()
			if !decidedByOthers(x.Run) { // else it is not known of this one
				tried++
				passes = !slices.ContainsFunc(failures, func(g trace.Failure) bool { return g.Kind == f.want.Kind })
			}
		}
		return !passes && visited < everyRuns && time.Now().Before(end) && !s.Hurry.Load()
	}
	stats, err := engine.Optimal{}.Explore(p, visit)
	switch {
	case err != nil || passes || tried < 2:
		return ""
	case stats.Exhaustive && stats.Left == 0 && tried == stats.Executions:
		return fmt.Sprintf("in every schedule (all %s)", format.Grouped(tried))
	}
	// An engine goes by small differences: draw others.
	end, visited = time.Now().Add(ReportTime.Every/2), 0
	if _, err := (engine.POS{Executions: everyRuns / 4}).Explore(p, visit); err != nil || passes || visited < 2 {
		return ""
	}
	return fmt.Sprintf("in each of %s schedules tried", format.Grouped(tried))
}
