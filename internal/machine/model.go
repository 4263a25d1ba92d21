package machine

import (
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// This file is the Machine as model programs see it: without stacks or typed
// values. Objects are made with the New... methods after each Reset, in the
// same order every time; requests are published as data; results are numbers.

// Object is a primitive of a model program.
type ModelObject int

// ObjectKind is a kind of object that [Machine.NewObject] makes.
type ObjectKind uint8

const (
	ObjCell ObjectKind = iota // memory: OpRead to OpCAS
	ObjMutex
	ObjRWMutex
	ObjChan
	ObjWaitGroup
	ObjOnce
	ObjCond
	ObjOpaque // every use depends on every other: OpPool
)

// NewObject makes an object. The number n is the initial value of a cell and
// the capacity of a channel.
func (m *Machine) NewObject(kind ObjectKind, n int64) ModelObject {
	o := m.newObject(kind)
	switch o := o.(type) {
	case *cell:
		o.bits, o.mask, o.what = uint64(n), 0, "cell"
	case *ChanState:
		o.Cap = int(n)
	}
	m.Admit(o)
	return ModelObject(len(m.Store.Objects) - 1)
}

func (m *Machine) newObject(kind ObjectKind) Object {
	switch kind {
	case ObjCell:
		return Take[cell](m)
	case ObjMutex:
		return Take[MutexState](m)
	case ObjRWMutex:
		return Take[RwState](m)
	case ObjChan:
		return Take[ChanState](m)
	case ObjWaitGroup:
		return Take[WgState](m)
	case ObjOnce:
		return Take[OnceState](m)
	case ObjCond:
		return Take[CondState](m)
	case ObjOpaque:
		return Take[opaqueState](m)
	}
	panic(fmt.Sprintf("sched: no such object kind: %d", kind))
}

// Request is what a goroutine of a model program asks for next.
type ModelRequest struct {
	Kind trace.Kind
	Obj  ModelObject // -1 for OpChoose, OpYield, OpJoin, OpSleep, OpNow, OpSelect
	// Arg is the value to store, add, swap in or send, the value that OpCAS expects, or the delta
	// of OpWGAdd. Or it is the number of alternatives of OpChoose, or the goroutine to join. Or it
	// is the nanoseconds to sleep, or the duration that a timer is reset to.
	Arg int64
	// Arg2 is the new value of OpCAS, and 1 to reset a timer, 0 to stop it.
	Arg2    int64
	Cases   []ModelCase // of OpSelect
	Default bool        // OpSelect has a default
}

// RequestCase is one case of a select: sending Val, or receiving.
type ModelCase struct {
	Ch   ModelObject
	Send bool
	Val  int64
}

// Publish sets the next request of goroutine id, which must be running.
func (m *Machine) Publish(id trace.ID, r ModelRequest) {
	g := m.Goroutines[id]
	if g.State != StateRunning {
		panic(fmt.Sprintf("sched: goroutine %d cannot publish a request: it %s", id, m.Doing(g)))
	}
	g.Op.Kind, g.Req.Obj = r.Kind, nil
	g.Req.Arg, g.Req.arg2 = uint64(r.Arg), uint64(r.Arg2)
	if r.Obj >= 0 {
		g.Req.Obj = m.Store.Objects[r.Obj]
	}
	if r.Kind == trace.OpSelect {
		g.Req.Cases = g.Req.Cases[:0]
		for _, k := range r.Cases {
			g.Req.Cases = append(g.Req.Cases, SelectCase{Ch: m.Store.Objects[k.Ch].(*ChanState), Send: k.Send, Val: k.Val})
		}
		g.Req.Arg = 0
		if r.Default {
			g.Req.Arg = 1
		}
	}
	m.Post(g)
}

// Step performs one operation. The goroutine that moved is running again unless
// [Machine.Running] says otherwise; those in [Machine.Granted] are as well.
func (m *Machine) Step(c trace.Choice) (*trace.Event, error) {
	g, err := m.CanStep(c)
	if err != nil {
		return nil, err
	}
	m.Perform(g, c.Alt)
	return &m.Events.Latest, nil
}

// Describing turns the accesses and orders of events on or off: a replay does
// not need them.
func (m *Machine) Describing(on bool) { m.Events.Described = on }

// Granted returns the goroutines that can go on since the last call, in the order in which they
// were released. The latest events have granted their requests, a timer has spawned them, or the
// goroutine that they joined has ended.
func (m *Machine) Granted(ids []trace.ID) []trace.ID {
	for _, g := range m.Released {
		ids = append(ids, g.ID)
	}
	m.Released = m.Released[:0]
	return ids
}

// Running reports whether goroutine id is between two requests.
func (m *Machine) Running(id trace.ID) bool { return m.Goroutines[id].State == StateRunning }

// Waiting reports whether goroutine id waits for a request to be granted.
func (m *Machine) Waiting(id trace.ID) bool {
	return m.Goroutines[id].State == StateWaiting && !m.Goroutines[id].Pseudo
}

// NumGoroutines returns the number of goroutines named so far, in all executions.
func (m *Machine) NumGoroutines() int { return len(m.Goroutines) }

// Len returns the number of events performed.
func (m *Machine) Len() int { return m.Events.Count }

// Result is what a request returned.
type ModelResult struct {
	Val int64 // read, received, chosen
	// OK says that a try succeeded, a receive got a value, Once lets the caller in, or a timer was
	// active.
	OK    bool
	Case  int // of a select, the number of cases for the default
	Fault string
	Fatal bool // the fault kills the program; otherwise it is a panic
}

// Result returns the result of the latest request of goroutine id, which has
// been granted, and forgets the fault in it.
func (m *Machine) Result(id trace.ID) ModelResult {
	g := m.Goroutines[id]
	r := ModelResult{g.Reply.Val, g.Reply.Ok, int(g.Reply.Chosen), g.Reply.Fault, g.Reply.Fatal}
	g.Reply.Fault, g.Reply.Fatal = "", false
	return r
}

// CondWait is the second half of waiting on a condition variable, after OpCondAdd and the unlocking
// of its lock. It makes goroutine id wait until it is notified, and is not an event. It reports
// whether the goroutine has to wait.
func (m *Machine) CondWait(id trace.ID, cond ModelObject) bool {
	return m.Store.Objects[cond].(*CondState).CondWait(m, m.Goroutines[id], m.Goroutines[id].Waits.Tickets)
}

// OnceDone says that goroutine id has returned from the function of a once.
func (m *Machine) OnceDone(id trace.ID, once ModelObject) {
	m.Store.Objects[once].(*OnceState).finish(m, m.Goroutines[id])
}

// NewTimer makes a timer that belongs to goroutine id, and starts it. After d nanoseconds the timer
// sends val on ch, or with ch < 0 spawns a goroutine with the result val. With period > 0 it goes
// on doing so. OpTimer stops or resets it.
func (m *Machine) NewTimer(id trace.ID, ch ModelObject, val, d, period int64) ModelObject {
	t := Take[TimerState](m)
	t.Period, t.arg = period, val
	if ch >= 0 {
		t.Ch = m.Store.Objects[ch].(*ChanState)
		t.Put = func() int64 { return val }
	}
	m.admitBy(m.Goroutines[id], t)
	m.newTimer(m.Goroutines[id], t)
	m.startTimer(t, m.Goroutines[id], d)
	return ModelObject(len(m.Store.Objects) - 1)
}

// Value returns the value of a cell.
func (m *Machine) Value(o ModelObject) int64 { return int64(m.Store.Objects[o].(*cell).bits) }
