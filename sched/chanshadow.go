package sched

import (
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
)

// Adopt makes c, which is new, a channel with room for n values that the execution of
// the calling goroutine finds closed or not, and with those values in it. It is no
// event. It is for what stands for native channels.
func (c *Chan[T]) Adopt(n int, closed bool, values []T) *Chan[T] {
	c.cap = n
	s := c.in(machine.Enter("Chan.Adopt"))
	for _, v := range values {
		s.Preset(s.Put(v))
	}
	s.Closed, s.Outside = closed, "was made"
	return c
}

// OnlyClosed says that the program never sends on c, which is new: it only closes it. So receives
// commute. While states are named it changes nothing.
func (c *Chan[T]) OnlyClosed() {
	g := machine.Enter("Chan.OnlyClosed")
	c.in(g).Signal = g.M.Keys == nil
}

// AdoptTimer is Adopt for a channel of times, which is taken for that of a timer. What such a timer
// does is noted as an assumption.
func (c *Chan[T]) AdoptTimer(n int, values []T) *Chan[T] {
	c.Adopt(n, false, values)
	g := machine.Enter("Chan.AdoptTimer")
	c.stateIn(g).OutsideTimer = true
	Assume(AssumeCode, "a timer made outside of the execution")
	return c
}

// stateIn returns the state in the execution of g.
func (c *Chan[T]) stateIn(g *machine.Goroutine) *machine.ChanState { return &c.in(g).ChanState }

func init() {
	hook.ChanState = func(v any, g *machine.Goroutine) *machine.ChanState {
		if c, ok := v.(interface {
			stateIn(*machine.Goroutine) *machine.ChanState
		}); ok {
			return c.stateIn(g)
		}
		return nil
	}
}
