package engine

import (
	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/sched/trace"
)

// DLSPOR is DL-S-POR, lazy source set POR: Cirisci et al., Algorithm 3. It explores from
// each state a source set of what is enabled. Whether what it has explored is one it finds
// out when it comes back to the state: by a walk through the graph of what has come after
// each transition, for what depends on it.
type DLSPOR struct {
	Stateful
	// EverySafe takes all that is enabled for the safe set of a state, as the paper's
	// DL-JPF does.
	EverySafe bool
}

// Name returns "dl-s-por".
func (DLSPOR) Name() string { return "dl-s-por" }

// About implements [trace.About].
func (e DLSPOR) About() trace.About {
	return trace.About{Title: "DL-S-POR", Counts: "final states", WithKeying: func(k trace.Keying) trace.Engine {
		e.Keying = k
		return e
	}}
}

// Explore visits every final state of p once.
func (e DLSPOR) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e.exploreStates(e.About().Title, p, visit, func(s *states.States) func(states.State) {
		s.Safe = !e.EverySafe
		d := &dlspor{s}
		return d.explore
	})
}

type dlspor struct{ *states.States }

// explore is Explore of Algorithm 3. All alternatives of a goroutine are explored when its
// turn comes.
func (d *dlspor) explore(s states.State) {
	n := len(d.Schedule)
	f := newSourceSet(d.Enter(s))
	for complete := len(f.offers) == 0; !complete && d.Err == nil; {
		t, ok := f.choose()
		if !ok {
			break
		}
		var after []edgeTo
		for alt := range f.offer(t).Alts {
			next, a, fresh := d.Go(s, n, trace.Choice{G: t, Alt: alt})
			if fresh {
				d.explore(next)
			}
			if d.Err != nil {
				return
			}
			after = append(after, edgeTo{a, next})
		}
		complete = d.isComplete(f, t, after)
	}
	d.Leave(s, d.later)
}

// later explores what time leads to.
func (d *dlspor) later(s states.State, fresh bool) {
	if fresh {
		d.explore(s)
	}
}

// edgeTo is a transition from the state at issue.
type edgeTo struct {
	label int32
	state states.State
}

// isComplete is IsComplete(s) of Algorithm 3, for the goroutine t that was explored last,
// and its transitions. Of the optimisations in appendix A, the second is left out, which
// asks whether all that is left leads to states that were visited: to find that out takes
// a step, and to go back for the next one takes a replay.
func (d *dlspor) isComplete(f *sourceSet, t trace.ID, after []edgeTo) bool {
	f.done.add(t)
	f.current[t] = threads{t}
	last := f.safe.within(f.done) // line 26, the first disjunct
	for _, a := range after {
		if last && d.OnStack(a.state) || !last && d.follows(f, t, a) {
			f.open()
		}
	}
	if f.safe.within(f.done) {
		return true
	}
	f.backtrack = f.updateBack()
	return f.backtrack.within(f.done)
}

// follows adds to current[t] the goroutines that make a transition which depends on a and comes
// after it: lines 32 and 33. It ends early if that is the whole safe set, or a goroutine that is
// not enabled: what follows from it is the same then. It reports whether a state on the stack comes
// after a.
func (d *dlspor) follows(f *sourceSet, t trace.ID, a edgeTo) (open bool) {
	return d.Ahead(a.state, func(b int32) bool {
		g := d.Label(b).G
		if g == t || f.current[t].has(g) || !d.Dependent(a.label, b) {
			return true
		}
		current := f.current[t]
		current.add(g)
		f.current[t] = current
		return f.safe.has(g) && !f.safe.within(current)
	})
}
