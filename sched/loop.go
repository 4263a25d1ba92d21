package sched

import (
	"runtime"

	"github.com/gopor/gopor/internal/machine"
)

// Loop says, at the head of a loop that polls, that what the calling goroutine does from
// here on depends on nothing that it has done, but on these values, which have to be plain
// data (booleans, numbers, strings, and structs and arrays of these), and on what the
// operations return that follow. So
//
//	for {
//		sched.Loop()
//		if flag.Load() == 0 {
//			break
//		}
//	}
//
// has turns that lead back to where they began, and a search comes to its end although the loop
// need not.
//
// A search that explores all orders, of whatever engine but those that draw at random or have a
// bound, lets the goroutine wait after a turn in which it has only looked: loaded, compared in
// vain, looked into a Map, found a lock taken, a Pool empty or a select with nothing to do, or held
// locks that it has released. In other executions it looks later. If there never is anything to be
// found that is a livelock. By lag the goroutine goes on polling.
//
// A search that recognises states (engine.Stateful and the like), with the trace.Keying Tracked,
// comes back to a state in which it has been before, and sees a livelock as a cycle. If all
// goroutines that can go on are in such loops and go round for ever, but another waits for the
// clock, time passes, since loops take time; it does so then only.
//
// Both miss executions if what Loop says is not so: a loop that counts its turns, for instance, has
// to hand over the count, and one that is entered several times what differs. The goroutine
// has to come here by the same calls every time.
//
// While states are recognised a turn at another time is one in the same state, too, so that loops
// around tickers and sleeps come to their end: once it was called, nothing in the execution may
// depend on the date, only on how long it is from one time to another. A time that is kept from one
// turn to the next has to be handed over as a time.Time. As long as one is kept the date is part of
// the state, and from then on if it is stored, sent, or known to a goroutine that starts another
// one.
//
// A tick that is received by [Chan.Drop], or by a case of a [Select] without a variable for it, is
// known to no goroutine.
//
// What makes a new state in every turn all the same is a channel that no select, len or timer has
// to do with, a goroutine that is started, and a tick that is not taken, which grows older.
func Loop(values ...any) {
	g := machine.Enter("Loop")
	g.Turn()
	switch {
	case g.M.Keys != nil:
		g.M.Keys.Loop(g, callSite(), values)
	case g.M.Awaits:
		g.AwaitAt(callPath(), values)
	}
}

// callPath identifies the calls by which the goroutine has come to the caller's caller, within an
// execution: two loops that call one function which polls for them are two places.
func callPath() uintptr {
	const prime = 1099511628211 // of FNV-1a
	var pcs [64]uintptr
	path := uint64(14695981039346656037)
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		path = (path ^ uint64(pc)) * prime
	}
	return uintptr(path)
}
