package trace

import (
	"fmt"
)

// ID numbers a goroutine. The closure under test is goroutine 0. A goroutine is
// named by its parent and its place among its parent's children, so it keeps
// its number in every execution of a search, however the executions interleave.
type ID int32

// Choice says who moves next, and which of its alternatives it takes.
type Choice struct {
	G   ID
	Alt int32
}

// Schedule is a sequence of choices. It determines an execution of a
// deterministic program, so it is what replays one.
type Schedule []Choice

// Kind says what an operation does.
type Kind uint8

// The operations. A plain access is one while races are explored (package sched).
const (
	OpNone Kind = iota
	OpRead
	OpWrite
	OpUpdate   // a read and a write of a Var as one indivisible step
	OpTransfer // a read of one Var and a write of another as one step
	OpLoad
	OpStore
	OpAdd
	OpSwap
	OpCAS
	OpAnd
	OpOr
	OpLock
	OpUnlock
	OpTryLock
	OpRLock
	OpRUnlock
	OpTryRLock
	OpSend
	OpRecv
	OpClose
	OpLen
	OpSelect
	OpWGAdd
	OpWGDone
	OpWGWait
	OpOnce
	OpCondAdd
	OpSignal
	OpBroadcast
	OpMap
	OpPool
	OpCtxNew // derive a context from one that can be cancelled
	OpCtxErr
	OpCancel
	OpChoose
	OpYield
	OpJoin
	OpSleep
	OpTimer // Stop or Reset
	OpNow
	OpFire    // a timer expires
	OpAdvance // the virtual clock moves on
	OpCall    // a call begins that is to be part of a history
	OpReturn  // a call of a history returns
	numKinds
)

var kindNames = [numKinds]string{
	"none", "read", "write", "update", "transfer", "load", "store", "add", "swap", "cas", "and", "or",
	"lock", "unlock", "trylock", "rlock", "runlock", "tryrlock",
	"send", "recv", "close", "len", "select",
	"wg.add", "wg.done", "wg.wait", "once", "cond.wait", "cond.signal", "cond.broadcast",
	"map", "pool", "context", "context.err", "cancel", "choose", "gosched", "join", "sleep", "timer", "now", "fire", "advance", "call", "return",
}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Op is a request that a goroutine has published and will make in its next
// step. A request of a ready goroutine can always be made; one that cannot be
// granted at once makes its goroutine wait (see the package documentation).
type Op struct {
	G    ID
	Kind Kind
	// Footprint says how what the operation uses may depend on the state. The zero
	// value promises nothing.
	Footprint Footprint
	// WaitsOnUses promises that whether the goroutine has to wait, once the request is
	// made, and for how long, is up to events that use an object of the operation. It
	// is not so of a Cond's Wait, which takes a mutex in the end that the operation
	// does not use. For the sake of operations that do not promise it, the engines of
	// package bpor look at more pairs of events.
	WaitsOnUses bool
	nacc        uint8
	// Alts is the number of alternatives to take it, 1 or more: the ready cases
	// of a select, the values of a Choose.
	Alts int32
	// Obj is the object that the operation is performed on, in every state in which it
	// is pending, or -1: a select has several. What it uses is for Accesses to say.
	Obj  int32
	acc  [2]Access
	more []Access // all of them, where there are more than two; never changed once set
	// PC is the call in the program's code, 0 unless positions are recorded.
	PC uintptr
}

// Footprint is a promise about the accesses of an operation, each stronger than those
// before it. Engines take a stronger one as leave to do less; they miss traces where a
// promise is broken.
type Footprint uint8

const (
	// OpenFootprint promises nothing: the accesses may depend on the state in any way
	// that [LawHonesty] allows.
	OpenFootprint Footprint = iota
	// LawfulFootprint promises that no event takes an access from the operation against
	// [LawFootprints].
	LawfulFootprint
	// SteadyFootprint promises besides that the operation would have the same accesses
	// had fewer events of other goroutines come before it. Reads and writes always have,
	// and a Lock as long as nobody misuses the lock; a compare-and-swap has not, since it
	// writes or reads depending on what the others have written. (What the operation
	// uses while it is pending may still grow.)
	SteadyFootprint
	// FixedFootprint promises besides that the operation has the same accesses, and
	// alternatives, in every state in which it is pending.
	FixedFootprint
)

// Lasting reports whether an object has its number in every execution; see
// [Access].
func Lasting(obj int32) bool { return obj&1 == 0 }

// Accesses returns what the operation would touch if it were performed now,
// or, in an [Event], what it has touched. The slice is not to be changed and
// is valid as long as the Op is.
func (o *Op) Accesses() []Access {
	if o.more != nil {
		return o.more
	}
	return o.acc[:o.nacc]
}

// Event is an operation that was performed.
type Event struct {
	Op
	Alt int32 // the alternative that was taken
	// Order lists events (by their number in the execution) that happen before
	// this one for a reason other than program order and dependence: what
	// spawned its goroutine, what granted the request its goroutine waited for.
	// It is valid until the next step.
	Order []int32
}

// Choice returns what has to be chosen to perform the event again.
func (e *Event) Choice() Choice { return Choice{e.G, e.Alt} }

func (o *Op) String() string {
	if o.Obj >= 0 {
		return fmt.Sprintf("g%d:%v(%d)", o.G, o.Kind, o.Obj)
	}
	return fmt.Sprintf("g%d:%v", o.G, o.Kind)
}

// SetAccesses sets what the operation touches. Lazily numbered objects (see [Access])
// have to be listed in one order wherever the same event comes: as their numbers differ,
// their place in the list is what package unfold knows them by.
func (o *Op) SetAccesses(as ...Access) {
	if len(as) > len(o.acc) {
		o.more = append([]Access(nil), as...)
		return
	}
	o.more, o.nacc = nil, uint8(copy(o.acc[:], as))
}

// ShareAccesses is SetAccesses for a slice that is kept, by events as well, and never
// changed again.
func (o *Op) ShareAccesses(as []Access) {
	if len(as) > len(o.acc) {
		o.more = as
		return
	}
	o.SetAccesses(as...)
}

// Touch sets the one access of o.
func (o *Op) Touch(obj int32, mode Mode) {
	o.more, o.nacc = nil, 1
	o.acc[0] = Access{Obj: obj, Mode: mode}
}

// TouchNothing takes back all accesses of o.
func (o *Op) TouchNothing() { o.more, o.nacc = nil, 0 }

// TouchAlso adds an access, if there is none of the object yet.
func (o *Op) TouchAlso(obj int32, mode Mode) {
	as := o.Accesses()
	for _, a := range as {
		if a.Obj == obj {
			return
		}
	}
	a := Access{Obj: obj, Mode: mode}
	switch {
	case o.more == nil && len(as) < len(o.acc):
		o.acc[o.nacc] = a
		o.nacc++
	default: // events keep the slice
		o.more = append(append(make([]Access, 0, len(as)+1), as...), a)
	}
}
