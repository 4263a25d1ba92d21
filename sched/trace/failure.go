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
	FailDeadlock                         // the closure itself waits, and nobody can run
	FailLeak                             // the closure returned, others wait for ever
	FailRace                             // two accesses of a Var without happens-before
	FailSteps                            // the step limit was reached, in a loop without anything new: a livelock
	FailStarved                          // the step limit was reached, but by an unfair schedule
	FailLong                             // the step limit was reached, by what may be a long computation
	FailHistory                          // the history of calls is not linearizable
	FailOutcome                          // calls return what they do not return one at a time
)

var failureNames = [...]string{"", "panic", "fatal error", "assertion failed", "deadlock", "goroutine leak", "data race", "step limit", "unfair schedule", "too long", "not linearizable", "not atomic"}

func (k FailureKind) String() string {
	if int(k) < len(failureNames) {
		return failureNames[k]
	}
	return fmt.Sprintf("failure(%d)", uint8(k))
}

// Failure is one thing that is wrong with an execution.
//
// Kind, G, Step and Part say what kind of failure it is, and where it shows. Msg says it in a line. What the
// failure is about is data: one of Stack, Waits, Race and History, by its kind, and none if the program does not
// say. Objects go by the labels of the record, such as "Mutex 2"; [Failure.Named] gives them other names.
type Failure struct {
	Kind FailureKind
	G    ID     // the goroutine that failed, -1 if there is none
	Step int    // the number of the event in which it failed
	Part string // the part of the program in which it failed, such as a subtest; may be empty
	Msg  string // one line

	// Stack is the stack of G as package runtime writes it: of FailPanic, FailFatal and FailAssertion. It is ""
	// in executions that are not recorded.
	Stack string `json:",omitempty"`
	// Fault says what a FailPanic or a FailFatal is about, if that is known.
	Fault Fault `json:",omitempty"`
	// At is the line at which a FailAssertion was reported; zero if that is not known.
	At Position
	// Waits is of FailDeadlock and FailLeak, and of a FailSteps in which all goroutines wait or poll.
	Waits *Waits `json:",omitempty"`
	// Race is of FailRace.
	Race *Race `json:",omitempty"`
	// History is the calls of a FailHistory or a FailOutcome, a line each.
	History string `json:",omitempty"`
}

func (f Failure) String() string {
	if f.Part != "" {
		return f.Kind.String() + " in " + f.Part + ": " + f.Msg
	}
	return f.Kind.String() + ": " + f.Msg
}

// Details returns what the failure is about as text of several lines, "" if that is not known.
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

// Named returns the failure with other names for its objects. The function name gets the label of an object, and
// returns what it is called. The program's own words stay as they are.
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

// Position is a line of the source, and the function that it is in. It is zero if it is not known.
type Position struct {
	File string
	Line int
	Func string `json:",omitempty"` // with the path of its package
}

// bracketed returns the position in brackets, after a space and without folders; "" if it is not known.
func (p Position) bracketed() string {
	if p.File == "" {
		return ""
	}
	return " (" + p.Base() + ")"
}

// Base returns the position without folders, "" if it is not known.
func (p Position) Base() string {
	if p.File == "" {
		return ""
	}
	return filepath.Base(p.File) + ":" + strconv.Itoa(p.Line)
}

func (p Position) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Fault is what a panic or a fatal error is about, where engines, programs and reports treat it in a way of its own.
type Fault uint8

// The faults that are told apart.
const (
	FaultSendClosed  Fault = iota + 1 // a send on a closed channel
	FaultCloseClosed                  // a close of a closed channel
	FaultNegative                     // the counter of a WaitGroup became negative
	FaultUnlock                       // an unlock of a lock that is not locked
	FaultValue                        // a run-time error because of a value: nil, an index, a type
	FaultTestOver                     // a goroutine has used a testing.TB whose test was over
)
