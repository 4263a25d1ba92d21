package machine

import (
	"time"
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// Executor executes what goroutines ask for. Every operation of a program goes through
// it: the primitives know no other way to the machine. exec.Closure is one, which runs
// one goroutine at a time; package irs has one that runs them in parallel, see [Parallel].
type Executor interface {
	// Submit makes g's request, and returns when it is granted.
	Submit(g *Goroutine)
	// Park returns when g, which waits without a request, has been released.
	Park(g *Goroutine)
	// Launch runs the new goroutine g up to its first request.
	Launch(g *Goroutine)
	// Advance lets goroutines go on if something that is not an event has granted their requests.
	Advance()
	// Use is told of a plain access of memory, which may be a request.
	Use(g *Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind)
	// Watch is told of accesses of memory while Watching is set.
	Watch(g *Goroutine, p unsafe.Pointer, size uintptr, reads, writes bool)
	// Glanced is told of one access of memory, whatever it is, after Glance was set.
	Glanced(g *Goroutine)
	// Assume notes what the result of the search takes for granted.
	Assume(g *Goroutine, k AssumptionKind, what string)
	// Crossed is told that a goroutine performed operations while it held a lock inside the
	// standard library.
	Crossed()
	// Wants reports whether more of that kind are noted.
	Wants(k AssumptionKind) bool
	// Shared is told that the goroutine uses an object of another execution, which goes on.
	Shared()
	// Naming is told that the goroutine that runs uses something for the first time, or a part of
	// it if whole is false, while numbers are set aside (Numbers.Kept).
	Naming(whole bool)
	// Reach is told that the execution has reached what has a name, or declares that some execution
	// should.
	Reach(name string, declared bool)
	// Output is given what g writes to the standard files of the process, if Config.Captures is
	// set: the standard error if stderr is. The text is valid during the call.
	Output(g *Goroutine, stderr bool, text []byte)
	scribe
}

// scribe writes the record of an execution, if there is to be one.
type scribe interface {
	// Caller returns where in the program g is, and Stack by which calls it got there.
	Caller(g *Goroutine) uintptr
	Stack(g *Goroutine) []uintptr
	// NoteGo, NoteTimer and NoteVar add a line between events: g has started kid, or a timer that
	// fires after d, or accesses a variable with that label.
	NoteGo(g, kid *Goroutine)
	NoteTimer(g *Goroutine, d time.Duration)
	NoteVar(g *Goroutine, kind trace.Kind, label string, pc uintptr)
	// Value adds a value to the line of g's latest event, LastRemark to the latest line between
	// events if that is g's.
	Value(g *Goroutine, v any)
	LastRemark(g *Goroutine, v any)
	// Took adds to the line of g's latest event, which is a select, the case that it has taken.
	Took(g *Goroutine)
	// Label returns what reports call an object, and NameAt what they call the memory at p; an
	// empty string stands for the kind and the number of the object, and for "memory".
	Label(o Object) string
	NameAt(p unsafe.Pointer) string
	// Show is Machine.Show on the stack of g. Its accesses of memory do not count as accesses of
	// the program.
	Show(g *Goroutine, v any) string
}

// Ask makes a request of the given kind to o, nil if it is made to no object, and waits
// until it is granted. The reply, in g.Reply, is valid until the next request of g.
func (g *Goroutine) Ask(kind trace.Kind, o Object) {
	g.Op.Kind, g.Req.Obj = kind, o
	g.M.Exec.Submit(g)
}

// AskNumbers is Ask with arguments. It is as large as can be inlined: every call on the
// stack of a goroutine costs time where it is unwound.
func (g *Goroutine) AskNumbers(kind trace.Kind, o Object, arg, arg2 uint64) {
	g.Op.Kind, g.Req.Obj, g.Req.Arg, g.Req.arg2 = kind, o, arg, arg2
	g.M.Exec.Submit(g)
}

// AskValues is Ask with arguments that are not numbers. It returns the value of the reply.
func (g *Goroutine) AskValues(kind trace.Kind, o Object, arg uint64, x, y any) any {
	g.Req.Arg, g.Req.x, g.Req.y = arg, x, y
	g.Ask(kind, o)
	v := g.Reply.v
	g.Req.x, g.Req.y, g.Reply.v = nil, nil, nil
	return v
}

// Choose returns a number from 0 to n-1, n being at least 1, that the search varies.
func (g *Goroutine) Choose(n int) int {
	g.AskNumbers(trace.OpChoose, nil, uint64(n), 0)
	if g.M.Record {
		g.M.Exec.Value(g, g.Reply.Val)
	}
	return int(g.Reply.Val)
}

// Start lets g run f in a new goroutine.
func (g *Goroutine) Start(f func()) *Goroutine { return g.start(f, nil) }

// start is Start for a goroutine that is in the line of function of, or in no line if that is nil:
// see StartOf.
func (g *Goroutine) start(f func(), of unsafe.Pointer) *Goroutine {
	m := g.M
	var kid *Goroutine
	if m.Parallel != nil {
		kid = m.Parallel.Fork(g)
	} else {
		kid = m.fork(g)
	}
	if len(g.Waits.credits) > 0 {
		g.endow(kid)
	}
	if of != nil {
		m.lineUp(kid, g, of)
	}
	kid.Origin.PC = 0
	if m.Record || Callers.Numbered.Load() {
		kid.Origin.PC = m.Exec.Caller(g)
	}
	if m.Record {
		m.Exec.NoteGo(g, kid)
	}
	kid.Origin.Body = f
	m.Exec.Launch(kid)
	return kid
}

// NoteResult shows what an operation has returned in a recorded execution.
func (g *Goroutine) NoteResult(v any) {
	if g.M.Record {
		g.M.Exec.Value(g, v)
	}
}

// show returns a value as text.
func (g *Goroutine) show(v any) string { return g.M.Exec.Show(g, v) }

// NoExecutor is the [Executor] of a machine that has no other: of one that model programs drive. It
// notes nothing and names nothing, and panics if a goroutine has to run or to wait. An executor
// that embeds it need have only the methods that matter to it.
type NoExecutor struct{}

func (NoExecutor) Submit(*Goroutine) { noExecutor("request") }
func (NoExecutor) Park(*Goroutine)   { noExecutor("wait") }
func (NoExecutor) Launch(*Goroutine) { noExecutor("start a goroutine") }
func (NoExecutor) Shared()           { noExecutor("share an object with another execution") }

func noExecutor(what string) {
	panic("sched: a goroutine of a machine without an executor cannot " + what)
}

func (NoExecutor) Advance()                                              {}
func (NoExecutor) Use(*Goroutine, unsafe.Pointer, uintptr, trace.Kind)   {}
func (NoExecutor) Watch(*Goroutine, unsafe.Pointer, uintptr, bool, bool) {}
func (NoExecutor) Glanced(*Goroutine)                                    {}
func (NoExecutor) Assume(*Goroutine, AssumptionKind, string)             {}
func (NoExecutor) Crossed()                                              {}
func (NoExecutor) Wants(AssumptionKind) bool                             { return false }
func (NoExecutor) Naming(bool)                                           {}
func (NoExecutor) Reach(string, bool)                                    {}
func (NoExecutor) Output(*Goroutine, bool, []byte)                       {}
func (NoExecutor) Label(Object) string                                   { return "" }
func (NoExecutor) NameAt(unsafe.Pointer) string                          { return "" }
func (NoExecutor) Caller(*Goroutine) uintptr                             { return 0 }
func (NoExecutor) Stack(*Goroutine) []uintptr                            { return nil }
func (NoExecutor) NoteGo(*Goroutine, *Goroutine)                         {}
func (NoExecutor) NoteTimer(*Goroutine, time.Duration)                   {}
func (NoExecutor) NoteVar(*Goroutine, trace.Kind, string, uintptr)       {}
func (NoExecutor) Value(*Goroutine, any)                                 {}
func (NoExecutor) LastRemark(*Goroutine, any)                            {}
func (NoExecutor) Took(*Goroutine)                                       {}
func (NoExecutor) Show(*Goroutine, any) string                           { return "" }
