package native

import (
	"unsafe"

	"github.com/gopor/gopor/sched"
)

// A select statement stays a select statement. Under control, text before it calls [Select],
// which decides which case is taken and performs it. Then the channel of each case is replaced
// by its Chan, so that the statement itself can only take that case.

// A Case is one case of a select statement under control.
type Case interface {
	ask() sched.Case
	take()
}

// A RecvCase is the case of a receive.
type RecvCase[T any] struct {
	c  <-chan T
	v  T
	ok bool
	to chan T

	drops bool
}

// From returns the case <-c.
func From[T any](c <-chan T) *RecvCase[T] { return &RecvCase[T]{c: c} }

// Dropping returns the case <-c without use of the received value, as in [Drop].
func Dropping[T any](c <-chan T) *RecvCase[T] { return &RecvCase[T]{c: c, drops: true} }

func (r *RecvCase[T]) ask() sched.Case {
	c, v := shadow[T](Key(r.c)), &r.v
	if r.drops {
		v = nil
	}
	return sched.RecvCase(c, v, &r.ok)
}

func (r *RecvCase[T]) take() { r.to = holding(r.v, r.ok) }

// Chan returns a channel that has the received value, or nil if this case was not taken.
func (r *RecvCase[T]) Chan() chan T { return r.to }

// A SendCase is the case of a send.
type SendCase[T any] struct {
	p  unsafe.Pointer // the address of the channel
	v  T
	to chan T
}

// Into returns the case c <- v.
func Into[T any](c chan<- T, v T) *SendCase[T] { return &SendCase[T]{p: To(c).key(), v: v} }

func (s *SendCase[T]) ask() sched.Case { return sched.SendCase(shadow[T](s.p), s.v) }
func (s *SendCase[T]) take()           { s.to = make(chan T, 1) }

// Chan returns a channel with room for the value, or nil if this case was not taken.
func (s *SendCase[T]) Chan() chan T { return s.to }

// Select waits until one of the cases can proceed, and performs it.
func Select(cases ...Case) { choose(cases) }

// Poll is Select with a default case: it does not wait.
func Poll(cases ...Case) { choose(cases, sched.Default) }

func choose(cases []Case, others ...sched.Case) {
	asked := make([]sched.Case, len(cases), len(cases)+len(others))
	for i, c := range cases {
		asked[i] = c.ask()
	}
	if i := sched.Select(append(asked, others...)...); i < len(cases) {
		cases[i].take()
	}
}
