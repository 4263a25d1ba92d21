package sched

import (
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
)

// shadow is a channel of any type, which may stand for a native one.
type shadow interface {
	stateIn(g *machine.Goroutine) *machine.ChanState
	adopt(n int, values any, closed bool)
	sendCase(v any) Case
	recvCase(to func(v any, ok bool)) Case
}

func (c *Chan[T]) stateIn(g *machine.Goroutine) *machine.ChanState { return &c.in(g).ChanState }

func (c *Chan[T]) adopt(n int, values any, closed bool) {
	c.cap = n
	s := c.in(machine.Enter("Chan.Adopt"))
	typed, _ := values.([]T)
	for _, v := range typed {
		s.Preset(s.Put(v))
	}
	s.Closed, s.Outside = closed, "was made"
}

func (c *Chan[T]) sendCase(v any) Case {
	typed, _ := v.(T) // nil has no type
	return SendCase(c, typed)
}

func (c *Chan[T]) recvCase(to func(v any, ok bool)) Case {
	k := &untypedCase[T]{to: to}
	k.recvCase = recvCase[T]{c: c, v: &k.v, ok: &k.ok}
	return k
}

type untypedCase[T any] struct {
	recvCase[T]
	v  T
	ok bool
	to func(v any, ok bool)
}

func (k *untypedCase[T]) finish(g *machine.Goroutine, chosen bool) {
	k.recvCase.finish(g, chosen)
	if chosen {
		k.to(k.v, k.ok)
	}
}

// chans implements [hook.Chans].
type chans struct{}

func init() { hook.Chans = chans{} }

func (chans) State(c any, g *machine.Goroutine) *machine.ChanState {
	if c, ok := c.(shadow); ok {
		return c.stateIn(g)
	}
	return nil
}

func (chans) Adopt(c any, n int, values any, closed, timer bool) {
	c.(shadow).adopt(n, values, closed)
	if timer {
		c.(shadow).stateIn(machine.Enter("Chan.Adopt")).OutsideTimer = true
		Assume(AssumeCode, "a timer made outside of the execution")
	}
}

func (chans) OnlyClosed(c any) {
	g := machine.Enter("Chan.OnlyClosed")
	c.(shadow).stateIn(g).Signal = g.M.Keys == nil
}

func (chans) Call(c any, name string) {
	c.(shadow).stateIn(machine.Enter("Chan.Call")).Name = name
}

func (chans) SendCase(c, v any) any { return c.(shadow).sendCase(v) }

func (chans) RecvCase(c any, to func(v any, ok bool)) any { return c.(shadow).recvCase(to) }
