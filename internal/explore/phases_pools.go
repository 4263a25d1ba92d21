package explore

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// This file has the phases in which goroutines share Pools. In all others each has Pools of its
// own, see exec.Coarser. That hides what one goroutine does with a thing that another one has got
// from a Pool. A search that takes longer than a look is left for these phases, and begins anew.

// ownPools reports whether goroutines begin with Pools of their own: in a search that explores all
// orders, and, if it is the default one, has a phase for the rest.
func (c *Config) ownPools() bool {
	_, auto := c.Engine.(engine.Auto)
	later := c.Limits.Executions == 0 && c.Limits.Failures == 1
	return exploresAllOrders(c.Engine) && (later || !auto)
}

// isOwnPool reports whether an assumption is that of a Pool which goroutines do not share.
func isOwnPool(a exec.Assumption) bool {
	return a.Kind == sched.AssumeModel && a.Is(hook.OwnPool)
}

// poolsMatter reports whether there is to be a phase of shared Pools, if goroutines use them.
func (s *Session) poolsMatter() bool {
	return s.isAuto() && !IsWorker() && !s.Subject.Borrowed && s.Phase.Run.OwnPools
}

// poolsAreNext reports whether goroutines are to share Pools next.
func (w *phases) poolsAreNext() bool {
	return w.poolsMatter() && slices.ContainsFunc(w.res.Verdict.Last().Assumptions, isOwnPool) &&
		len(w.res.Failures) == 0 && w.Halted() == Running && w.tallied().unfit == nil
}

// drawnForPools is how many executions each engine draws.
const drawnForPools = 64

// withPools lets goroutines share Pools, for a part of the time: it draws executions, then it
// searches. A failure is added to the result.
func (w *phases) withPools() {
	p := w.usual
	p.name, p.Share, p.Run.OwnPools = " with shared Pools", 0, false
	p.Pause.At = time.Now().Add(DefaultShortTime)
	if limit := w.Cfg.Limits.Time; limit > 0 {
		p.Pause.At = time.Now().Add((limit - time.Since(w.since())) / lookPart)
	}
	w.drawFrom(p, drawnForPools)
	if w.err != nil || len(w.res.Failures) > 0 || w.Halted() != Running || time.Now().After(p.Pause.At) {
		return
	}
	before, usual := w.record(), w.Phase
	switch o := w.explore(p, w.Executions.Load()); {
	case o.err != nil || o.res == nil:
		w.err = o.err
	case len(o.res.Failures) > 0:
		w.addLast(o.res)
	default:
		w.Phase = usual
		w.restore(before)
	}
}

// failsForPools reports whether all executions have failed, and may do so because no goroutine has
// got what another one has put into a Pool.
func (w *phases) failsForPools() bool {
	return w.usual.Run.OwnPools && !w.Subject.Borrowed && !IsWorker() && w.failsAlways() &&
		len(w.res.Failures) == 0 && slices.ContainsFunc(w.res.Verdict.Assumptions, isOwnPool)
}

// sharePools begins the search anew. From then on goroutines share Pools.
func (w *phases) sharePools() {
	before, first := w.record(), *w
	*w.Findings.Tally = tally{enough: enough}
	w.stop.CompareAndSwap(int32(stopAlways), int32(Running))
	w.Executions.Store(0)
	w.usual.Run.OwnPools = false
	if w.begin(); w.err != nil || w.res == nil {
		w.usual, w.res, w.err, w.timed, w.paused = first.usual, first.res, nil, first.timed, first.paused
		w.restore(before)
	}
}
