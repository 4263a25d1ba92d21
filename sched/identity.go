package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// This file is for code that has to do with goroutines as such.

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
