package engine

import (
	"slices"

	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/sched/trace"
)

// DESPOR is DE-S-POR, eager source set POR: Cirisci et al., Algorithm 2. It explores from
// each state a source set of what is enabled, as [DLSPOR] does, and notes with every
// transition which ones on the stack depend on it. Where it comes to a state that it knows
// it does so with all transitions that have come after that, by a walk through the graph.
//
// A step is compared with all that is on the stack, so it costs time in proportion to the length of
// the execution, as one of DLSPOR does not.
type DESPOR struct {
	Stateful
	// EverySafe is as of [DLSPOR].
	EverySafe bool
}

// Name returns "de-s-por".
func (DESPOR) Name() string { return "de-s-por" }

// About implements [trace.About].
func (e DESPOR) About() trace.About {
	return trace.About{Title: "DE-S-POR", Counts: "final states", WithKeying: func(k trace.Keying) trace.Engine {
		e.Keying = k
		return e
	}}
}

// Explore visits every final state of p once.
func (e DESPOR) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e.exploreStates(e.About().Title, p, visit, func(s *states.States) func(states.State) {
		s.Safe = !e.EverySafe
		d := &despor{States: s}
		return func(s states.State) {
			d.stack = d.stack[:0]
			d.explore(s)
		}
	})
}

type despor struct {
	*states.States
	stack []eagerFrame
}

type eagerFrame struct {
	state states.State
	*sourceSet
}

// explore is lines 6 to 17 of Algorithm 2, for a state that was not visited before.
func (d *despor) explore(s states.State) {
	n := len(d.Schedule)
	f := newSourceSet(d.Enter(s))
	d.stack = append(d.stack, eagerFrame{s, f})
	if t, ok := f.choose(); ok {
		f.backtrack = threads{t}
	}
	for t, ok := f.next(); ok && d.Err == nil; t, ok = f.next() {
		f.done.add(t)
		f.current[t] = threads{t}
		for alt := range f.offer(t).Alts {
			next, a, fresh := d.Go(s, n, trace.Choice{G: t, Alt: alt})
			if d.Err != nil {
				return
			}
			f.g, f.label = t, -1
			d.updateCurr(a)
			f.label = a
			if fresh {
				d.explore(next)
			} else {
				d.again(next)
			}
			if d.Err != nil {
				return
			}
		}
		f.label = -1
		f.backtrack = f.updateBack()
	}
	if d.Leave(s, d.later); d.Err == nil {
		d.stack = d.stack[:len(d.stack)-1]
	}
}

// later explores what time leads to. A state that was visited before says nothing new: time passes
// after all that came before, so what it leads to is no reason to explore anything else before (see
// [states.States.Leave]).
func (d *despor) later(s states.State, fresh bool) {
	if fresh {
		d.explore(s)
	}
}

// again is lines 21 and 22: what comes after s, which was visited before, does so after
// what is on the stack. If a state on the stack is part of that, not all of it is known,
// and whatever is on the stack since then has to be explored with all that is enabled.
func (d *despor) again(s states.State) {
	seen := make(map[int32]bool)
	if !d.Ahead(s, func(a int32) bool {
		if !seen[a] {
			seen[a] = true
			d.updateCurr(a)
		}
		return true
	}) {
		return
	}
	first := slices.IndexFunc(d.stack, func(f eagerFrame) bool { return d.Reached(f.state) })
	for i := first; i < len(d.stack); i++ {
		d.stack[i].open()
	}
}

// updateCurr is UpdateCurr(a): line 26. Line 28 has the last transition of the stack that
// depends on a. That is right if all executions are walked through again from a state that
// was visited; as each transition is, once, it has to be all of them (appendix A).
func (d *despor) updateCurr(a int32) {
	g := d.Label(a).G
	for i := range d.stack {
		f := d.stack[i].sourceSet
		if f.label < 0 || f.g == g || f.current[f.g].has(g) || !d.Dependent(f.label, a) {
			continue
		}
		current := f.current[f.g]
		current.add(g)
		f.current[f.g] = current
	}
}
