package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// races returns the events whose races with ev, which is event k, are to be reversed. Some races
// are needless, see [trace.Event.Needless]. In the place of each come the races that ev would have
// if it came right before its first event. docs/design/waits.md says why these are enough.
//
// Within a library an event keeps all its races. Which of them are left says [trace.Op.Within].
func (t *Trail) races(k int, ev *trace.Event) []int32 {
	races := t.HB.Races(k)
	t.far = t.far[:0]
	if len(ev.Needless) == 0 || ev.Within != 0 || !slices.ContainsFunc(races, func(e int32) bool { return slices.Contains(ev.Needless, e) }) {
		return races
	}
	t.open = t.open[:0]
	for _, e := range races {
		if !slices.Contains(ev.Needless, e) {
			t.open = append(t.open, e)
		}
	}
	for _, e := range races {
		if slices.Contains(ev.Needless, e) {
			t.beyond(int(e), k, ev)
		}
	}
	return t.open
}

// beyond adds to the open races of event k those with events before event s, as if s and what
// happens after it were not there. It takes time in proportion to s.
func (t *Trail) beyond(s, k int, ev *trace.Event) {
	var uses Uses
	uses.Set(ev.Idles)
	for e := s - 1; e >= 0; e-- {
		if t.known(e, k, ev) || slices.ContainsFunc(t.open, func(f int32) bool { return int(f) > e && t.HB.Before(e, int(f)) || int(f) == e }) {
			continue
		}
		if t.Dependent(&uses, &t.Events[e].Uses) {
			t.open, t.far = append(t.open, int32(e)), append(t.far, int32(e))
		}
	}
}

// known reports whether event e happens before event k for a reason other than dependence.
func (t *Trail) known(e, k int, ev *trace.Event) bool {
	before := func(f int) bool { return f >= e && (f == e || t.HB.Before(e, f)) }
	return before(t.HB.Prev(k)) || slices.ContainsFunc(ev.Order, func(f int32) bool { return before(int(f)) })
}
