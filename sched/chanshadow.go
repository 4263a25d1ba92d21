package sched

import (
	"slices"
	"unsafe"
)

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

// KnowOutside says that something that is not under control has come to know the native
// channel at p, and may use it.
func KnowOutside(p unsafe.Pointer) {
	g := enter("KnowOutside")
	t := &g.m.shadows
	t.turn(g.m.epoch)
	if v := t.find(p); v != nil {
		if c, ok := (*v).(chanOfAny); ok && c.stateIn(g).outside == "" {
			c.stateIn(g).outside = "is known"
		}
	}
}

// ChanPlace returns what tells the channels apart that stand for native ones,
// given the address of one: the name of the goroutine that has made it, and how
// many things that goroutine had made before. It is the same in every execution
// in which that goroutine makes it. Of other channels it tells nothing.
func ChanPlace(p unsafe.Pointer) []int32 {
	g := enter("ChanPlace")
	t := &g.m.shadows
	t.turn(g.m.epoch)
	v := t.find(p)
	if v == nil {
		return nil
	}
	c, ok := (*v).(chanOfAny)
	if !ok {
		return nil
	}
	for _, by := range g.m.gs {
		if i := slices.Index(by.objects[:by.nobj], c.stateIn(g).id); i >= 0 {
			return append(g.m.path(by), int32(i))
		}
	}
	return nil
}

// chanOfAny is a channel of any type.
type chanOfAny interface{ stateIn(g *goroutine) *chanState }

func (c *Chan[T]) stateIn(g *goroutine) *chanState { return &c.in(g).chanState }

// Unwinding reports whether the calling goroutine runs the deferred calls that
// are left when its execution is over.
func Unwinding() bool {
	co := callers.find()
	return co != nil && co.m.closing
}
