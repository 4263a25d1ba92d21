package main

import (
	"errors"
	"slices"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// classes collects the traces of executions. It runs each of them again, step by
// step, on a closure of its own.
type classes struct {
	c    *exec.Closure
	past *trace.Tracker
	seen map[uint64]struct{}
	ids  map[trace.ID]trace.ID // goroutines of the closure explored, as c calls them
	err  error                 // the first one

	over  func() bool
	bound bpor.Bound // only traces are collected that have an execution within it
}

// newClasses returns no classes yet. Over says that no more are wanted.
func newClasses(c *exec.Closure, b bpor.Bound, over func() bool) *classes {
	return &classes{
		c: c, bound: b, over: over, past: trace.NewTracker(trace.Dependence),
		seen: make(map[uint64]struct{}), ids: make(map[trace.ID]trace.ID),
	}
}

func (k *classes) close() { k.c.Shutdown() }

// add adds the trace of an execution of closure from.
func (k *classes) add(from *exec.Closure, s trace.Schedule) {
	if k.err != nil {
		return
	}
	s = slices.Clone(s)
	for i := range s {
		s[i].G = k.id(from, s[i].G)
	}
	least, err := bpor.Minimum(k.c, s, k.bound, k.over)
	switch {
	case errors.Is(err, trace.ErrInterrupted):
		// The search is interrupted, too: what it has collected is not all there is.
		return
	case err != nil || !k.bound.Allows(least):
		k.err = err
		return
	}
	run := k.c.Start()
	defer run.Close()
	k.past.Pop(0)
	for _, choice := range s {
		ev, err := run.Step(choice)
		if err != nil {
			k.err = err
			return
		}
		k.past.Push(int32(ev.G), ev.Accesses(), ev.Order)
	}
	k.seen[k.past.Fingerprint(func(i int) int32 { return s[i].Alt })] = struct{}{}
}

func (k *classes) id(from *exec.Closure, g trace.ID) trace.ID {
	id, ok := k.ids[g]
	if !ok {
		id = k.c.Lookup(from.Path(g))
		k.ids[g] = id
	}
	return id
}
