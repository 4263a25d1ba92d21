package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for code that has to do with goroutines as such.

// NumGoroutine returns the number of goroutines of the execution that have not
// ended. Since all that goroutines do may change it, the question depends on
// everything.
func NumGoroutine() int {
	g := machine.Enter("NumGoroutine")
	g.Ask(trace.OpLen, machine.CensusOf(g.M))
	if g.M.Record {
		g.NoteResult(g.Reply.Val)
	}
	return int(g.Reply.Val)
}
