package por

import (
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// drawnForMaps is how many executions are drawn in which loops over maps choose what they come
// upon, where all executions with one order have failed.
const drawnForMaps = 64

// ordersMatter reports whether loops over maps have gone in one order that is not the standard
// library's, or have not met what was made meanwhile, and the options let them do so otherwise.
func (s *session) ordersMatter(assumptions []exec.Assumption) bool {
	_, auto := s.cfg.engine.(engine.Auto)
	return orderOf(assumptions) >= 0 && auto && s.cfg.run.Maps == sched.MapSorted && !s.subject.borrowed && !s.cfg.exhaustive &&
		s.cfg.maxExecutions == 0 && !slices.Contains(s.cfg.granted, sched.AssumeMapOrder)
}

// orderOf returns which assumption is the first of that kind, -1 if none is.
func orderOf(assumptions []exec.Assumption) int {
	return slices.IndexFunc(assumptions, func(a exec.Assumption) bool {
		return a.Kind == sched.AssumeMapOrder && !strings.HasPrefix(a.What, hook.LibraryRange)
	})
}

// tryOrders draws executions in which loops over maps choose.
func (s *session) tryOrders(assumptions []exec.Assumption) error {
	s.cfg.run.Maps = sched.MapExplore
	defer func() { s.cfg.run.Maps = sched.MapSorted }()
	if _, err := s.drawOthers(drawnForMaps, time.Now().Add(max(s.cfg.maxTime/lookPart, reportTime.every))); err != nil {
		return err
	}
	if s.tally.always == nil {
		s.tally.luck = "in all executions with the usual order of maps, and not in all with por.Maps(sched.MapExplore) (" +
			placed(assumptions[orderOf(assumptions)]) + ")"
	}
	return nil
}
