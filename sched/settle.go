package sched

import "time"

// Settle waits until all other goroutines wait, in [TimeDiscrete], and lets the calling
// one know all that they have done: it is what Wait of package testing/synctest is. The
// clock moves on by a nanosecond.
func Settle() {
	g := enter("Settle")
	g.sleep(time.Nanosecond)
	m := g.m
	if m.mm == nil {
		return
	}
	for _, h := range m.gs {
		if h != g {
			m.mm.local(g, h)
		}
	}
}
