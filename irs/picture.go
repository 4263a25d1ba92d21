package irs

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// Unfolding returns the first execution, of which p is a prefix, for package unfold/picture to
// draw. The causes of an event are the event of its goroutine before it, and those that it
// waits for because of a constraint. The configuration is the one maximal configuration, number
// 1, so that a picture may show it among the events beyond. Constraints on events of other
// executions are not in it.
func (p *Prefix) Unfolding() *unfold.Unfolding {
	u := new(unfold.Unfolding)
	threads := make(map[trace.ID]int)
	at := make(map[EventID]int)
	for i, e := range p.first {
		t, ok := threads[e.G]
		if !ok {
			t = len(u.Threads)
			threads[e.G] = t
			u.Threads = append(u.Threads, p.Name(e.G))
		}
		ev := unfold.Event{Thread: t, Label: e.Kind.String(), Where: e.Place}
		if before, ok := at[EventID{e.G, e.N - 1}]; ok {
			ev.Causes = append(ev.Causes, before)
		}
		at[e.EventID] = i
		u.Events = append(u.Events, ev)
	}
	for _, c := range p.Constraints {
		if after, ok := at[c.After]; ok {
			u.Events[after].Causes = append(u.Events[after].Causes, at[c.Before])
		}
	}
	var configuration []int
	for i := range u.Events {
		slices.Sort(u.Events[i].Causes)
		if i < len(p.Events) {
			configuration = append(configuration, i)
		}
	}
	u.Maximal = []unfold.Maximal{{Events: configuration}}
	return u
}
