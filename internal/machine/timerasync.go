package machine

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
