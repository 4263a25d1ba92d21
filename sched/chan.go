package sched

import (
	"iter"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Chan is a channel of T. A nil *Chan behaves like a nil channel: operations on
// it wait for ever.
type Chan[T any] struct {
	k     machine.Key[machine.ChanOf[T]]
	cap   int
	timer bool // of a timer: it looks unbuffered
	done  bool // of a context: it is only ever closed, by cancelling
}

// NewChan returns a channel with room for n values, like make(chan T, n). It
// panics if n is negative.
func NewChan[T any](n int) *Chan[T] {
	if n < 0 {
		panic("sched: NewChan: size out of range")
	}
	c := &Chan[T]{cap: n}
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		machine.Create(co.G, &c.k).Cap = n
	}
	return c
}

// in returns the state of c in the execution of g: in a new one the channel is empty.
func (c *Chan[T]) in(g *machine.Goroutine) *machine.ChanOf[T] {
	if c.timer || c.done {
		return machine.Own(g.M, &c.k)
	}
	s, fresh := machine.Meet(g.M, &c.k)
	if fresh {
		s.Cap = c.cap
		machine.Publish(g.M, &c.k, s)
	}
	return s
}

// Send sends v. It panics if the channel is closed.
func (c *Chan[T]) Send(v T) {
	g := machine.Enter("Chan.Send")
	if c == nil {
		g.Forever(true)
	}
	s := c.in(g)
	if c.done {
		panic(machine.Misuse("send on the Done channel of a context"))
	}
	g.Use(unsafe.Pointer(c), s, true, machine.ChanSend)
	s.Sends(g)
	slot := s.PutBy(g, v)
	if g.M.Record {
		defer g.NoteResult(v)
	}
	g.AskNumbers(trace.OpSend, &s.ChanState, uint64(slot), 0)
}

// Recv receives a value, the zero value if the channel is closed and empty.
func (c *Chan[T]) Recv() T {
	v, _ := c.Recv2()
	return v
}

// Recv2 receives a value and reports whether it was sent, like v, ok := <-c.
func (c *Chan[T]) Recv2() (T, bool) { return c.recv(0) }

// Drop receives a value and forgets it, like <-c as a statement, and reports whether it was sent.
// So no goroutine knows the time then that a timer has sent, which matters to engines that
// recognise states: see [Loop]. A case of a [Select] without a variable for the value does the
// same.
func (c *Chan[T]) Drop() bool {
	_, ok := c.recv(machine.ToDrop)
	return ok
}

func (c *Chan[T]) recv(how uint64) (T, bool) {
	g := machine.Enter("Chan.Recv")
	if c == nil {
		g.Forever(false)
	}
	s := c.in(g)
	g.AskNumbers(trace.OpRecv, &s.ChanState, how, 0)
	ok := g.Reply.Ok
	v := s.TakeBy(g, g.Reply.Val, ok)
	if g.M.Record {
		g.NoteReceived(v, ok)
	}
	return v, ok
}

// All returns the values that are received until the channel is closed: use it
// as for v := range c.All().
func (c *Chan[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if v, ok := c.Recv2(); !ok || !yield(v) {
				return
			}
		}
	}
}

// Close closes the channel. It panics if the channel is nil or closed.
func (c *Chan[T]) Close() {
	g := machine.Leave("Chan.Close")
	if g == nil {
		return
	}
	if c == nil {
		panic(machine.Misuse("close of nil channel"))
	}
	s := c.in(g)
	if c.done {
		panic(machine.Misuse("close of the Done channel of a context"))
	}
	g.Use(unsafe.Pointer(c), s, true, machine.ChanClose)
	g.Ask(trace.OpClose, &s.ChanState)
}

// Len returns the number of values in the channel's buffer, 0 for a nil
// channel.
func (c *Chan[T]) Len() int {
	if c == nil || c.looksUnbuffered() || c.done {
		return 0
	}
	g := machine.Enter("Chan.Len")
	g.Ask(trace.OpLen, &c.in(g).ChanState)
	g.NoteResult(g.Reply.Val)
	return int(g.Reply.Val)
}

// Cap returns the size of the channel's buffer, 0 for a nil channel.
func (c *Chan[T]) Cap() int {
	if c == nil || c.looksUnbuffered() {
		return 0
	}
	return c.cap
}

// A Case is one case of a [Select].
type Case interface {
	// prepare adds the case to g's request, finish takes what it received.
	prepare(g *machine.Goroutine)
	finish(g *machine.Goroutine, chosen bool)
}

type sendCase[T any] struct {
	c    *Chan[T]
	s    *machine.ChanOf[T]
	v    T
	slot int64
}

func (k *sendCase[T]) prepare(g *machine.Goroutine) {
	if k.c == nil {
		g.Req.Cases = append(g.Req.Cases, machine.SelectCase{})
		return
	}
	k.s = k.c.in(g)
	if k.c.done {
		panic(machine.Misuse("send on the Done channel of a context"))
	}
	g.Use(unsafe.Pointer(k.c), k.s, true, machine.ChanSend) // if it is ready, it may be taken
	k.s.Sends(g)
	k.slot = k.s.Put(k.v)
	g.Req.Cases = append(g.Req.Cases, machine.SelectCase{Ch: &k.s.ChanState, Send: true, Val: k.slot})
}

func (k *sendCase[T]) finish(g *machine.Goroutine, chosen bool) {
	if !chosen && k.s != nil {
		k.s.Take(k.slot, true)
	}
	if chosen {
		g.NoteResult(k.v)
	}
}

type recvCase[T any] struct {
	c  *Chan[T]
	s  *machine.ChanOf[T]
	v  *T
	ok *bool
}

func (k *recvCase[T]) prepare(g *machine.Goroutine) {
	if k.c == nil {
		g.Req.Cases = append(g.Req.Cases, machine.SelectCase{})
		return
	}
	k.s = k.c.in(g)
	g.Req.Cases = append(g.Req.Cases, machine.SelectCase{Ch: &k.s.ChanState, Drop: k.v == nil})
}

func (k *recvCase[T]) finish(g *machine.Goroutine, chosen bool) {
	if !chosen {
		return
	}
	ok := g.Reply.Ok
	v := k.s.Take(g.Reply.Val, ok)
	if k.v != nil {
		*k.v = v
	}
	if k.ok != nil {
		*k.ok = ok
	}
	if g.M.Record {
		g.NoteReceived(v, ok)
	}
}

// SendCase is the case of sending v on c: case c <- v.
func SendCase[T any](c *Chan[T], v T) Case { return &sendCase[T]{c: c, v: v} }

// RecvCase is the case of receiving from c into *v, with *ok saying whether the value was sent:
// case *v, *ok = <-c. Either pointer may be nil; without v the value is dropped, see [Chan.Drop].
func RecvCase[T any](c *Chan[T], v *T, ok *bool) Case { return &recvCase[T]{c: c, v: v, ok: ok} }

// Default as the last case of a Select is taken when no other can proceed.
var Default Case = defaultCase{}

type defaultCase struct{}

func (defaultCase) prepare(*machine.Goroutine)      {}
func (defaultCase) finish(*machine.Goroutine, bool) {}

// Select waits until one of the cases can proceed, performs it and returns its
// index. If several can, each of them is explored. With [Default] among the
// cases it does not wait. Without cases it waits for ever.
//
//	switch sched.Select(sched.RecvCase(c, &v, nil), sched.SendCase(d, 1), sched.Default) {
//	case 0: // v was received from c
//	case 1: // 1 was sent on d
//	case 2: // neither was possible
//	}
func Select(cases ...Case) int {
	g := machine.Enter("Select")
	g.Req.Cases = g.Req.Cases[:0]
	polls := uint64(0)
	def := -1
	for i, k := range cases {
		if k == Default {
			if def >= 0 {
				panic("sched: Select with more than one Default")
			}
			def = i
			polls = 1
			continue
		}
		if k == nil {
			panic("sched: Select with a nil Case")
		}
		k.prepare(g)
	}
	// The machine does not count the default among the cases.
	g.AskNumbers(trace.OpSelect, nil, polls, 0)
	if g.M.Record {
		g.M.Exec.Took(g)
	}
	chosen := int(g.Reply.Chosen)
	switch {
	case chosen == len(g.Req.Cases):
		chosen = def
	case def >= 0 && chosen >= def:
		chosen++
	}
	for i, k := range cases {
		k.finish(g, i == chosen)
	}
	return chosen
}
