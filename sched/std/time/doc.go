// Package time takes the place of package time in rewritten code. Under control time is
// virtual, as in package sched. Timers and tickers that were made outside keep the real clock.
package time
