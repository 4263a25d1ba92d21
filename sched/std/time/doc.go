// Package time is what rewritten code gets when it imports package time. Under
// control time is virtual, as in package sched; timers and tickers that were
// made outside stay those of the real clock.
package time
