package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"runtime"
	"sync/atomic"

	"github.com/gopor/gopor/sched/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for code that has to do with goroutines as such.

// Seed returns a number that goes by the name of the calling goroutine: it is
// the same in every execution and every process, and hardly ever that of
// another goroutine of the execution. So what is drawn from a source with that
// seed does not depend on what others draw.
func Seed() uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	g := enter("Seed")
	seed := uint64(offset)
	for _, place := range g.m.path(g) {
		seed = (seed ^ uint64(place+1)) * prime
	}
	return seed
}

// fewNumbers is how many numbers [RandExplore] explores at the most.
const fewNumbers = 16

// Draw returns a number from 0 to n-1 that the search varies, if [RandExplore]
// asks for that and n is at least 1 and at most 16. Otherwise it returns false,
// and nothing has happened.
func Draw(n int64) (int64, bool) {
	if g := enter("Draw"); g.m.Rand != machine.RandExplore || n < 1 || n > fewNumbers {
		return 0, false
	}
	return int64(Choose(int(n))), true
}

// NumGoroutine returns the number of goroutines of the execution that have not
// ended. Since all that anybody does may change it, the question depends on
// everything.
func NumGoroutine() int {
	g := enter("NumGoroutine")
	o := take[census](g.m)
	g.m.admit(o)
	g.ask(trace.OpLen, o)
	if g.m.Record {
		g.noteResult(g.reply.val)
	}
	return int(g.reply.val)
}

// Owner returns [Options.Owner] of the run that the calling goroutine is controlled
// by, nil if there is none.
func Owner() any {
	if co := callers.find(); co != nil {
		return co.m.Owner
	}
	return nil
}

// Uncontrolled returns how many goroutines of the process are not controlled.
func Uncontrolled() int {
	return runtime.NumGoroutine() - int(atomic.LoadInt32(&live.Goroutines))
}

// census counts the goroutines.
type census struct{ header }

func (s *census) reset()                {}
func (s *census) kind() string          { return "goroutines" }
func (s *census) blame(*Machine) string { return "" }

func (s *census) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(trace.Everything, trace.ModeAll)
	return true
}

func (s *census) perform(m *Machine, g *goroutine, alt int32) {
	g.reply.val = 0
	for _, h := range m.gs {
		if h.state != stateUnborn && h.state != stateEnded && !h.pseudo {
			g.reply.val++
		}
	}
}

// GoschedAt is [Gosched] for a function that is called in its place: site says
// where from. Two calls with the same site are the same call, come to again.
func GoschedAt(site uintptr) { enter("Gosched").yieldAt(site, "runtime.Gosched") }
