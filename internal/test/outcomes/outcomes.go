// Package outcomes finds the outcomes that a closure can have. Unlike what it is used
// for, programs of ordinary Go code, it is a part of this module that is not
// rewritten.
package outcomes

import (
	"fmt"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Controlled reports whether this binary is one in which native code is under control.
func Controlled() bool { return hook.Instrumented() }

// Notes keeps what the threads of an execution observe. It is of use in executions only,
// where one goroutine at a time is at work.
type Notes struct {
	threads [][]string
	ended   []bool
}

// NewNotes returns notes of a number of threads.
func NewNotes(threads int) *Notes {
	return &Notes{make([][]string, threads), make([]bool, threads)}
}

// Reset forgets everything.
func (n *Notes) Reset() {
	for i := range n.threads {
		n.threads[i] = n.threads[i][:0]
	}
	clear(n.ended)
}

// All returns what each thread has noted, and whether it has ended.
func (n *Notes) All() ([][]string, []bool) { return n.threads, n.ended }

// Begin, Pause, Note and End are for the threads.
func (n *Notes) Begin(thread int) {}

// Pause does nothing: whatever may happen in between, an engine tries.
func (n *Notes) Pause() {}

// Note adds what thread has observed.
func (n *Notes) Note(thread int, what string) {
	n.threads[thread] = append(n.threads[thread], what)
}

// End says that thread is over.
func (n *Notes) End(thread int) { n.ended[thread] = true }

// Result is what a search has found.
type Result struct {
	// Outcomes holds the outcomes, and how many executions end in each.
	Outcomes   map[string]int
	Executions int64
	// Race is a data race, "" if there is none. If it is one of plain memory, there may be
	// more outcomes.
	Race string
	// Complete says that these are all outcomes, by what the engine promises.
	Complete bool
}

// options are those of all searches. Real time may put timers in any order, since
// threads may be slow. Threads that wait for ever are an outcome.
var options = exec.Options{Time: sched.TimeAnyOrder, Model: sched.ModelFine, Maps: sched.MapExplore, AllowLeaks: true}

// Of searches the executions of f with engine e, up to a number of them. Outcome
// is asked for at the end of each. One that ends the process has an outcome of its own,
// the kind of the failure and its message.
func Of(f func(), outcome func() string, e trace.Engine, most int64) (*Result, error) {
	c := exec.New(f, options)
	defer c.Shutdown()
	res := &Result{Outcomes: make(map[string]int)}
	unfair := false
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		if x.Blocked || x.Pruned {
			return x.Stats.Blocked+x.Stats.Pruned < 100*most
		}
		res.Executions++
		died := false
		for _, f := range x.Run.Outcome() {
			switch f.Kind {
			case trace.FailRace:
				res.Race = f.Msg
			case trace.FailSteps, trace.FailStarved, trace.FailLong:
				unfair = true
			case trace.FailPanic, trace.FailFatal:
				died = true
				res.Outcomes[f.String()]++ // others may be independent of it, and come first
			}
		}
		if !died {
			res.Outcomes[outcome()]++
		}
		return res.Executions < most
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	res.Complete = stats.Exhaustive && !unfair
	return res, nil
}
