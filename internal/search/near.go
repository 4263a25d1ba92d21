package search

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Near visits an execution of p, and then executions near it. In a long execution a depth-first
// search begins with the last races, and all that follows from them, and does not come to the first
// ones. These executions are of two kinds, in turn, at most limit of each:
//
//   - A race of the first execution comes the other way round. The second event is performed where
//     the first one was, after what does not depend on that.
//   - A goroutine is held before one of its operations until no other goroutine can go on, or for
//     patience steps. Others come to what the goroutine has begun and not ended, such as a check
//     and the act that follows it, or two locks. An operation is worth it if another goroutine
//     uses the same object.
//
// After that all go on as in any execution. Objects take turns, the one with the fewest races or
// operations first: a counter of two handlers has few, and a lock of their server many that are
// alike. What is within libraries is left.
func Near(p trace.Program, visit func(*trace.Execution) bool, limit, patience int) (trace.Stats, error) {
	n := near{Trail: NewTrail(p, visit)}
	n.leaves = true
	n.finish(n.note)
	n.first = slices.Clone(n.Schedule)
	for _, d := range n.deviations(limit) {
		if !n.Report(false) {
			return n.Finish(false)
		}
		n.Cut(0)
		n.Restart()
		n.deviate(&d, patience)
	}
	n.Report(false)
	return n.Finish(false)
}

// near is the search of Near.
type near struct {
	Trail
	first trace.Schedule // of the first execution
	races []deviation    // in the order of the second events
	uses  []deviation
}

// deviation is what makes an execution differ from the first one.
type deviation struct {
	at     int32    // the event before which it begins
	second int32    // the other event of the race, 0 if the goroutine of event at is held
	obj    int32    // the object
	round  int      // how many deviations of the same object come before it
	g      trace.ID // the goroutine that is held, or that of the second event
	// between has what comes before the second event, in place of the first one.
	between trace.Schedule
}

// note keeps the races of an event of the first execution, and the objects that it uses.
func (n *near) note(ev *trace.Event) {
	k := int32(len(n.Events))
	n.Track(ev)
	for _, first := range n.HB.Races(int(k)) {
		n.Stats.Races++
		n.races = append(n.races, deviation{at: first, second: k, obj: n.Events[first].Obj, g: ev.G})
	}
	if ev.Within != 0 {
		return
	}
	for _, a := range ev.Accesses() {
		n.uses = append(n.uses, deviation{at: k, obj: a.Obj, g: ev.G})
	}
}

// deviations returns the deviations of the other executions.
func (n *near) deviations(limit int) (all []deviation) {
	races, holds := inTurn(n.races, limit), inTurn(n.shared(), limit)
	for i := range max(len(races), len(holds)) {
		if i < len(races) {
			races[i].between = n.between(&races[i])
			all = append(all, races[i])
		}
		if i < len(holds) {
			all = append(all, holds[i])
		}
	}
	return all
}

// shared returns the uses of objects that several goroutines use.
func (n *near) shared() []deviation {
	first, several := make(map[int32]trace.ID), make(map[int32]bool)
	for _, u := range n.uses {
		if g, met := first[u.obj]; met && g != u.g {
			several[u.obj] = true
		} else {
			first[u.obj] = u.g
		}
	}
	return slices.DeleteFunc(n.uses, func(u deviation) bool { return !several[u.obj] })
}

// inTurn returns at most limit deviations, of each object in turn. No two are the same but for the
// object.
func inTurn(all []deviation, limit int) []deviation {
	of := make(map[int32]int) // the number of deviations by object
	for i := range all {
		d := &all[i]
		d.round = of[d.obj]
		of[d.obj]++
	}
	slices.SortStableFunc(all, func(a, b deviation) int {
		return cmp.Or(a.round-b.round, of[a.obj]-of[b.obj])
	})
	met := make(map[[2]int32]bool)
	all = slices.DeleteFunc(all, func(d deviation) bool {
		events := [2]int32{d.at, d.second}
		defer func() { met[events] = true }()
		return met[events]
	})
	return all[:min(limit, len(all))]
}

// between returns the events between those of a race that do not happen after the first one. The
// second event can follow them.
func (n *near) between(d *deviation) (s trace.Schedule) {
	for _, k := range n.HB.Unordered(nil, int(d.at)) {
		if k < d.second { // the rest may be most of the execution
			s = append(s, n.first[k])
		}
	}
	return s
}

// deviate runs an execution to its end.
func (n *near) deviate(d *deviation, patience int) {
	for _, c := range slices.Concat(n.first[:d.at], d.between) {
		if op := opOf(c.G, n.Pending()); op != nil && c.Alt < op.Alts && n.Step(c) == nil {
			return
		}
	}
	if d.second == 0 && !n.hold(d.g, patience) {
		return
	}
	if op := opOf(d.g, n.Pending()); op != nil && n.Step(trace.Choice{G: d.g}) == nil {
		return
	}
	n.finish(func(*trace.Event) {})
}

// hold lets all goroutines but g go on, until none can or for patience steps. It returns false if
// a step fails.
func (n *near) hold(g trace.ID, patience int) bool {
	var sleep SleepSet
	for range patience {
		ops := n.Pending()
		sleep = sleep[:0]
		if op := opOf(g, ops); op != nil {
			for alt := range op.Alts {
				sleep = append(sleep, Sleeper{Choice: trace.Choice{G: g, Alt: alt}})
			}
		}
		c, ok := sleep.Pick(ops, n.First(ops, sleep), 0)
		if !ok {
			break
		}
		if n.Step(c) == nil {
			return false
		}
	}
	return true
}

// finish runs an execution to its end, and tells of its events.
func (n *near) finish(tell func(*trace.Event)) {
	for ops := n.Pending(); len(ops) > 0; ops = n.Pending() {
		c, _ := SleepSet(nil).Pick(ops, n.First(ops, nil), 0)
		ev := n.Step(c)
		if ev == nil {
			return
		}
		tell(ev)
	}
}
