package explore

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// watch waits for the search and keeps an eye on it: on the limits of time, on
// whether it makes progress, on the line that is due every second.
func (s *Session) watch(done <-chan finished) (*report.Result, error) {
	var cancelled <-chan struct{}
	if s.Cfg.Limits.Ctx != nil {
		cancelled = s.Cfg.Limits.Ctx.Done()
	}
	select { // most searches are over before a timer is worth its while
	case out := <-done:
		return out.res, out.err
	case <-time.After(time.Millisecond):
	}
	begin := time.Now()
	tick := time.NewTicker(s.beat())
	defer tick.Stop()
	if s.Cfg.Limits.Memory > 0 {
		heap := NewHeapWatch(s.Cfg.Limits.Memory)
		s.Mu.Lock()
		s.heap = heap
		s.Mu.Unlock()
	}
	steps, moved := s.progress(), begin
	printed, reporter := begin, newReporter(s)
	defer reporter.Leave()
	for {
		select {
		case out := <-done:
			reporter.final()
			return out.res, out.err
		case <-cancelled:
			cancelled = nil
			s.cancel()
			s.interrupt(time.Since(begin))
		case <-reporter.interrupts:
			signal.Stop(reporter.interrupts) // the next one ends the process
			s.Hurry.Store(true)
			s.Halt(StopInterrupted)
			s.interrupt(time.Since(begin))
		case now := <-tick.C:
			s.Enforce(now.Sub(begin))
			late := s.Late(now.Sub(begin))
			if p := s.progress(); p != steps {
				steps, moved = p, now
				// It moves: it ends soon, where there is time.
				late = late && s.Overdue(now.Sub(begin))
			}
			if still := now.Sub(moved); still >= s.Cfg.Limits.Watchdog || late {
				if g := s.guard(); g != nil && g.Stuck() {
					s.giveUp(done)
					return nil, g.StuckError(still)
				}
				if stuck := stuckStacks(s.searcher.Load()); late || len(stuck) > 0 {
					s.giveUp(done)
					return nil, StuckError(s.FrontEnd(), still, late, stuck, s.realSockets())
				}
				moved = now // the engine is thinking
			}
			if now.Sub(printed) >= time.Second {
				printed = now
				reporter.line()
			}
			reporter.Tick(now)
		}
	}
}

// Late tells whether an execution that has still not ended is given up.
func (s *Session) Late(elapsed time.Duration) bool {
	return s.HardEnd > 0 && elapsed >= s.HardEnd
}

// Overdue tells whether it is given up even if it goes on: half of the time between HardEnd
// and the deadline is over. On a machine that is busy with other things a search sees late
// that it has to stop, and its last execution is not stuck for that.
func (s *Session) Overdue(elapsed time.Duration) bool {
	return elapsed >= s.HardEnd+(s.HardEnd-s.SoftEnd)/6
}

// giveUp leaves the searching goroutine to itself. Others that wait for its execution,
// which is stuck, may go on. Should it turn out that it is only slow it is to end: its engine
// may try other ways otherwise, beside the tests that come next.
func (s *Session) giveUp(done <-chan finished) {
	s.stop.Store(int32(StopAbandoned))
	s.Hurry.Store(true)
	if p := s.Watched.Load(); p != nil {
		if c, ok := (*p).(exec.Waiter); ok {
			c.Abandon()
		}
		go s.nag(done)
	}
}

// nag interrupts the program again and again until the search is over: it has to be where it can be
// interrupted, and engines let it go on for each other. Its execution is then unwound in its turn,
// and what that has deferred may be stuck as well: it has to give up its turn again.
func (s *Session) nag(done <-chan finished) {
	var since time.Time // when it was first seen in its turn
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		p := *s.Watched.Load()
		if c, ok := p.(trace.Interrupter); ok {
			c.Interrupt(true)
		}
		select {
		case <-done:
			return
		case <-time.After(pause):
		}
		c, ok := p.(exec.Waiter)
		switch {
		case !ok || c.Abandoned():
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= s.Cfg.Limits.Watchdog:
			c.Abandon()
		}
	}
}

// cancel stops the search because the context is done.
func (s *Session) cancel() {
	s.Hurry.Store(true)
	s.Halt(StopContext)
}

// cancelled says why the context is done.
func (s *Session) cancelled() string {
	return fmt.Sprintf("the context is done: %v", context.Cause(s.Cfg.Limits.Ctx))
}

// beat returns how often watch looks.
func (s *Session) beat() time.Duration {
	d := 100 * time.Millisecond
	for _, limit := range []time.Duration{s.Cfg.Limits.Watchdog, s.Cfg.Limits.Time, s.SoftEnd} {
		if limit > 0 {
			d = min(d, limit/4)
		}
	}
	return max(d, time.Millisecond)
}

// Enforce stops a search that has run for too long, or takes too much memory.
func (s *Session) Enforce(elapsed time.Duration) {
	if s.Sharing.Ending() {
		return
	}
	if s.SoftEnd > 0 && elapsed >= s.SoftEnd {
		s.Hurry.Store(true)
		s.Halt(StopDeadline)
	}
	elapsed -= s.waited() + s.uncounted()
	if s.Cfg.Limits.Time > 0 && elapsed >= s.Cfg.Limits.Time && (s.Sought.Load() || elapsed >= tuning.FirstTime) {
		s.Halt(StopTime)
	}
	switch full := s.tooMuchMemory(); {
	case full && s.Halted() == Running:
		s.Halt(StopMemory)
	case full:
		s.cram()
	}
	s.interrupt(elapsed)
}

// cram notes that executions of a report take too much memory, if there are any.
func (s *Session) cram() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if !s.due.IsZero() {
		s.Crammed.Store(true)
	}
}

// waited returns for how long the search has waited for others of this process with
// which it shares something.
func (s *Session) waited() time.Duration {
	if p := s.Watched.Load(); p != nil {
		if c, ok := (*p).(exec.Waiter); ok {
			return c.Waited()
		}
	}
	return 0
}

// awaitsFirst reports whether the search goes on after its time, for an execution that is complete.
func (s *Session) awaitsFirst() bool {
	return s.Executions.Load() == 0 && s.Halted() == StopTime && time.Since(s.Begun)-s.waited()-s.uncounted() < tuning.FirstTime
}

// interrupt ends a search that has to end, in the middle of an execution, and executions of
// a report that take too long.
func (s *Session) interrupt(elapsed time.Duration) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	switch {
	case !s.due.IsZero():
		if !s.hurried() && time.Now().Before(s.due) {
			return
		}
	case !s.searching || s.Halted() == Running:
		return
	case s.Executions.Load() == 0 && s.Halted() == StopTime && elapsed < tuning.FirstTime:
		return
	}
	if c, ok := (*s.Watched.Load()).(trace.Interrupter); ok {
		c.Interrupt(true)
	}
	for _, c := range s.Team {
		c.Interrupt(true)
	}
}

// progress returns a number that changes as long as the program performs
// operations, or executions if it does not say more.
func (s *Session) progress() int64 {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	n := int64(0)
	for _, c := range s.Team {
		n += c.Progress()
	}
	if p := s.Watched.Load(); p != nil {
		if c, ok := (*p).(trace.Watched); ok {
			return n + c.Progress()
		}
	}
	return n + s.Executions.Load() + s.blocked.Load()
}

// StuckError says that an execution is stuck outside control. Sockets are the real ones that the
// program uses.
func StuckError(from advice.FrontEnd, still time.Duration, late bool, stuck []stuckGoroutine, sockets []string) error {
	var b strings.Builder
	if late {
		b.WriteString("an execution was still running when the deadline of the test was near")
	} else {
		fmt.Fprintf(&b, "an execution has performed no operation for %v", still.Round(100*time.Millisecond))
	}
	b.WriteString(": " + stuckIn(stuck, sockets) + "\nIt is stuck in something that package sched does not control, or in a loop without operations. The search was given up; its goroutines cannot be ended and stay behind.\n")
	for _, g := range stuck {
		b.WriteString("\n" + format.Indent(g.text))
	}
	b.WriteString("\n" + remedies(from, stuck, sockets))
	return &report.StuckError{For: still, Text: b.String()}
}

// stuckIn says in one line where goroutines are stuck.
func stuckIn(stuck []stuckGoroutine, sockets []string) string {
	if i := slices.IndexFunc(stuck, func(g stuckGoroutine) bool { return g.network }); i >= 0 && len(sockets) > 0 {
		return "it waits in " + stuck[i].in + " for " + sockets[0]
	}
	switch len(stuck) {
	case 0:
		return "it is stuck"
	case 1:
		return "it is stuck in " + stuck[0].in
	}
	return fmt.Sprintf("it is stuck in %s, and %s more", stuck[0].in, format.Counted(int64(len(stuck)-1), "goroutine"))
}

// realSockets returns the real sockets that executions have used, with their places.
func (s *Session) realSockets() (sockets []string) {
	c, ok := (*s.Watched.Load()).(*exec.Closure)
	if !ok {
		return nil
	}
	c.Assumes(func(a exec.Assumption) bool {
		if a.Kind == sched.AssumeCode && (a.Is(hook.RealConn) || a.Is(hook.RealSocket)) {
			sockets = append(sockets, a.String())
		}
		return false
	})
	return sockets
}

// remedies says what to do about goroutines that are stuck.
func remedies(from advice.FrontEnd, stuck []stuckGoroutine, sockets []string) string {
	slow := ""
	if name := from.Name(advice.SettingWatchdog); name != "" {
		slow = "Raise the time with " + name + " if the code is only slow."
	}
	if !hook.Instrumented() {
		return "Use the primitives of package sched in place of the channel, lock, timer or call that waits there. " + slow
	}
	var b strings.Builder
	said := map[string]bool{}
	waits := slices.ContainsFunc(stuck, func(g stuckGoroutine) bool { return g.network })
	if waits && len(sockets) > 0 {
		fmt.Fprintf(&b, "The program uses a socket that is not in memory: %s. One reason is a server that was started before the test, by TestMain or for a variable of a package: start it in the test.",
			strings.Join(sockets, "; "))
		return b.String()
	}
	for _, g := range stuck {
		if said[g.pkg] {
			continue
		}
		said[g.pkg] = true
		if stack.IsRewritten(g.pkg) {
			fmt.Fprintf(&b, "Package %s is under control, so this is a loop without operations. ", g.pkg)
		} else {
			fmt.Fprintf(&b, "Package %s is not under control: keep out of the closure what waits there. ", g.pkg)
		}
	}
	return strings.TrimSpace(b.String() + slow)
}

// stuckGoroutine is a goroutine that is stuck: what it waits for and its stack, the package that it
// is in, and the function, with the line of a module's code from which it has come there.
type stuckGoroutine struct {
	text, pkg, in string
	network       bool // it waits for a real socket
}

// stuckStacks returns the user's part of the stacks of the controlled goroutines
// that the goroutine numbered searcher has started, directly or not, and that are
// not waiting for their turn or lending their stack to the engine.
func stuckStacks(searcher uint64) []stuckGoroutine {
	var out []stuckGoroutine
	all := stack.All()
	for _, g := range all {
		if !g.Has(stack.Controlled) || strings.HasPrefix(g.State, "coroutine") || g.Has(stack.Deciding) || !stack.Descends(all, g.ID, searcher) {
			continue
		}
		text := g.Waits() + ":\n    " + strings.Join(stack.UserFrames(g.Frames), "\n    ")
		out = append(out, stuckGoroutine{text, stack.UserPackage(g.Frames), stack.StuckCall(g.Frames), g.State == "IO wait"})
	}
	return out
}

// Margins divides the time that is left for a test: after soft the search stops,
// after hard the test fails even if an execution is still running.
func Margins(left time.Duration) (soft, hard time.Duration) {
	margin := min(left/4, 2*time.Second+left/20)
	return max(left-margin, time.Nanosecond), max(left-margin/4, time.Nanosecond)
}

// CutShort ends the session, in the middle of an execution.
func (s *Session) CutShort() {
	s.Halt(StopAbandoned)
	if c, ok := (*s.Watched.Load()).(trace.Interrupter); ok {
		c.Interrupt(true)
	}
}

// SetDeadline makes the session end in time for the deadline of t, if it has one.
func (s *Session) SetDeadline(t testing.TB) {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return
	}
	if end, ok := d.Deadline(); ok {
		s.SoftEnd, s.HardEnd = Margins(time.Until(end))
	}
}
