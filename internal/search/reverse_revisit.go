package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// revisits leaves items for the revisits that the latest event makes. The other alternatives of
// the event would make the same ones.
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

// revisit leaves an item in which the block of turn e has grown by event k and those before it.
func (r *reverse) revisit(e, k int) {
	r.leave(item{next: r.Schedule[e].G, doubtful: r.isDoubtful(e, k), grown: e}, e)
	r.causes = r.HB.Causes(r.causes[:0], e, int32(k))
	for _, j := range slices.Backward(r.causes[1:]) {
		r.items.add(step{r.Schedule[j], false, r.roles[j].first})
	}
	r.items.add(step{trace.Choice{G: r.Schedule[k].G}, false, true})
}

// latest returns the first event that can be revisited for event k: all later events that are
// not in the past of k are as if they had come after k. That holds for turns that have their
// first alternative and only events of that past in their blocks. Event k itself may have been
// moved ahead of a turn that is yet to come.
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

// allBefore reports whether all events from i up to before j happen before event k.
func (r *reverse) allBefore(i, j, k int) bool {
	for ; i < j; i++ {
		if !r.HB.Before(i, k) {
			return false
		}
	}
	return true
}

// isDoubtful reports whether events e and k might use other objects in the other order.
func (r *reverse) isDoubtful(e, k int) bool {
	return min(r.Events[e].Footprint, r.Events[k].Footprint) < trace.SteadyFootprint
}

// inOrder reports whether event k is the last one to be moved ahead of turn e, among k and the
// events of the block that the turn depends on. It is not if an earlier event with a higher
// name could come after k as well.
func (r *reverse) inOrder(e, k int, ev *trace.Event) bool {
	start := int(r.roles[e].start)
	for m := e - 1; m >= start; m-- {
		if r.Dependent(&r.Events[m].Uses, &r.Events[e].Uses) && r.names.less(r.Schedule[k].G, r.Schedule[m].G) {
			return r.comesAfter(m, e, k, ev)
		}
	}
	return true
}

// comesAfter reports whether k, the latest event, would still have a cause in the block if the
// turn e were not there. Only the events from m on count that the turn depends on.
func (r *reverse) comesAfter(m, e, k int, ev *trace.Event) bool {
	r.findCauses(e, k, ev)
	for j := e - 1; j >= m; j-- {
		if r.Dependent(&r.Events[j].Uses, &r.Events[e].Uses) && r.isCause(j) {
			return true
		}
	}
	return false
}

// findCauses finds the causes that k, the latest event, would have without event e. Every such
// cause from the block of e on is one of the events found, or happens before one.
func (r *reverse) findCauses(e, k int, ev *trace.Event) {
	r.causes = append(append(r.causes[:0], int32(r.HB.Prev(k))), ev.Order...)
	for j := int(r.roles[e].start); j < k; j++ {
		if j < e && r.Dependent(&r.Events[j].Uses, &r.Events[k].Uses) || j > e && r.HB.Before(j, k) {
			r.causes = append(r.causes, int32(j))
		}
	}
}

// isCause reports whether event m is one of these causes, or happens before one.
func (r *reverse) isCause(m int) bool {
	for _, c := range r.causes {
		if j := int(c); j == m || j > m && r.HB.Before(m, j) {
			return true
		}
	}
	return false
}

// intact reports whether the block of a doubtful item, which ends with event k, is valid: its
// last event depends on all events that were moved ahead with it, and is the last one in order.
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

// isNext reports whether event k could be moved ahead before event m, where the turn uses u:
// the turn depends on no event then that has to come before k.
func (r *reverse) isNext(m, k int, u *Uses) bool {
	for j := m; j < k; j++ {
		if r.HB.Before(j, k) && r.Dependent(&r.Events[j].Uses, u) {
			return false
		}
	}
	return true
}
