package exec

import (
	"cmp"

	"github.com/gopor/gopor/sched/trace"
)

// Entry is one line of a recorded execution.
type Entry struct {
	Step int      // number of the event, -1 for a remark between events (a go statement, an end)
	G    trace.ID // the goroutine
	Name string   // how to call the goroutine: "main", "g1", "g1.2", "timer 1"
	// Kind is the kind of the event, or of an access of memory between events. It is
	// trace.OpNone in a remark; Remark says which one that is then, and is 0 otherwise.
	Kind   trace.Kind
	Remark Remark
	Obj    string // "Mutex 1", "chan 2", ...
	// What the program calls it, such as "s.mu"; "" if that is not known. Package por finds it.
	Expr string
	// Variable is the package-level variable that accessed memory belongs to, or its field:
	// "hits", "state.n"; "" if it is none of an instrumented program.
	Variable string
	// What was stored, loaded, sent, received; the goroutine that was started; "" if there is none.
	Value string
	// Value is a bool, and true: a TryLock has locked, a CompareAndSwap has swapped.
	OK    bool
	Waits bool // the request was not granted at once
	// Took is the case that a select has taken, nil if it has taken none.
	Took *Case
	// Word is what an access of plain memory has read or written, and Size of how many
	// bytes that is: 1, 2, 4 or 8, or 0 if it is not known; it is
	// a number without a sign. The compiler does not say how large a variable is: if Vague,
	// the access may have been of the first bytes only.
	Word  uint64
	Size  int
	Vague bool
	// Omitted counts the entries that were left out right before this one: of a long
	// execution only what is near its beginning, its end or its failure is kept.
	Omitted int
	File    string
	Line    int
	Func    string // the function that contains the call
	// Stack is the calls of the program that have led here, innermost first: File,
	// Line and Func are of the first one. It is empty where the goroutine had run
	// nothing of the program's yet.
	Stack []Call
}

// Case is a case of a select in a recorded execution.
type Case struct {
	Number int        // of the case, from 0, in the order of the cases without the default
	Kind   trace.Kind // trace.OpSend or trace.OpRecv, trace.OpNone for the default
	Obj    string     // the channel's label: "chan 2"; "" for the default
	Expr   string     // what the program calls the channel; "" if that is not known
	// Ready counts the cases that could have been taken, with this one. It is 0 if the select has
	// waited, and for the default.
	Ready int
}

// Name returns the name of the channel in reports.
func (k *Case) Name() string { return cmp.Or(k.Expr, k.Obj) }

// Op says in a word what is done in the case: "send", "recv", "default".
func (k *Case) Op() string {
	if k.Kind == trace.OpNone {
		return "default"
	}
	return k.Kind.String()
}

// Op says in a word what an entry is: "lock", "send", "go", ...
func (e *Entry) Op() string {
	if e.Remark != 0 {
		return remarks[e.Remark]
	}
	return e.Kind.String()
}

// Remark is what an entry tells that is neither an event nor an access of memory.
type Remark uint8

// The remarks.
const (
	RemarkGo  Remark = iota + 1 // a go statement; Value is the name of the new goroutine
	RemarkEnd                   // the goroutine has ended
	// A timer was started without an event of its own; Value is its time.
	RemarkTimer
)

var remarks = [...]string{RemarkGo: "go", RemarkEnd: "end", RemarkTimer: "start timer"}

// Call is a place in the source that a goroutine is at, or has called from.
type Call struct {
	File string
	Line int
	Func string
}
