package sched

import (
	"github.com/gopor/gopor/internal/machine"
)

// This file is for package reflect, to which a channel's type is a value.

// SendCase is the case of sending v.
func (c *Chan[T]) SendCase(v any) Case {
	typed, _ := v.(T) // nil has no type
	return SendCase(c, typed)
}

// RecvCase is the case of receiving, which calls to with what it has received.
func (c *Chan[T]) RecvCase(to func(v any, ok bool)) Case {
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
