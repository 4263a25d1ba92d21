package sched

import "github.com/gopor/gopor/internal/machine"

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
// has turns that lead back to a state in which it has been before. A search that
// recognises states (por.Stateful and the like) then comes to its end although the loop
// need not, and sees a livelock as a cycle. It is for searches whose trace.Keying is
// Tracked, and nothing elsewhere. The search misses executions if what it says is not so:
// a loop that counts its turns, for instance, has to hand over the count. The goroutine
// has to come here by the same calls every time.
//
// A turn at another time is one in the same state, too, so that loops around tickers and
// sleeps come to their end: once it was called, nothing in the execution may depend on the
// date, only on how long it is from one time to another. A time that is kept from one turn
// to the next has to be handed over as a time.Time. As long as one is kept the date is part of the
// state, and from then on if it is stored, sent, or known to who starts a goroutine.
//
// What makes a new state in every turn all the same is a channel that no select, len or
// timer has to do with, a goroutine that is started, and a tick that nobody takes, which
// grows older.
func Loop(values ...any) {
	g := machine.Enter("Loop")
	g.Turn()
	if g.M.Keys != nil {
		g.M.Keys.Loop(g, callSite(), values)
	}
}
