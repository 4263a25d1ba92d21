package search

import (
	"github.com/gopor/gopor/sched/trace"
)

// DepthFirst is what tells one depth-first engine from another. [Walk.Explore] does
// what all of them have in common. An engine keeps a frame of its own for every state
// on the way: frame k belongs to the state in which event k is to be performed.
type DepthFirst interface {
	// Enter begins frame k, of a state that was not visited before, in which ops are
	// pending, one at least. It returns what to explore first, or false if there is
	// nothing: then all that is pending sleeps, unless it sets Walk.End to something
	// else.
	Enter(k int, ops []*trace.Op) (trace.Choice, bool)
	// Record makes ev the latest event, with what follows from its races. It returns
	// false if nothing that follows is within the bound.
	Record(ev *trace.Event) bool
	// Ended is called when an execution was shown to the visitor, for what an engine
	// does there only. It returns false if the search is to stop.
	Ended() bool
	// Next is called when all that follows event k was explored. It returns what to
	// explore in its place, having taken back event k and all later ones, or false if
	// nothing remains in frame k.
	Next(k int) (trace.Choice, bool)
}

// Ending says why an execution goes no further.
type Ending uint8

// The endings.
const (
	Maximal   Ending = iota // nothing is pending
	Blocked                 // all that is pending sleeps
	Redundant               // as Blocked, but not to be shown or counted
	Pruned                  // what follows is not within the bound
)

// Explore is the recursion Explore(E, ...) of the papers, from the empty execution on.
// It returns false if the search is to stop. It is written without recursion, so that
// an execution can be run to its end in one go.
func (w *Walk) Explore(e DepthFirst) bool {
	// decide has the latest event recorded and returns the choice to make then. It
	// returns false if the execution goes no further.
	decide := func(ev *trace.Event) (trace.Choice, bool) {
		if ev != nil {
			w.note(w.choice)
			if !e.Record(ev) {
				w.End = Pruned
				return trace.Choice{}, false
			}
		}
		if w.chosen {
			w.chosen = false
			return w.choice, true
		}
		ops := w.Run.Pending()
		if len(ops) == 0 {
			w.End = Maximal
			return trace.Choice{}, false
		}
		w.End = Blocked
		c, ok := e.Enter(len(w.Schedule), ops)
		w.choice = c
		return c, ok
	}
	for {
		w.drive(decide)
		if !w.show() || !e.Ended() {
			return false
		}
		if !w.retreat(e) {
			return w.Err == nil
		}
	}
}

// retreat goes back to the latest state in which something remains to be explored.
func (w *Walk) retreat(e DepthFirst) bool {
	for k := len(w.Schedule) - 1; k >= 0 && w.Err == nil; k-- {
		if w.choice, w.chosen = e.Next(k); w.chosen {
			return true
		}
		if w.Exhausted != nil && w.Err == nil {
			w.Exhausted(k)
		}
	}
	return false
}

// show counts the execution that has ended and shows it to the visitor.
func (w *Walk) show() bool {
	switch w.End {
	case Redundant:
		return w.Err == nil
	case Pruned:
		return w.Prune()
	}
	return w.Report(w.End == Blocked)
}

// Record does nothing, for engines that need not know of events.
func (w *Walk) Record(*trace.Event) bool { return true }

// Ended does nothing, for engines that are done with an execution when it ends.
func (w *Walk) Ended() bool { return true }

// led returns the choice that Lead has for frame k, if it says what to do there.
func (w *Walk) led(k int) (trace.Choice, bool) {
	if k >= len(w.Lead) || w.Stats.Executions+w.Stats.Blocked+w.Stats.Pruned > 0 {
		return trace.Choice{}, false
	}
	return w.Lead[k], true
}
