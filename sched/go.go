package sched

import (
	"runtime"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Handle stands for a goroutine started with [Go].
type Handle struct{ g *machine.Goroutine }

// Go starts f in a new goroutine, like a go statement. The result may be
// ignored.
func Go(f func()) Handle {
	g := machine.Enter("Go")
	if f == nil {
		panic("sched: Go of a nil function")
	}
	return Handle{g.StartOf(f, f)}
}

// Join waits until the goroutine has ended. It has no counterpart in Go, where
// a WaitGroup or a channel does this.
func (h Handle) Join() {
	g := machine.Enter("Handle.Join")
	if h.g == nil {
		panic("sched: Join of a zero Handle")
	}
	g.M.TellApart()
	g.AskNumbers(trace.OpJoin, nil, uint64(h.g.ID), 0)
}

// Gosched lets other goroutines run, like runtime.Gosched.
//
// Every operation is a scheduling point already, so a single Gosched adds
// nothing. When a goroutine comes to the same call again it is in a loop, and
// from then on the call is fair: it returns when every goroutine that was ready
// has made a step, so that a loop which waits for the others ends. That is more
// than Go promises: with [ModelUnfair] it never does anything.
func Gosched() {
	g := machine.Enter("Gosched")
	g.YieldAt(callSite(), "runtime.Gosched")
}

// callSite identifies the place from which the caller was called.
func callSite() uintptr {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	return pcs[0]
}

// Goexit ends the calling goroutine after its deferred calls, like
// runtime.Goexit. It is the same: runtime.Goexit may be called as well.
func Goexit() {
	machine.Enter("Goexit")
	runtime.Goexit()
}

// Choose returns a number from 0 to n-1; a complete search explores each. It
// panics if n < 1.
func Choose(n int) int {
	g := machine.Enter("Choose")
	if n < 1 {
		panic("sched: Choose needs at least one alternative")
	}
	return g.Choose(n)
}
