package trace

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// FailureKind says in which way an execution fails.
type FailureKind uint8

// The failures that are recognised.
const (
	FailPanic     FailureKind = iota + 1 // a goroutine panicked
	FailFatal                            // a primitive was misused in a way that kills a Go program
	FailAssertion                        // the test reported an error
	FailDeadlock                         // the closure waits, and no goroutine is enabled
	FailLeak                             // the closure returned, other goroutines wait forever
	FailRace                             // two accesses of a Var without happens-before
	// The step limit was reached, in a loop without anything new: a livelock.
	FailSteps
	FailStarved // the step limit was reached, but by an unfair schedule
	FailLong    // the step limit was reached, by what may be a long computation
	FailHistory // the history of calls is not linearizable
	FailOutcome // calls return results that they do not return one at a time
)

var failureNames = [...]string{"", "panic", "fatal error", "assertion failed", "deadlock", "goroutine leak", "data race", "step limit", "unfair schedule", "too long", "not linearizable", "not atomic"}

func (k FailureKind) String() string {
	if int(k) < len(failureNames) {
		return failureNames[k]
	}
	return fmt.Sprintf("failure(%d)", uint8(k))
}

// Failure is one failure of an execution.
//
// Kind, G, Step and Part say what kind of failure it is, and where it shows. Msg is a one-line
// description. The details are data: one of Stack, Waits, Race and History, depending on Kind,
// or none if the program has no details. Objects are labelled as in the record, such as "Mutex
// 2". [Failure.Named] replaces the labels.
type Failure struct {
	Kind FailureKind
	G    ID     // the goroutine that failed, -1 if there is none
	Step int    // the number of the event in which it failed
	Part string // the part of the program in which it failed, such as a subtest; may be empty
	Msg  string // one line

	// Stack is the stack of G in the format of package runtime, for FailPanic, FailFatal and
	// FailAssertion. It is "" in executions that are not recorded.
	Stack string `json:",omitempty"`
	// Fault is the cause of a FailPanic or a FailFatal, if it is known.
	Fault Fault `json:",omitempty"`
	// At is the line at which a FailAssertion was reported; zero if unknown.
	At Position
	// Waits has the details of FailDeadlock and FailLeak, and of a FailSteps in which all
	// goroutines wait or poll.
	Waits *Waits `json:",omitempty"`
	// Race has the details of FailRace.
	Race *Race `json:",omitempty"`
	// History has the calls of a FailHistory or a FailOutcome, a line each.
	History string `json:",omitempty"`
}

func (f Failure) String() string {
	if f.Part != "" {
		return f.Kind.String() + " in " + f.Part + ": " + f.Msg
	}
	return f.Kind.String() + ": " + f.Msg
}

// Details returns the details of the failure as lines of text, "" if they are unknown.
func (f Failure) Details() string {
	switch {
	case f.Waits != nil:
		return strings.Join(f.Waits.Lines(), "\n")
	case f.Race != nil:
		return f.Race.Details()
	case f.History != "":
		return f.History
	}
	return f.Stack
}

// Named returns the failure with other names for its objects. The function name maps the label
// of an object to its name. Text of the program itself stays as it is.
func (f Failure) Named(name func(label string) string) Failure {
	if f.Waits != nil {
		f.Waits = f.Waits.named(name)
		if h := f.Waits.Hang; h != nil {
			f.Msg = h.String()
		}
	}
	if f.Race != nil {
		r := *f.Race
		r.Object = name(r.Object)
		f.Race, f.Msg = &r, r.String()
	}
	return f
}

// Position is a line of the source with its function. It is zero if it is unknown.
type Position struct {
	File string
	Line int
	Func string `json:",omitempty"` // with the path of its package
}

// bracketed returns the position in parentheses, after a space and without folders; "" if it is
// unknown.
func (p Position) bracketed() string {
	if p.File == "" {
		return ""
	}
	return " (" + p.Base() + ")"
}

// Base returns the position without folders, "" if it is unknown.
func (p Position) Base() string {
	if p.File == "" {
		return ""
	}
	return filepath.Base(p.File) + ":" + strconv.Itoa(p.Line)
}

func (p Position) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Fault is the cause of a panic or a fatal error, if engines, programs or reports treat it
// specially.
type Fault uint8

// The faults that are distinguished.
const (
	FaultSendClosed  Fault = iota + 1 // a send on a closed channel
	FaultCloseClosed                  // a close of a closed channel
	FaultNegative                     // the counter of a WaitGroup became negative
	FaultUnlock                       // an unlock of a lock that is not locked
	FaultValue                        // a run-time error because of a value: nil, an index, a type
	FaultTestOver                     // a goroutine has used a testing.TB after the end of its test
)
