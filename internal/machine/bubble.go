package machine

import "github.com/gopor/gopor/sched/trace"

// JoinBubble waits for the end of goroutine first, which g has started in a bubble of
// testing/synctest, and of all goroutines that come of first. What they have done comes before what
// g does next. If one never ends that is a deadlock, as natively.
//
// Each wait is an event. When a goroutine has ended it is certain which goroutines it has started,
// but not whether a timer or a context has started the function that it was given. That is certain
// when all others wait. So a bubble with such functions waits for that, in [TimeDiscrete].
func (g *Goroutine) JoinBubble(first trace.ID) {
	h := g.M.Goroutines[first]
	if g.joinTree(h, false) && g.M.Time == TimeDiscrete {
		g.Settle()
		g.joinTree(h, true)
	}
}

// joinTree joins h and all that come of it. With called set it also joins functions of timers and
// contexts that have started. It reports whether there are such functions, started or not.
func (g *Goroutine) joinTree(h *Goroutine, called bool) (more bool) {
	switch {
	case h.Pseudo:
		t, ok := h.Req.Obj.(*TimerState)
		more = ok && t.Fn != nil
	case h.Origin.awaits:
		more = true
	}
	if more && (!called || h.State == StateUnborn) {
		return true
	}
	if !h.Pseudo {
		g.AskNumbers(trace.OpJoin, nil, uint64(h.ID), 0)
	}
	for i := 0; i < h.Made.Children; i++ {
		more = g.joinTree(g.M.Goroutines[h.Made.childIDs[i]], called) || more
	}
	return more
}
