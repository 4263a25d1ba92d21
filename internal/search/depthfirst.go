package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// DepthFirst is the part in which depth-first engines differ. [Walk.Explore] does what they
// have in common. An engine keeps a frame of its own for every state on the way: frame k
// belongs to the state in which event k is to be performed.
type DepthFirst interface {
	// Enter begins frame k, of a state that was not visited before. The operations ops are
	// pending, at least one. Enter returns what to explore first. It returns false if all
	// pending operations sleep, or if it has set Walk.End to another reason.
	Enter(k int, ops []*trace.Op) (trace.Choice, bool)
	// Record makes ev the latest event and handles its races. It returns false if nothing that
	// follows is within the bound.
	Record(ev *trace.Event) bool
	// Ended is called after the visitor has seen an execution, for what an engine does only
	// there. It returns false if the search is to stop.
	Ended() bool
	// Next is called when everything after event k was explored. It takes back event k and all
	// later events, and returns what to explore in place of k. It returns false if frame k is
	// exhausted.
	Next(k int) (trace.Choice, bool)
}

// Ending is the reason why an execution goes no further.
type Ending uint8

// The endings.
const (
	Maximal   Ending = iota // nothing is pending
	Blocked                 // all pending operations sleep
	Redundant               // like Blocked, but neither shown nor counted
	Pruned                  // what follows exceeds the bound
)

// Explore is the recursion Explore(E, ...) of the papers, from the empty execution on. It
// returns false if the search is to stop. It uses a loop in place of recursion, so that an
// execution runs to its end without unwinding.
func (w *Walk) Explore(e DepthFirst) bool {
	// decide records the latest event and returns the next choice. It returns false if the
	// execution goes no further.
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
		if w.guess() || !w.show() || !e.Ended() {
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

// Record does nothing. It is for engines that do not use events.
func (w *Walk) Record(*trace.Event) bool { return true }

// Ended does nothing. It is for engines that have no work left when an execution ends.
func (w *Walk) Ended() bool { return true }

// led returns the choice of Lead for frame k, in which ops are pending. It returns false if there
// is none.
func (w *Walk) led(k int, ops []*trace.Op) (trace.Choice, bool) {
	if k >= len(w.Lead) || w.Stats.Executions+w.Stats.Blocked+w.Stats.Pruned > 0 {
		return trace.Choice{}, false
	}
	c := w.Lead[k]
	if w.guesses != nil && !slices.ContainsFunc(ops, func(op *trace.Op) bool { return op.G == c.G && c.Alt < op.Alts }) {
		w.Lead = w.Lead[:k]
		return trace.Choice{}, false
	}
	return c, true
}

const (
	// manyEvents is how many events a futile first execution has at least, so that another one is
	// tried. Where executions are short, reversing the races of the look comes to one soon.
	manyEvents = 300
	// mostGuesses is how many first executions are tried. Each is right about the goroutines that
	// have looked too early in those before it, and goes further.
	mostGuesses = 16
)

// guesses is what is known of other first executions, if those before were futile: a goroutine has
// looked too early, and waited for ever. In a long execution with many locks that spin, one such
// look is enough. Then hundreds of executions may be futile until one comes to its end.
type guesses struct {
	left int            // how many more may be tried
	next trace.Schedule // the one to try next, nil if the search is to go on
}

// guess reports whether the execution that has ended is a first one that was futile, and whether
// another one is to be tried in its place.
func (w *Walk) guess() bool {
	if w.guesses == nil || w.guesses.left == 0 || w.End != Maximal || w.Err != nil || len(w.Schedule) < manyEvents ||
		w.Stats.Executions+w.Stats.Blocked+w.Stats.Pruned > 0 {
		return false
	}
	run, ok := w.Run.(interface{ Timely() trace.Schedule })
	if !ok || w.Over() || !w.futile.Futile() {
		return false
	}
	w.guesses.next = run.Timely()
	return true
}

// lets reports whether the mover goes on though others have not been chosen for long. They would
// look at the lock that the mover has just taken. The mover goes on if the first execution was
// guessed, if it need not wait, and if it has not made all of the latest steps. In one of sixteen
// stretches of steps it does not. So no goroutine is passed over for ever where two others take
// turns.
func (w *Walk) lets(mover trace.ID, ops []*trace.Op) bool {
	n := len(w.Schedule)
	return w.guesses != nil && len(w.Lead) > 0 && n/patience%16 != 0 && w.Schedule[n-patience].G != mover && opOf(mover, ops) != nil
}
