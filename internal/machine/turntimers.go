package machine

// A loop of rewritten code may make a timer in every turn, which is of no use when the turn is
// over:
//
//	for !done() {
//		select {
//		case <-changed:
//		case <-time.After(d):
//		}
//	}
//
// Where states are told apart, the loop makes one such timer in all turns, and starts it again. The
// program cannot tell the difference: a timer that is started again sends nothing of what it was to
// send before. Otherwise each turn would leave something behind, and no state would be met again.

// turnTimer is such a timer, by the place of the call that makes it.
type turnTimer struct {
	place uintptr
	timer any
}

// TurnTimer returns the timer that g has made at that place of a loop in an earlier turn, nil if it
// is to make one.
func (g *Goroutine) TurnTimer(place uintptr) any {
	for i := range g.loop.timers {
		if g.loop.timers[i].place == place {
			return g.loop.timers[i].timer
		}
	}
	return nil
}

// KeepTimer keeps the timer that g has made at that place for the turns to come. It does not if
// states are not told apart, or if timers are as before Go 1.23: there they send what is outdated.
func (g *Goroutine) KeepTimer(place uintptr, timer any) {
	if g.M.Keyed && !AsyncTimers {
		g.loop.timers = append(g.loop.timers, turnTimer{place, timer})
	}
}

func (l *loop) forgetTimers() {
	clear(l.timers)
	l.timers = l.timers[:0]
}
