package native

import (
	"os"
	"slices"
	"syscall"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// This file handles signals that a program sends to itself. An execution has handlers of its
// own, which the twin of package os/signal changes. The handlers at the moment of sending
// decide whether a signal is delivered. A goroutine delivers it, then or later. Signals from
// elsewhere are not modelled.

// signals has the handlers of an execution.
type signals struct {
	mu       sched.Mutex // guards the other fields
	handlers []*signalHandler
	ignored  []os.Signal
	pending  []sched.Handle // the goroutines that deliver signals
}

// signalHandler says which signals a channel receives.
type signalHandler struct {
	c     chan<- os.Signal
	all   bool
	wants []os.Signal
	// It still receives signals sent before Stop, which waits for their delivery.
	stopping bool
}

func (h *signalHandler) want(s os.Signal) bool { return h.all || slices.Contains(h.wants, s) }

var signalsPlace byte // its address stands for the signals of an execution

func signalsOfExecution() *signals {
	return hook.Shadow(unsafe.Pointer(&signalsPlace), func() any { return new(signals) }).(*signals)
}

// SignalNotify is signal.Notify of a controlled goroutine.
func SignalNotify(c chan<- os.Signal, list ...os.Signal) {
	if c == nil {
		panic("os/signal: Notify using nil channel")
	}
	s := signalsOfExecution()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.handlers, func(h *signalHandler) bool { return h.c == c && !h.stopping })
	if i < 0 {
		i = len(s.handlers)
		s.handlers = append(s.handlers, &signalHandler{c: c})
	}
	h := s.handlers[i]
	h.all = h.all || len(list) == 0
	h.wants = append(h.wants, list...)
	s.heed(list)
}

// heed stops ignoring signals, or all signals if the list is empty.
func (s *signals) heed(list []os.Signal) {
	s.ignored = slices.DeleteFunc(s.ignored, func(x os.Signal) bool { return len(list) == 0 || slices.Contains(list, x) })
}

// SignalStop is signal.Stop of a controlled goroutine.
func SignalStop(c chan<- os.Signal) {
	s := signalsOfExecution()
	s.mu.Lock()
	i := slices.IndexFunc(s.handlers, func(h *signalHandler) bool { return h.c == c && !h.stopping })
	if i < 0 {
		s.mu.Unlock()
		return
	}
	h := s.handlers[i]
	h.stopping = true
	pending := slices.Clone(s.pending)
	s.mu.Unlock()
	for _, d := range pending {
		d.Join()
	}
	s.mu.Lock()
	s.handlers = slices.DeleteFunc(s.handlers, func(x *signalHandler) bool { return x == h })
	s.mu.Unlock()
}

// SignalReset is signal.Reset of a controlled goroutine, or with ignore set signal.Ignore.
func SignalReset(ignore bool, list ...os.Signal) {
	s := signalsOfExecution()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(list) == 0 {
		s.handlers = nil
	}
	for _, h := range s.handlers {
		if h.all { // the list of signals is needed only here
			h.all, h.wants = false, knownSignals()
		}
		h.wants = slices.DeleteFunc(h.wants, func(x os.Signal) bool { return slices.Contains(list, x) })
	}
	s.heed(list)
	switch {
	case ignore && len(list) == 0:
		s.ignored = knownSignals()
	case ignore:
		s.ignored = append(s.ignored, list...)
	}
}

// SignalIgnored reports whether a controlled goroutine ignores the signal.
func SignalIgnored(sig os.Signal) bool {
	s := signalsOfExecution()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.ignored, sig)
}

// Signals does not send a signal that cannot be caught, either.
func (execution) Signals(pid int, signal any) bool {
	sig, ok := signal.(os.Signal)
	if !ok || pid != os.Getpid() || hook.Unwinding() || !hook.Active() || !caught(sig) {
		return false
	}
	s := signalsOfExecution()
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := slices.ContainsFunc(s.handlers, func(h *signalHandler) bool { return h.want(sig) && !h.stopping })
	switch {
	case slices.Contains(s.ignored, sig):
	case wanted:
		s.pending = append(s.pending, sched.Go(func() { s.deliver(sig) }))
	case endsProcess(sig):
		hook.Fatal("signal: " + sig.String() + ", which the program does not handle")
	}
	return true
}

// Kills returns f, which is syscall.Kill or the like. In an execution it returns a function
// that sends signals to this process under control.
func Kills[F any](f F, _ string) F {
	if !hook.Active() {
		return f
	}
	kill, ok := any(f).(func(int, syscall.Signal) error)
	if !ok {
		return f
	}
	return any(func(pid int, sig syscall.Signal) error {
		if (execution{}).Signals(pid, sig) {
			return nil
		}
		return kill(pid, sig)
	}).(F)
}

// deliver sends a signal to all channels that receive it.
func (s *signals) deliver(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.handlers {
		if h.want(sig) {
			Poll(Into(h.c, sig))
		}
	}
}
