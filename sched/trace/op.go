package trace

import (
	"fmt"
	"unsafe"
)

// ID numbers a goroutine. The closure under test is goroutine 0. The name of a goroutine is its
// parent and its index among its parent's children. So it keeps its number in every execution
// of a search, however the executions interleave.
type ID int32

// Choice is the goroutine that moves next, with the alternative that it takes.
type Choice struct {
	G   ID
	Alt int32
}

// Schedule is a sequence of choices. It determines an execution of a deterministic program, so
// it is used for replay.
type Schedule []Choice

// Kind says what an operation does.
type Kind uint8

// The operations. A plain access is an operation while races are explored (package sched).
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
	OpAdvance // the virtual clock advances
	OpCall    // a call of a history begins
	OpReturn  // a call of a history ends
	// Sockets, see package network.
	OpListen
	OpDial
	OpAccept
	OpNetRead
	OpNetWrite
	OpShut // of one direction of a connection
	OpNetClose
	OpDeadline
	OpSendTo      // of a datagram
	OpReceiveFrom // of a datagram
	OpFault       // something of the network or of files fails, as the plan of faults has it
	OpNode        // a node starts, stops, or is cut off from others
	numKinds
)

const _ = uint(64 - numKinds) // a set of kinds has 64 bits

var kindNames = [numKinds]string{
	"none", "read", "write", "update", "transfer", "load", "store", "add", "swap", "cas", "and", "or",
	"lock", "unlock", "trylock", "rlock", "runlock", "tryrlock",
	"send", "recv", "close", "len", "select",
	"wg.add", "wg.done", "wg.wait", "once", "cond.wait", "cond.signal", "cond.broadcast",
	"map", "pool", "context", "context.err", "cancel", "choose", "gosched", "join", "sleep", "timer", "now", "fire", "advance", "call", "return",
	"Listen", "Dial", "Accept", "Read", "Write", "CloseWrite", "Close", "SetDeadline", "WriteTo", "ReadFrom", "fault", "node",
}

// OfSocket reports whether operations of kind k are of sockets.
func (k Kind) OfSocket() bool { return k >= OpListen && k <= OpFault }

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Op is a request that a goroutine has published and will make in its next step. A request of
// an enabled goroutine can always be made. If it cannot be granted at once its goroutine waits
// (see the package documentation).
type Op struct {
	G    ID
	Kind Kind
	// Footprint says how the accesses of the operation may depend on the state. The zero value
	// promises nothing.
	Footprint Footprint
	// WaitsOnUses promises that only events that use an object of the operation decide whether,
	// and for how long, the goroutine has to wait after the request. That does not hold for a
	// Cond's Wait: it takes a mutex in the end that the operation does not use. For operations
	// without the promise, the engines of package bpor consider more pairs of events.
	WaitsOnUses bool
	// Quiet promises that the operation, if it were performed now, would not change the accesses
	// or the alternatives of others, as a load does. An engine then knows what an operation would
	// have used without that event before it.
	Quiet bool
	// Alts is the number of alternatives of the operation, 1 or more: the ready cases of a
	// select, the values of a Choose.
	Alts int32
	// Obj is the object that the operation is performed on, in every state in which it is
	// pending. It is -1 if there is none or several, as for a select. Accesses has the
	// accesses.
	Obj int32
	acc [2]Access
	n   int32 // of accesses
	// Idle is not 0 if the operation would only wait now, although it depends on what others do:
	// an engine had better choose one that is less idle. See [Needless].
	Idle uint8
	// The first of n accesses, which replace acc where there are more; never changed once set.
	// Operations are copied at every step, so this is one word and not a slice.
	more *Access
	// PC is the call in the program's code, 0 unless positions are recorded.
	PC uintptr
	// Within is the call that makes the operation, if the call is inside a library and the
	// library's own races keep their order; else 0. An engine that reverses races need not reverse
	// one of two events that both have it. If it leaves such a race, it has to say so: see
	// [Leaving]. The dependence of the operations is the same as ever.
	Within uintptr
}

// Footprint is a promise about the accesses of an operation. Each includes those before it.
// Engines do less for a stronger promise, and miss traces if it is broken.
type Footprint uint8

const (
	// OpenFootprint promises nothing: the accesses may depend on the state in any way that
	// [LawHonesty] allows.
	OpenFootprint Footprint = iota
	// LawfulFootprint promises that no event takes an access from the operation against
	// [LawFootprints].
	LawfulFootprint
	// SteadyFootprint also promises that the operation would have the same accesses if fewer
	// events of other goroutines came before it. Reads and writes have this property, and a
	// Lock if no goroutine misuses the lock. A compare-and-swap does not: it writes or reads,
	// depending on the writes of others. (The accesses may still grow while the operation is
	// pending.)
	SteadyFootprint
	// FixedFootprint also promises that the operation has the same accesses, and alternatives,
	// in every state in which it is pending.
	FixedFootprint
)

// Lasting reports whether an object has its number in every execution; see [Access].
func Lasting(obj int32) bool { return obj&1 == 0 }

// Accesses returns the accesses that the operation would make if it were performed now, or, in
// an [Event], those that it has made. The slice must not be changed, and is valid as long as
// the Op is.
func (o *Op) Accesses() []Access {
	if o.more != nil {
		return unsafe.Slice(o.more, o.n)
	}
	return o.acc[:o.n]
}

// Event is an operation that was performed.
type Event struct {
	Op
	Alt int32 // the alternative that was taken
	// Order lists events (by their number in the execution) that happen before this one for a
	// reason other than program order and dependence: the event that started its goroutine, and
	// the event that granted the request for which its goroutine waited. It is valid until the
	// next step.
	Order []int32
	// Needless is not nil if an engine that reverses all races need not reverse one of this event.
	// It is valid until the next step.
	Needless *Needless
}

// Needless says of an event that it would only wait if another one had not come before, with the
// same results once that comes. So an engine need not reverse the race of the two. In its place it
// has to reverse the races that the event would have right before the other one.
type Needless struct {
	For int32 // the number of the other event
	Obj int32 // what the event would use all of if it waited, -1 for nothing that others change
}

// Choice returns the choice that performs the event again.
func (e *Event) Choice() Choice { return Choice{e.G, e.Alt} }

func (o *Op) String() string {
	if o.Obj >= 0 {
		return fmt.Sprintf("g%d:%v(%d)", o.G, o.Kind, o.Obj)
	}
	return fmt.Sprintf("g%d:%v", o.G, o.Kind)
}

// SetAccesses sets the accesses of the operation. Lazily numbered objects (see [Access]) must
// have the same order wherever the same event comes. Since their numbers differ, package unfold
// identifies them by their index in the list.
func (o *Op) SetAccesses(as ...Access) {
	if len(as) > len(o.acc) {
		o.keep(append([]Access(nil), as...))
		return
	}
	o.more, o.n = nil, int32(copy(o.acc[:], as))
}

// ShareAccesses is SetAccesses for a slice that is kept, also by events, and never changed
// again.
func (o *Op) ShareAccesses(as []Access) {
	if len(as) > len(o.acc) {
		o.keep(as)
		return
	}
	o.SetAccesses(as...)
}

// keep sets more than two accesses, without a copy.
func (o *Op) keep(as []Access) { o.more, o.n = unsafe.SliceData(as), int32(len(as)) }

// Touch makes an access the only one of o.
func (o *Op) Touch(obj int32, mode Mode) {
	o.more, o.n = nil, 1
	o.acc[0] = Access{Obj: obj, Mode: mode}
}

// TouchNothing removes all accesses of o.
func (o *Op) TouchNothing() { o.more, o.n = nil, 0 }

// TouchAll adds an access in ModeAll. If there is one of the object, it has that mode from now on,
// so o must not share its accesses with an event.
func (o *Op) TouchAll(obj int32) {
	as := o.Accesses()
	for i := range as {
		if as[i].Obj == obj {
			as[i].Mode, as[i].Idx = ModeAll, 0
			return
		}
	}
	o.TouchAlso(obj, ModeAll)
}

// TouchAlso adds an access, unless there is one of the object.
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
		o.acc[o.n] = a
		o.n++
	default: // events keep the slice
		o.keep(append(append(make([]Access, 0, len(as)+1), as...), a))
	}
}
