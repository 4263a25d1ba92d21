package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// revisits leaves for later the revisits that the latest event makes. Those of its other
// alternatives would be the same.
func (r *reverse) revisits(ev *trace.Event) {
	k := len(r.Schedule) - 1
	if !r.roles[k].first {
		return
	}
	latest := -1
	for _, first := range r.HB.Races(k) {
		r.Stats.Races++
		if latest < 0 {
			latest = r.latest(k)
		}
		e := int(first)
		if e < latest {
			continue
		}
		if f := &r.roles[e]; f.turn && f.first && (r.isDoubtful(e, k) || r.inOrder(e, k, ev)) {
			r.revisit(e, k)
		}
	}
}

// revisit leaves for later that the block of turn e has grown by event k and those before it.
func (r *reverse) revisit(e, k int) {
	r.leave(item{next: r.Schedule[e].G, doubtful: r.isDoubtful(e, k), grown: e}, e)
	r.causes = r.HB.Causes(r.causes[:0], e, int32(k))
	for _, j := range slices.Backward(r.causes[1:]) {
		r.items.add(step{r.Schedule[j], false, r.roles[j].first})
	}
	r.items.add(step{trace.Choice{G: r.Schedule[k].G}, false, true})
}

// latest returns the first event such that all that was performed after it and is not in the
// past of event k is as if it had come after event k. That is so of turns that have their first
// alternative, and only events of that past in their blocks. Event k itself may have been moved ahead
// of a turn that is yet to come.
func (r *reverse) latest(k int) int {
	if !r.roles[k].turn && !r.allBefore(int(r.roles[k].start), k, k) {
		return k
	}
	for i := len(r.bent) - 1; i >= 0; i-- {
		d := int(r.bent[i])
		if d != k && !r.HB.Before(d, k) && !(r.roles[d].first && r.allBefore(int(r.roles[d].start), d, k)) {
			return d
		}
	}
	return 0
}

// allBefore reports whether all events from i on that come before j in the schedule happen
// before event k.
func (r *reverse) allBefore(i, j, k int) bool {
	for ; i < j; i++ {
		if !r.HB.Before(i, k) {
			return false
		}
	}
	return true
}

// isDoubtful reports whether events e and k might use something else in the other order.
func (r *reverse) isDoubtful(e, k int) bool {
	return min(r.Events[e].Footprint, r.Events[k].Footprint) < trace.SteadyFootprint
}

// inOrder reports whether event k is the last one to be moved ahead of turn e, of those that
// the turn depends on in its block and event k. It is not if one that has come before could come
// after it as well, and has a higher name.
func (r *reverse) inOrder(e, k int, ev *trace.Event) bool {
	start := int(r.roles[e].start)
	for m := e - 1; m >= start; m-- {
		if r.Dependent(&r.Events[m].Uses, &r.Events[e].Uses) && r.names.less(r.Schedule[k].G, r.Schedule[m].G) {
			return r.comesAfter(m, e, k, ev)
		}
	}
	return true
}

// comesAfter reports whether one of those that the turn depends on, from event m of its block on, would come before event k, the latest,
// if event e, the turn, were not there.
func (r *reverse) comesAfter(m, e, k int, ev *trace.Event) bool {
	r.findCauses(e, k, ev)
	for j := e - 1; j >= m; j-- {
		if r.Dependent(&r.Events[j].Uses, &r.Events[e].Uses) && r.isCause(j) {
			return true
		}
	}
	return false
}

// findCauses finds events such that whatever would come before event k, the latest, if event e were not there, comes before one of them
// or is one: of those from the block of event e on.
func (r *reverse) findCauses(e, k int, ev *trace.Event) {
	r.causes = append(append(r.causes[:0], int32(r.HB.Prev(k))), ev.Order...)
	for j := int(r.roles[e].start); j < k; j++ {
		if j < e && r.Dependent(&r.Events[j].Uses, &r.Events[k].Uses) || j > e && r.HB.Before(j, k) {
			r.causes = append(r.causes, int32(j))
		}
	}
}

// isCause reports whether event m is one of these causes, or comes before one.
func (r *reverse) isCause(m int) bool {
	for _, c := range r.causes {
		if j := int(c); j == m || j > m && r.HB.Before(m, j) {
			return true
		}
	}
	return false
}

// intact reports whether the block of a doubtful item, which ends with event k, is what it was
// made for: its last event depends on all that was moved ahead with it, and is the last one in
// order.
func (r *reverse) intact(k int) bool {
	if !r.allBefore(r.grown, k, k) {
		return false
	}
	last := &r.Events[k].Uses
	for m := r.grown - 1; m >= r.block; m-- {
		u := &r.uses[m-r.block]
		if r.Dependent(&r.Events[m].Uses, u) && r.names.less(r.Schedule[k].G, r.Schedule[m].G) && r.Dependent(last, u) && r.isNext(m, k, u) {
			return false
		}
	}
	return true
}

// isNext reports whether event k could be moved ahead before event m is, where the turn uses u:
// whether the turn depends on nothing then that has to come before event k.
func (r *reverse) isNext(m, k int, u *Uses) bool {
	for j := m; j < k; j++ {
		if r.HB.Before(j, k) && r.Dependent(&r.Events[j].Uses, u) {
			return false
		}
	}
	return true
}
