package machine

import (
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/trace"
)

// faultTexts are the texts of panics and fatal errors that are told apart. A panic may have been
// raised again, with other words around them.
var faultTexts = []struct {
	text  string
	fault trace.Fault
}{
	{"send on closed channel", trace.FaultSendClosed},
	{"close of closed channel", trace.FaultCloseClosed},
	{"negative WaitGroup counter", trace.FaultNegative},
	{"unlock of unlocked", trace.FaultUnlock},
	{"runtime error: ", trace.FaultValue},
	{"interface conversion: ", trace.FaultValue},
	{"assignment to entry in nil map", trace.FaultValue},
}

// FaultOf returns what a panic or a fatal error of that text is about, 0 if it is none of those
// that are told apart.
func FaultOf(text string) trace.Fault {
	for _, f := range faultTexts {
		if strings.Contains(text, f.text) {
			return f.fault
		}
	}
	if strings.Contains(text, " in goroutine after ") && strings.Contains(text, " has completed") {
		return trace.FaultTestOver
	}
	return 0
}

// FailPanic records that goroutine g has panicked with a value. The stack may be "".
func (m *Machine) FailPanic(g *Goroutine, value any, stack string) {
	text := format.Panic(value)
	m.Fail(trace.Failure{Kind: trace.FailPanic, Msg: text, Fault: FaultOf(text), Stack: stack}, g)
}

// FailFatal records that goroutine g has done what ends a Go program. The stack may be "".
func (m *Machine) FailFatal(g *Goroutine, text, stack string) {
	m.Fail(trace.Failure{Kind: trace.FailFatal, Msg: text, Fault: FaultOf(text), Stack: stack}, g)
}
