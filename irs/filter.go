package irs

import (
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// Filter returns program p as the environment lets it run under a prefix: only those operations
// are pending that do not have to wait. A search of it, by brute force or by an engine, finds
// what may happen in [Run]. The tests of this package judge prefixes by it: no admitted
// execution may fail, and no goroutine may wait forever because of constraints.
//
// The prefix must have been verified for p. Nothing else may use the program meanwhile.
func Filter(p trace.Program, prefix *Prefix) trace.Program {
	return &filter{program: p, prefix: prefix}
}

type filter struct {
	program trace.Program
	prefix  *Prefix
}

// Start implements [trace.Program].
func (f *filter) Start() trace.Run { return &filtered{Run: f.program.Start(), prefix: f.prefix} }

type filtered struct {
	trace.Run
	prefix *Prefix
	done   []int32 // events that were performed, by goroutine
	ops    []*trace.Op
}

// Pending implements [trace.Run].
func (r *filtered) Pending() []*trace.Op {
	r.ops = r.ops[:0]
	for _, op := range r.Run.Pending() {
		if r.admits(op) {
			r.ops = append(r.ops, op)
		}
	}
	return r.ops
}

// performed returns the number of events that g has performed.
func (r *filtered) performed(g trace.ID) int32 {
	if int(g) < len(r.done) {
		return r.done[g]
	}
	return 0
}

// admits reports whether op does not have to wait.
func (r *filtered) admits(op *trace.Op) bool {
	if int(op.G) >= len(r.prefix.plan.waits) {
		return true
	}
	n := r.performed(op.G)
	for _, w := range r.prefix.plan.waits[op.G] {
		if w.at != n {
			continue
		}
		for _, e := range w.preds {
			if r.performed(e.G) <= e.N {
				return false
			}
		}
	}
	return true
}

// Step implements [trace.Run].
func (r *filtered) Step(c trace.Choice) (*trace.Event, error) {
	ev, err := r.Run.Step(c)
	if err == nil {
		r.count(c.G)
	}
	return ev, err
}

// Replay implements [trace.Run].
func (r *filtered) Replay(s trace.Schedule) error {
	err := r.Run.Replay(s)
	if err == nil {
		for _, c := range s {
			r.count(c.G)
		}
	}
	return err
}

func (r *filtered) count(g trace.ID) {
	for int(g) >= len(r.done) {
		r.done = append(r.done, 0)
	}
	r.done[g]++
}

// Outcome implements [trace.Run]. If all pending operations have to wait, the constraints have
// caused a deadlock.
func (r *filtered) Outcome() []trace.Failure {
	fs := r.Run.Outcome()
	if held := r.Run.Pending(); len(held) > 0 && len(r.Pending()) == 0 {
		fs = append(fs, trace.Failure{Kind: trace.FailDeadlock, G: held[0].G, Step: r.Len() - 1,
			Msg: fmt.Sprintf("constraints keep all of %d goroutines from going on", len(held))})
	}
	return fs
}

// AppendState passes on the state of the Run, if that has one.
func (r *filtered) AppendState(b []byte) []byte {
	if s, ok := r.Run.(interface{ AppendState([]byte) []byte }); ok {
		return s.AppendState(b)
	}
	return b
}
