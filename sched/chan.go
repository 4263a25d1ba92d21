package sched

import (
	"iter"
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// Chan is a channel of T. A nil *Chan behaves like a nil channel: operations on
// it wait for ever.
type Chan[T any] struct {
	k     key[chanOf[T]]
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
	if co := callers.find(); co != nil && !co.m.closing {
		create(co.g, &c.k).cap = n
	}
	return c
}

// in returns the state of c in the execution of g: in a new one the channel is empty.
func (c *Chan[T]) in(g *goroutine) *chanOf[T] {
	if c.timer || c.done {
		return own(g.m, &c.k)
	}
	s, fresh := find(g.m, &c.k)
	if fresh {
		s.cap = c.cap
	}
	return s
}

// Send sends v. It panics if the channel is closed.
func (c *Chan[T]) Send(v T) {
	g := enter("Chan.Send")
	if c == nil {
		g.forever()
	}
	s := c.in(g)
	if c.done {
		panic(misuse("send on the Done channel of a context"))
	}
	g.use(unsafe.Pointer(c), s, true, chanSend)
	slot := s.put(v)
	if g.m.Record {
		defer g.noteResult(v)
	}
	g.askNumbers(trace.OpSend, &s.chanState, uint64(slot), 0)
}

// Recv receives a value, the zero value if the channel is closed and empty.
func (c *Chan[T]) Recv() T {
	v, _ := c.Recv2()
	return v
}

// Recv2 receives a value and reports whether it was sent, like v, ok := <-c.
func (c *Chan[T]) Recv2() (T, bool) {
	g := enter("Chan.Recv")
	if c == nil {
		g.forever()
	}
	s := c.in(g)
	g.ask(trace.OpRecv, &s.chanState)
	ok := g.reply.ok
	v := s.take(g.reply.val, ok)
	if g.m.Record {
		g.noteReceived(v, ok)
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
	g := leave("Chan.Close")
	if g == nil {
		return
	}
	if c == nil {
		panic(misuse("close of nil channel"))
	}
	s := c.in(g)
	if c.done {
		panic(misuse("close of the Done channel of a context"))
	}
	g.use(unsafe.Pointer(c), s, true, chanClose)
	g.ask(trace.OpClose, &s.chanState)
}

// Len returns the number of values in the channel's buffer, 0 for a nil
// channel.
func (c *Chan[T]) Len() int {
	if c == nil || c.timer || c.done {
		return 0
	}
	g := enter("Chan.Len")
	g.ask(trace.OpLen, &c.in(g).chanState)
	g.noteResult(g.reply.val)
	return int(g.reply.val)
}

// Cap returns the size of the channel's buffer, 0 for a nil channel.
func (c *Chan[T]) Cap() int {
	if c == nil || c.timer {
		return 0
	}
	return c.cap
}

// A Case is one case of a [Select].
type Case interface {
	// prepare adds the case to g's request, finish takes what it received.
	prepare(g *goroutine)
	finish(g *goroutine, chosen bool)
}

type sendCase[T any] struct {
	c    *Chan[T]
	s    *chanOf[T]
	v    T
	slot int64
}

func (k *sendCase[T]) prepare(g *goroutine) {
	if k.c == nil {
		g.req.cases = append(g.req.cases, selectCase{})
		return
	}
	k.s = k.c.in(g)
	if k.c.done {
		panic(misuse("send on the Done channel of a context"))
	}
	g.use(unsafe.Pointer(k.c), k.s, true, chanSend) // if it is ready, it may be taken
	k.slot = k.s.put(k.v)
	g.req.cases = append(g.req.cases, selectCase{ch: &k.s.chanState, send: true, val: k.slot})
}

func (k *sendCase[T]) finish(g *goroutine, chosen bool) {
	if !chosen && k.s != nil {
		k.s.take(k.slot, true)
	}
	if chosen {
		g.noteResult(k.v)
	}
}

type recvCase[T any] struct {
	c  *Chan[T]
	s  *chanOf[T]
	v  *T
	ok *bool
}

func (k *recvCase[T]) prepare(g *goroutine) {
	if k.c == nil {
		g.req.cases = append(g.req.cases, selectCase{})
		return
	}
	k.s = k.c.in(g)
	g.req.cases = append(g.req.cases, selectCase{ch: &k.s.chanState})
}

func (k *recvCase[T]) finish(g *goroutine, chosen bool) {
	if !chosen {
		return
	}
	ok := g.reply.ok
	v := k.s.take(g.reply.val, ok)
	if k.v != nil {
		*k.v = v
	}
	if k.ok != nil {
		*k.ok = ok
	}
	if g.m.Record {
		g.noteReceived(v, ok)
	}
}

// SendCase is the case of sending v on c: case c <- v.
func SendCase[T any](c *Chan[T], v T) Case { return &sendCase[T]{c: c, v: v} }

// RecvCase is the case of receiving from c into *v, with *ok saying whether the
// value was sent: case *v, *ok = <-c. Either pointer may be nil.
func RecvCase[T any](c *Chan[T], v *T, ok *bool) Case { return &recvCase[T]{c: c, v: v, ok: ok} }

// Default as the last case of a Select is taken when no other can proceed.
var Default Case = defaultCase{}

type defaultCase struct{}

func (defaultCase) prepare(*goroutine)      {}
func (defaultCase) finish(*goroutine, bool) {}

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
	g := enter("Select")
	g.req.cases = g.req.cases[:0]
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
	chosen := g.askNumbers(trace.OpSelect, nil, polls, 0).chosen
	switch {
	case chosen == len(g.req.cases):
		chosen = def
	case def >= 0 && chosen >= def:
		chosen++
	}
	for i, k := range cases {
		k.finish(g, i == chosen)
	}
	return chosen
}
