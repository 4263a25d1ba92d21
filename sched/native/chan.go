package native

import (
	"sync"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native/access"
)

// This file has channels. A native channel is known by the address of what it points to. Under
// control it only lends its address: every operation on it is performed on its shadow, a
// sched.Chan of the same element type.
//
// A channel that an execution has made begins as [Made] says. Any other one is adopted when the
// execution first uses it: its shadow begins with the values in the channel's buffer, and is
// closed if the channel is. The channel itself does not change, so that every execution begins
// alike, with one exception. A value cannot be put back into a closed channel, so it is
// remembered.
//
// Operations of uncontrolled goroutines on a channel, while executions run, are not seen by
// those, nor the other way round. If an uncontrolled goroutine waits to send a value, that
// value does not belong to the channel's state. Adopting the channel may let that goroutine go
// on, and make another one wait to send the value in its place.

// On reports whether the calling goroutine is controlled.
func On() bool { return hook.Active() }

// Key returns the identity of a channel: the address by which [hook.Shadow] finds its shadow, a
// *sched.Chan[T].
func Key[T any](c <-chan T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c)) }

// shadow returns the shadow of the channel at p, which the calling goroutine is about to use.
// That must be controlled.
func shadow[T any](p unsafe.Pointer) *sched.Chan[T] {
	if p == nil {
		return nil
	}
	s := hook.Shadow(p, func() any { return adopt(*(*chan T)(unsafe.Pointer(&p))) })
	c, ok := s.(*sched.Chan[T])
	if !ok {
		panic("gopor: a channel was converted to one whose element type has other struct tags")
	}
	return c
}

// adopted guards the channels that are being adopted. It has the values that were in the
// buffers of closed channels, as []T by address: all executions of the process find them there.
var adopted = struct {
	sync.Mutex
	rest map[unsafe.Pointer]any
}{rest: make(map[unsafe.Pointer]any)}

// adopt returns a channel in the state of c.
func adopt[T any](c chan T) *sched.Chan[T] {
	adopted.Lock()
	defer adopted.Unlock()
	n := len(c)
	var values []T
	closed := false
	for range n + 1 { // one more, to see whether it is closed
		v, ok := look(c, &closed)
		if !ok {
			break
		}
		values = append(values, v)
	}
	n = min(n, len(values))
	if !closed {
		restore(c, values)
		values = values[:n]
	} else if n > 0 {
		adopted.rest[Key(c)] = values
	} else {
		values, _ = adopted.rest[Key(c)].([]T)
	}
	_, times := any(c).(chan time.Time)
	s := new(sched.Chan[T])
	hook.Chans.Adopt(s, cap(c), values, closed, times && !closed)
	return s
}

// look receives a value if there is one.
func look[T any](c chan T, closed *bool) (v T, ok bool) {
	select {
	case v, ok = <-c:
		*closed = !ok
	default:
	}
	return v, ok
}

// restore puts back values that were received from c.
func restore[T any](c chan T, values []T) {
	for i, v := range values {
		select {
		case c <- v:
		default:
			go func() {
				for _, v := range values[i:] {
					c <- v
				}
			}()
			return
		}
	}
}

// Made is put around make(chan T, n).
func Made[C ~chan T, T any](c C) C {
	if hook.Controlled() {
		made((chan T)(c))
	}
	return c
}

// MadeToClose is put around make(chan T, n) if the program only ever closes the channel.
func MadeToClose[C ~chan T, T any](c C) C {
	if hook.Active() && !hook.Unwinding() {
		s := sched.NewChan[T](cap(c))
		hook.Chans.OnlyClosed(s)
		hook.SetShadow(Key((chan T)(c)), s)
	}
	return c
}

// Outside is put around a channel that is passed to uncontrolled code.
func Outside[C any](c C) C {
	if p := *(*unsafe.Pointer)(unsafe.Pointer(&c)); p != nil && On() && !hook.Unwinding() {
		hook.KnowOutside(p)
	}
	return c
}

func made[T any](c chan T) {
	if hook.Active() && !hook.Unwinding() {
		hook.SetShadow(Key(c), sched.NewChan[T](cap(c)))
	}
}

// To returns the sending side of a channel.
func To[T any](c chan<- T) Sender[T] { return Sender[T](c) }

// ToAt is To of *p, which is read after the value is known.
func ToAt[C ~chan T | ~chan<- T, T any](p *C) SenderAt[C, T] { return SenderAt[C, T]{p} }

// SenderAt is a variable with a channel to send on.
type SenderAt[C ~chan T | ~chan<- T, T any] struct{ p *C }

// Send is *p <- v.
func (c SenderAt[C, T]) Send(v T) { To[T](access.ReadValue(c.p)).Send(v) }

// A Sender is a channel to send on.
type Sender[T any] chan<- T

// Send is c <- v.
func (c Sender[T]) Send(v T) {
	if hook.Controlled() {
		c.send(v)
		return
	}
	c <- v
}

func (c Sender[T]) send(v T) {
	if !hook.UsesAt(c.key()) {
		c <- v
		return
	}
	shadow[T](c.key()).Send(v)
}

func (c Sender[T]) key() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c)) }

// Elem returns v as an element of the channel.
func (c Sender[T]) Elem(v T) T { return v }

// Recv is <-c.
func Recv[T any](c <-chan T) T {
	if hook.Controlled() {
		v, _ := recv(c)
		return v
	}
	return <-c
}

// Recv2 is <-c with a second result.
func Recv2[T any](c <-chan T) (T, bool) {
	if hook.Controlled() {
		return recv(c)
	}
	v, ok := <-c
	return v, ok
}

func recv[T any](c <-chan T) (T, bool) {
	if !hook.UsesAt(Key(c)) {
		v, ok := <-c
		return v, ok
	}
	return shadow[T](Key(c)).Recv2()
}

// Received makes <-Received(c) the same as <-c. If c is under control, it receives, and returns
// a channel that has the result. It is used where the type of the second result is not bool.
func Received[T any](c <-chan T) <-chan T {
	if !On() {
		return c
	}
	return holding(recv(c))
}

// holding returns a channel from which v and ok are received.
func holding[T any](v T, ok bool) chan T {
	c := make(chan T, 1)
	if ok {
		c <- v
	} else {
		close(c)
	}
	return c
}

// Drop is <-c as a statement, and reports whether a value was sent. It is for the channels of
// timers: the program does not learn the time then.
func Drop[T any](c <-chan T) bool {
	if hook.Controlled() {
		return drop(c)
	}
	_, ok := <-c
	return ok
}

func drop[T any](c <-chan T) bool {
	if !hook.UsesAt(Key(c)) {
		_, ok := <-c
		return ok
	}
	return shadow[T](Key(c)).Drop()
}

// Ticks is the first receive of a loop over c that drops the received values, and [Tick] is
// every other one. They begin with an iteration, see [Turns], unless place is 0. The first
// result is c.
func Ticks[T any](c <-chan T, place uintptr, values ...any) (<-chan T, Loop, bool) {
	var l Loop
	if place != 0 {
		l = Turns(place, values...)
	}
	return c, l, Drop(c)
}

// Tick is a later receive: see [Ticks].
func Tick[T any](c <-chan T, l Loop, place uintptr, values ...any) bool {
	if place != 0 {
		l.Turn(place, values...)
	}
	return Drop(c)
}

// Range is the first receive of a loop over c; [Again] is every other one. The first result is
// c.
func Range[T any](c <-chan T) (<-chan T, T, bool) {
	v, ok := Recv2(c)
	return c, v, ok
}

// Again receives, and returns old when c is closed: then the loop variable keeps its value.
func Again[T any](c <-chan T, old T) (T, bool) {
	v, ok := Recv2(c)
	if !ok {
		return old, false
	}
	return v, true
}

// Close is close(c).
func Close[T any](c chan<- T) {
	if hook.Controlled() {
		closeIt(Sender[T](c))
		return
	}
	close(c)
}

func closeIt[T any](c Sender[T]) {
	switch {
	case !hook.UsesAt(c.key()):
		close(c)
	case hook.Unwinding(): // no goroutine is left that could notice
	default:
		shadow[T](c.key()).Close()
	}
}

// Len is len(c).
func Len[T any](c <-chan T) int {
	if hook.Controlled() {
		return length[T](Key(c), len(c))
	}
	return len(c)
}

// LenTo is Len of a channel that can only be sent on.
func LenTo[T any](c chan<- T) int {
	if hook.Controlled() {
		return length[T](Sender[T](c).key(), len(c))
	}
	return len(c)
}

// length returns the length of the channel at p. It is n if the calling goroutine is not
// controlled.
func length[T any](p unsafe.Pointer, n int) int {
	if !hook.Active() {
		return n
	}
	return shadow[T](p).Len()
}

// Cap is cap(c). The shadow of a timer's channel has another capacity than the channel.
func Cap[T any](c <-chan T) int {
	if hook.Controlled() {
		return capacity[T](Key(c), cap(c))
	}
	return cap(c)
}

// CapTo is Cap of a channel that can only be sent on.
func CapTo[T any](c chan<- T) int {
	if hook.Controlled() {
		return capacity[T](Sender[T](c).key(), cap(c))
	}
	return cap(c)
}

func capacity[T any](p unsafe.Pointer, n int) int {
	if !hook.Active() {
		return n
	}
	return shadow[T](p).Cap()
}
