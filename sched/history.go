package sched

import (
	"fmt"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A History is the order in which calls begin and return, for code that judges executions by it, as
// history.Linearizable does: which calls have returned before another one begins is different in
// different traces. So every call and every return is a scheduling point; calls are independent of
// each other, and so are returns.
//
// What a History does not do is keep the calls: functions of a goroutine run alone between
// its operations, so what they note in plain memory right after Call and Return is in the
// order of the events.
type History struct {
	k machine.Key[machine.HistoryState]
}

// NewHistory returns a history without calls.
func NewHistory() *History {
	h := new(History)
	machine.Create(machine.Enter("NewHistory"), &h.k)
	return h
}

// Call says that a call begins, which reports show as what says.
func (h *History) Call(what any) { h.ask("History.Call", trace.OpCall, what) }

// Return says that the call has returned that the goroutine has begun last, with a result
// which reports show.
func (h *History) Return(result any) { h.ask("History.Return", trace.OpReturn, result) }

func (h *History) ask(what string, kind trace.Kind, v any) {
	g := machine.Enter(what)
	s, _ := machine.Find(g.M, &h.k)
	g.Ask(kind, s)
	if g.M.Record {
		var text string
		machine.Callers.Find().Serve(func() { text = fmt.Sprint(v) })
		g.M.Exec.Value(g, text)
	}
}
