package por

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/sched"
)

// watch waits for the search and keeps an eye on it: on the limits of time, on
// whether it makes progress, on the line that is due every second.
func (s *session) watch(done <-chan finished) (*Result, error) {
	var cancelled <-chan struct{}
	if s.cfg.ctx != nil {
		cancelled = s.cfg.ctx.Done()
	}
	select { // most searches are over before a timer is worth its while
	case out := <-done:
		return out.res, out.err
	case <-time.After(time.Millisecond):
	}
	begin := time.Now()
	tick := time.NewTicker(s.beat())
	defer tick.Stop()
	steps, moved := s.progress(), begin
	printed, reporter := begin, newReporter(s)
	for {
		select {
		case out := <-done:
			reporter.final()
			return out.res, out.err
		case <-cancelled:
			cancelled = nil
			s.cancel()
			s.interrupt()
		case now := <-tick.C:
			s.enforce(now.Sub(begin))
			if p := s.progress(); p != steps {
				steps, moved = p, now
			}
			late := s.hardEnd > 0 && now.Sub(begin) >= s.hardEnd
			if still := now.Sub(moved); still >= s.cfg.watchdog || late {
				if g := s.guard(); g != nil && g.stuck() {
					s.giveUp()
					return nil, g.stuckError(still)
				}
				if stuck := stuckStacks(s.searcher.Load()); late || len(stuck) > 0 {
					s.giveUp()
					return nil, stuckError(still, late, stuck)
				}
				moved = now // the engine is thinking
			}
			if now.Sub(printed) >= time.Second {
				printed = now
				reporter.line()
			}
		}
	}
}

// giveUp leaves the searching goroutine to itself. Others that wait for its execution,
// which is stuck, may go on.
func (s *session) giveUp() {
	s.stop.Store(int32(stopAbandoned))
	s.hurry.Store(true)
	if p := s.watched.Load(); p != nil {
		if c, ok := (*p).(interface{ Abandon() }); ok {
			c.Abandon()
		}
	}
}

// cancel stops the search because the context is done.
func (s *session) cancel() {
	s.hurry.Store(true)
	s.halt(stopContext)
}

// cancelled says why the context is done.
func (s *session) cancelled() string {
	return fmt.Sprintf("the context is done: %v", context.Cause(s.cfg.ctx))
}

// beat returns how often watch looks.
func (s *session) beat() time.Duration {
	d := 100 * time.Millisecond
	for _, limit := range []time.Duration{s.cfg.watchdog, s.cfg.maxTime, s.softEnd} {
		if limit > 0 {
			d = min(d, limit/4)
		}
	}
	return max(d, time.Millisecond)
}

// enforce stops a search that has run for too long.
func (s *session) enforce(elapsed time.Duration) {
	if s.softEnd > 0 && elapsed >= s.softEnd {
		s.hurry.Store(true)
		s.halt(stopDeadline)
	}
	if s.cfg.maxTime > 0 && elapsed-s.waited() >= s.cfg.maxTime {
		s.halt(stopTime)
	}
	if s.halted() != running {
		s.interrupt()
	}
}

// waited returns for how long the search has waited for others of this process with
// which it shares something.
func (s *session) waited() time.Duration {
	if p := s.watched.Load(); p != nil {
		if c, ok := (*p).(interface{ Waited() time.Duration }); ok {
			return c.Waited()
		}
	}
	return 0
}

// interrupt ends a search that has to end, in the middle of an execution unless
// that is the first, and of that too if the context is done.
func (s *session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.searching || s.executions.Load() == 0 && s.halted() != stopContext {
		return
	}
	if c, ok := (*s.watched.Load()).(interrupter); ok {
		c.Interrupt(true)
	}
}

// interrupter is a program whose executions can be given up.
type interrupter interface{ Interrupt(bool) }

// progress returns a number that changes as long as the program performs
// operations, or executions if it does not say more.
func (s *session) progress() int64 {
	if p := s.watched.Load(); p != nil {
		if c, ok := (*p).(interface{ Progress() int64 }); ok {
			return c.Progress()
		}
	}
	return s.executions.Load() + s.blocked.Load()
}

// stuckError says that an execution is stuck outside control.
func stuckError(still time.Duration, late bool, stuck []stuckGoroutine) error {
	var b strings.Builder
	if late {
		b.WriteString("an execution was still running when the deadline of the test was near")
	} else {
		fmt.Fprintf(&b, "an execution has performed no operation for %v", still.Round(100*time.Millisecond))
	}
	b.WriteString(": it is stuck in something that package sched does not control, or in a loop without operations. The search was given up; its goroutines cannot be ended and stay behind.\n")
	for _, g := range stuck {
		b.WriteString("\n" + indent(g.text))
	}
	b.WriteString("\n" + advice(stuck))
	return fmt.Errorf("%s", b.String())
}

// advice says what to do about goroutines that are stuck.
func advice(stuck []stuckGoroutine) string {
	if !sched.Instrumented() {
		return "Use the primitives of package sched in place of the channel, lock, timer or call that waits there, or raise the time with por.Watchdog if the code is only slow."
	}
	var b strings.Builder
	said := map[string]bool{}
	for _, g := range stuck {
		if said[g.pkg] {
			continue
		}
		said[g.pkg] = true
		if isRewritten(g.pkg) {
			fmt.Fprintf(&b, "Package %s is under control, so this is a loop without operations. ", g.pkg)
		} else {
			fmt.Fprintf(&b, "Package %s is not under control: keep out of the closure what waits there. ", g.pkg)
		}
	}
	return b.String() + "Raise the time with por.Watchdog if the code is only slow."
}

// isRewritten reports whether a package of an instrumented binary is of a module,
// which the standard library is not.
func isRewritten(pkg string) bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != "" && (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/")) {
			return true
		}
	}
	return false
}

// coroutineFrame begins the frame at the bottom of every controlled goroutine.
const coroutineFrame = "github.com/gopor/gopor/sched.(*coroutine)."

// chooseFrame is on the stack of one on which the engine thinks.
const chooseFrame = "github.com/gopor/gopor/sched.(*Closure).choose("

// stuckGoroutine is a goroutine that is stuck: what it waits for and its stack, and
// the package that it is in.
type stuckGoroutine struct{ text, pkg string }

// stuckStacks returns the user's part of the stacks of the controlled goroutines
// that the goroutine numbered searcher has started, directly or not, and that are
// not waiting for their turn or lending their stack to the engine.
func stuckStacks(searcher uint64) []stuckGoroutine {
	parents := map[uint64]uint64{}
	type candidate struct {
		id    uint64
		state string
		stack string
	}
	var candidates []candidate
	for _, text := range strings.Split(allStacks(), "\n\n") {
		id, state, ok := stackHeading(text)
		if !ok {
			continue
		}
		if i := strings.LastIndex(text, " in goroutine "); i >= 0 {
			rest, _, _ := strings.Cut(text[i+len(" in goroutine "):], "\n")
			parents[id], _ = strconv.ParseUint(rest, 10, 64)
		}
		if strings.Contains(text, coroutineFrame) && !strings.HasPrefix(state, "coroutine") && !strings.Contains(text, chooseFrame) {
			candidates = append(candidates, candidate{id, state, text})
		}
	}
	var out []stuckGoroutine
	for _, c := range candidates {
		ancestor := c.id
		for range len(parents) {
			if ancestor == searcher || ancestor == 0 {
				break
			}
			ancestor = parents[ancestor]
		}
		if ancestor == searcher {
			text := c.state + ":\n    " + strings.Join(userFrames(c.stack), "\n    ")
			out = append(out, stuckGoroutine{text, userPackage(c.stack)})
		}
	}
	return out
}

// allStacks returns the stacks of all goroutines.
func allStacks() string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 1<<28 {
			return string(buf[:n])
		}
	}
}

// stackHeading reads the line "goroutine 7 [chan receive, 2 minutes]:".
func stackHeading(text string) (id uint64, state string, ok bool) {
	text, ok = strings.CutPrefix(text, "goroutine ")
	if !ok {
		return 0, "", false
	}
	number, rest, ok := strings.Cut(text, " ")
	if !ok {
		return 0, "", false
	}
	if _, state, ok = strings.Cut(rest, "["); !ok { // "gp=... m=... [state]" with some GOTRACEBACK
		return 0, "", false
	}
	state, _, _ = strings.Cut(state, "]")
	id, err := strconv.ParseUint(number, 10, 64)
	return id, state, err == nil
}

// goroutineNumber returns the runtime's number of the calling goroutine.
func goroutineNumber() uint64 {
	var buf [64]byte
	text := string(bytes.TrimSpace(buf[:runtime.Stack(buf[:], false)]))
	id, _, _ := stackHeading(text)
	return id
}
