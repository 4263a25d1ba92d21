package exec

import (
	"runtime"
	"strings"

	"github.com/gopor/gopor/internal/known"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file knows goroutines that are left behind, and are not the test's to end: those of a
// connection that a client keeps for its next request, and those of a server that stands for one
// which was started before the test. Natively the first wait for the network, which is no leak, and
// the second are not the test's.

// standingServer is what runs a server that stands for one which was started before the execution:
// see package instrument/network.
const standingServer = "net/http.goporServe.func1"

// judged returns those of the goroutines left behind that the test should have ended.
func judged(left []machine.Left) (list []machine.Left) {
	type start struct {
		parent *machine.Goroutine
		place  int32
	}
	idle := make(map[start]bool) // where goroutines of idle connections were started
	for i := range left {
		if l := &left[i]; l.G.Op.Kind == trace.OpNetRead && known.Is("idle", runs(l)) {
			parent, place := l.G.Started()
			idle[start{parent, place}] = true
		}
	}
	for i := range left {
		l := &left[i]
		parent, place := l.G.Started()
		reads, writes := idle[start{parent, place}], known.Is("idles", runs(l)) && idle[start{parent, place - 1}]
		if !reads && !writes && !stands(l.G) {
			list = append(list, *l)
		}
	}
	return list
}

// runs returns the function that a goroutine runs, as package known names it, if it is a method.
func runs(l *machine.Left) string {
	name := runtime.FuncForPC(codeOf(l)).Name()
	name, _ = strings.CutSuffix(name, "-fm") // a method that was bound to its receiver
	return strings.NewReplacer("(*", "", ")", "").Replace(name)
}

// stands reports whether g is a server that stands for one from before, or was started by one.
func stands(g *machine.Goroutine) bool {
	for ; g != nil; g, _ = g.Started() {
		if runtime.FuncForPC(codeOf(&machine.Left{G: g})).Name() == standingServer {
			return true
		}
	}
	return false
}
