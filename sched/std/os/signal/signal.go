package signal

import (
	"os"
	"os/signal"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/std/context"
)

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() }

// Notify sends signals to c, or all signals if none are given.
func Notify(c chan<- os.Signal, sig ...os.Signal) {
	switch {
	case !controlled():
		signal.Notify(c, sig...)
	case !hook.Unwinding():
		native.SignalNotify(c, sig...)
	}
}

// Stop sends no more signals to c.
func Stop(c chan<- os.Signal) {
	switch {
	case !controlled():
		signal.Stop(c)
	case !hook.Unwinding():
		native.SignalStop(c)
	}
}

// Reset undoes Notify for signals, or for all signals if none are given.
func Reset(sig ...os.Signal) {
	switch {
	case !controlled():
		signal.Reset(sig...)
	case !hook.Unwinding():
		native.SignalReset(false, sig...)
	}
}

// Ignore makes signals have no effect, or all signals if none are given.
func Ignore(sig ...os.Signal) {
	switch {
	case !controlled():
		signal.Ignore(sig...)
	case !hook.Unwinding():
		native.SignalReset(true, sig...)
	}
}

// Ignored reports whether a signal has no effect.
func Ignored(sig os.Signal) bool {
	if !controlled() || hook.Unwinding() {
		return signal.Ignored(sig)
	}
	return native.SignalIgnored(sig) || signal.Ignored(sig)
}

// NotifyContext returns a context that is cancelled when one of the signals arrives, or stop is
// called.
func NotifyContext(parent context.Context, signals ...os.Signal) (ctx context.Context, stop context.CancelFunc) {
	if !controlled() || hook.Unwinding() {
		return signal.NotifyContext(parent, signals...)
	}
	inner, cancel := context.WithCancelCause(parent)
	c := &signalContext{Context: inner, signals: signals}
	ch := native.Made(make(chan os.Signal, 1))
	Notify(ch, signals...)
	if inner.Err() == nil {
		sched.Go(func() {
			come := native.From(ch)
			native.Select(come, native.From(inner.Done()))
			select {
			case s := <-come.Chan():
				cancel(cause(s))
			default:
			}
		})
	}
	return c, func() { cancel(nil); Stop(ch) }
}

// signalContext is a context of NotifyContext.
type signalContext struct {
	context.Context
	signals []os.Signal
}

// String describes the context.
func (c *signalContext) String() string {
	const suffix = ".WithCancel"
	name := c.Context.(interface{ String() string }).String()
	text := "signal.NotifyContext(" + name[:len(name)-len(suffix)]
	for i, s := range c.signals {
		separator := " "
		if i == 0 {
			separator = ", ["
		}
		text += separator + s.String()
	}
	if len(c.signals) > 0 {
		text += "]"
	}
	return text + ")"
}
