package explore

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// drawnForMaps is how many executions are drawn in which loops over maps choose what they come
// upon, where all executions with one order have failed.
const drawnForMaps = 64

// ordersMatter reports whether loops over maps have gone in one order that is not the standard
// library's, or have not met what was made meanwhile. The options have to let them do otherwise.
func (s *Session) ordersMatter(assumptions []exec.Assumption) bool {
	return orderOf(assumptions) >= 0 && s.isAuto() && s.Phase.Run.Maps == sched.MapSorted && !s.Subject.Borrowed && !s.Cfg.Exhaustive &&
		s.Cfg.Limits.Executions == 0 && !slices.Contains(s.Cfg.Granted, sched.AssumeMapOrder)
}

// orderOf returns which assumption is the first of that kind, -1 if none is.
func orderOf(assumptions []exec.Assumption) int {
	return slices.IndexFunc(assumptions, func(a exec.Assumption) bool {
		return a.Kind == sched.AssumeMapOrder && !a.Is(hook.LibraryRange)
	})
}

// tryOrders draws executions in which loops over maps choose.
func (s *Session) tryOrders(assumptions []exec.Assumption) error {
	var err error
	s.during(func(p *phase) { p.Run.Maps = sched.MapExplore }, func() {
		_, err = s.drawOthers(drawnForMaps, time.Now().Add(max(s.Cfg.Limits.Time/lookPart, ReportTime.Every)))
	})
	if err != nil {
		return err
	}
	if s.Findings.Tally.always == nil {
		s.Findings.Tally.luck = "in all executions with the usual order of maps, and not in all with por.Maps(sched.MapExplore) (" +
			advice.Placed(assumptions[orderOf(assumptions)]) + ")"
	}
	return nil
}
