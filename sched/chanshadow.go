package sched

import "github.com/gopor/gopor/internal/machine"

// This file is for shadows of native channels (see [Shadow]).

// AdoptChan returns a channel with room for n values that the execution of the
// calling goroutine finds closed or not, and with those values in it. It is no
// event.
func AdoptChan[T any](n int, closed bool, values []T) *Chan[T] {
	c := &Chan[T]{cap: n}
	s := c.in(machine.Enter("AdoptChan"))
	for _, v := range values {
		s.Preset(s.Put(v))
	}
	s.Closed, s.Outside = closed, "was made"
	return c
}

func (c *Chan[T]) stateIn(g *machine.Goroutine) *machine.ChanState { return &c.in(g).ChanState }
