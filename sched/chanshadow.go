package sched

// This file is for shadows of native channels (see [Shadow]).

// AdoptChan returns a channel with room for n values that the execution of the
// calling goroutine finds closed or not, and with those values in it. It is no
// event.
func AdoptChan[T any](n int, closed bool, values []T) *Chan[T] {
	c := &Chan[T]{cap: n}
	s := c.in(enter("AdoptChan"))
	for _, v := range values {
		s.preset(s.put(v))
	}
	s.closed, s.outside = closed, "was made"
	return c
}

func (c *Chan[T]) stateIn(g *goroutine) *chanState { return &c.in(g).chanState }
