package sched

import (
	"strings"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Sometimes declares that some execution of the search should come to a call of [Reached] with
// that name, such as "leader elected twice". The verdict names what no execution has reached. A
// search with faults begins with plans near those that have reached something for the first
// time.
func Sometimes(name string) { note("Sometimes", name, true) }

// Reached says that the execution has come to what the name says.
func Reached(name string) { note("Reached", name, false) }

func note(what, name string, declared bool) {
	if strings.TrimSpace(name) == "" {
		panic("sched: " + what + " needs a name")
	}
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		co.M.Exec.Reach(name, declared)
	}
}

// Always fails the execution if ok is false. The failure has the name of the property. The
// goroutine goes on.
func Always(name string, ok bool) {
	note("Always", name, false)
	if ok {
		return
	}
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		co.M.Fail(trace.Failure{Kind: trace.FailAssertion, Msg: "not always: " + name}, co.G)
		return
	}
	panic("not always: " + name)
}
