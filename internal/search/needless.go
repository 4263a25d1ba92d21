package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// needed returns the events whose races with ev, which is event k, are to be reversed. For an event
// that says that one race is needless: see [trace.Needless]. In its place come those that ev would
// have right before the other event. They are far: the events happen before ev by way of what need
// not be there. docs/design/waits.md says why they are enough.
//
// Where races within libraries are left, an event within one keeps its other races.
func (t *Trail) needed(k int, ev *trace.Event) []int32 {
	races := t.HB.Races(k)
	if t.leaves && ev.Within != 0 || !slices.Contains(races, ev.Needless.For) {
		return races
	}
	t.open = t.open[:0]
	for _, e := range races {
		if e != ev.Needless.For {
			t.open = append(t.open, e)
		}
	}
	if ev.Needless.Obj >= 0 {
		t.beyond(k, ev)
	}
	return t.open
}

// beyond adds the far races of event k to the open ones. It looks back to the latest event that
// uses all of the object, too: what has used the object earlier happens before that.
func (t *Trail) beyond(k int, ev *trace.Event) {
	for e := int(ev.Needless.For) - 1; e >= 0; e-- {
		uses := t.Events[e].Uses.List()
		at := slices.IndexFunc(uses, func(a trace.Access) bool { return a.Obj == ev.Needless.Obj || a.Obj == trace.Everything })
		if at < 0 {
			continue
		}
		if !t.known(e, k, ev) && !slices.ContainsFunc(t.open, func(f int32) bool { return int(f) > e && t.HB.Before(e, int(f)) }) {
			t.open, t.far = append(t.open, int32(e)), append(t.far, int32(e))
		}
		if uses[at].Mode == trace.ModeAll {
			return
		}
	}
}

// known reports whether event e happens before event k for a reason other than dependence.
func (t *Trail) known(e, k int, ev *trace.Event) bool {
	before := func(f int) bool { return f >= e && (f == e || t.HB.Before(e, f)) }
	return before(t.HB.Prev(k)) || slices.ContainsFunc(ev.Order, func(f int32) bool { return before(int(f)) })
}
