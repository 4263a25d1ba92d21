package machine

// A timer with a channel sends in two steps, as in package time since Go 1.23: it ceases to run,
// and then it sends under a lock. A Stop or Reset in between keeps it from sending and returns
// true. So does every further one until the sender has taken notice: with ModelTimer there is such
// an alternative.

// sendsInSteps reports whether t is such a timer. A ticker never ceases to run.
func (t *TimerState) sendsInSteps() bool { return t.Ch != nil && t.Period == 0 && !AsyncTimers }

// maySend reports whether t, which does not run, may still be about to send what an
// earlier Stop or Reset has kept it from.
func (t *TimerState) maySend() bool {
	return t.caught && !t.armed && len(t.Ch.buf) == 0
}

// catch notes whether g, which stops or resets t, may have come while t was sending.
func (t *TimerState) catch(g *Goroutine, alt int32) {
	g.Reply.Val = 0
	switch {
	case t.maySend() && alt == 0: // it has taken notice
		t.caught = false
		if g.M.Model&ModelTimer == 0 {
			g.Reply.Val = 1
		}
	case t.sendsInSteps() && t.armed && t.g.State == stateReady && !t.skip:
		t.caught = true
	}
}

// AsyncTimers says that channels of timers and tickers are as before Go 1.23, or with
// GODEBUG=asynctimerchan=1. They have a buffer, and the time in it stays there when the timer is
// stopped or reset.
var AsyncTimers bool

// outdated takes out of the channel the time that t has sent and no goroutine has received, as t is
// stopped or started again. It reports whether there was one: then t has not fired, as far as the
// program can tell.
func (t *TimerState) outdated() bool {
	if AsyncTimers || t.Ch == nil || len(t.Ch.buf) == 0 {
		return false
	}
	t.Ch.passed -= int32(len(t.Ch.buf))
	t.Ch.buf = t.Ch.buf[:0]
	return true
}
