package exec

import (
	"fmt"
	"slices"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file says what is wrong with an execution that is over.

// Outcome implements [trace.Run]. The harness is asked once, when the execution is
// over. If that is the first to use plain memory, it is run once more, now with an
// eye on data races (see [Closure.Again]). If that is interrupted the execution is, which
// has no outcome.
func (c *Closure) Outcome() []trace.Failure {
	if c.life.live && !c.life.judged && len(c.Pending()) == 0 {
		if c.m.Memory.Missed {
			if c.lookAgain(); c.Interrupted() {
				return nil
			}
		}
		c.endless.livelock, c.endless.starved = nil, ""
		if c.life.stopped {
			if c.endless.starved = c.unfair(); c.endless.starved == "" {
				c.lookForLivelock()
			}
		}
		c.life.judged = true
		if c.judge(); len(c.m.Failures) > 0 {
			c.withinLag()
		}
	}
	return c.m.Failures
}

// judge adds the failures that show at the end of an execution.
func (c *Closure) judge() {
	if c.opt.Probe != nil {
		c.m.Failures = append(c.m.Failures, c.opt.Probe()...)
	}
	if c.life.stopped {
		c.overrun()
		return
	}
	if c.err != nil || slices.ContainsFunc(c.m.Failures, func(f trace.Failure) bool { return f.Kind != trace.FailRace }) {
		return // goroutines may wait because of that; after a race all have gone on
	}
	switch {
	case c.m.Polling.Futile:
	case len(c.m.Awaiting()) > 0 && !c.pollersLeak():
		c.awaitForEver()
	default:
		c.leftBehind() // goroutines that poll wait as well
	}
}

// awaitForEver adds the failure of an execution in which goroutines await what will never come.
func (c *Closure) awaitForEver() {
	names, polling := c.awaiting()
	c.m.Fail(trace.Failure{
		Kind:  trace.FailSteps,
		Msg:   "no other goroutine can go on: a livelock: the same again and again, and nothing new, by " + format.Several(names),
		Waits: &trace.Waits{Goroutines: polling},
	}, nil)
}

// leftBehind adds the failure of an execution that has left goroutines behind, or in which all
// wait. The endless ones have not waited, but have done the same again and again up to the limit of
// steps.
func (c *Closure) leftBehind(endless ...string) {
	over := c.m.Goroutines[machine.MainID].State == machine.StateEnded
	var left []*machine.Goroutine
	for _, g := range c.m.Goroutines {
		if g.State == machine.StateWaiting && !g.Pseudo && !(over && stands(g)) {
			left = append(left, g)
		}
	}
	if len(left)+len(endless) > 0 {
		c.behind(left, endless, over)
	}
}

// behind is leftBehind, where these are left. Most executions leave none.
func (c *Closure) behind(left []*machine.Goroutine, endless []string, over bool) {
	main := c.m.Goroutines[machine.MainID]
	waits := &trace.Waits{Endless: endless}
	for _, g := range left {
		waits.Goroutines = append(waits.Goroutines, c.m.WaitOf(g))
		waits.Outside = c.m.Outsiders(g, waits.Outside)
	}
	switch {
	case over && !c.opt.AllowLeaks && c.opt.Leaks != nil:
		c.remain()
	case !over:
		text := "all goroutines wait"
		if h, ok := c.m.Hang(); ok {
			waits.Hang, waits.Note = c.hang(main, &h), c.limitOfClock()
			text = waits.Hang.String()
		} else if c.m.BubbleStands() {
			waits.Note = "in a bubble of testing/synctest time does not move on while a goroutine waits for a lock or the network"
		}
		c.m.Fail(trace.Failure{Kind: trace.FailDeadlock, Msg: text, Waits: waits}, main)
	case !c.opt.AllowLeaks:
		if c.m.Clock.Late == machine.MostLate {
			waits.Note = fmt.Sprintf("time has moved on %d times since main has ended", machine.MostLate)
		}
		c.m.FailLeak(left, waits)
	}
}

// awaiting returns the goroutines that poll for ever while no other one can go on, by name, and
// what they poll.
func (c *Closure) awaiting() (names []string, polling []trace.Wait) {
	for _, g := range c.m.Awaiting() {
		w := c.m.WaitOf(g)
		w.At = trace.Position{}
		names, polling = append(names, w.Name), append(polling, w)
	}
	slices.SortFunc(names, format.MainFirst)
	return names, polling
}

// pollersLeak reports whether goroutines that poll for ever now are left behind.
func (c *Closure) pollersLeak() bool {
	return c.opt.PollersLeak && c.m.Goroutines[machine.MainID].State == machine.StateEnded
}

// Futile implements [trace.Futile]: a goroutine would go on that was kept waiting after a look that
// was made too early (see [Options.Awaits]), and nothing is wrong up to there.
func (c *Closure) Futile() bool { return c.m.Polling.Futile && len(c.Outcome()) == 0 }

// Timely returns the schedule of the execution, which is [Closure.Futile], without the looks that
// were made too early. It is a schedule as far as its choices are pending: the clock may have asked
// goroutines to look that are about to look by themselves now.
func (c *Closure) Timely() trace.Schedule {
	early := make(map[trace.ID]int32) // of which goroutines, and after how many of their events
	for _, g := range c.m.Polling.Awaiting {
		early[g.ID] = g.LooksSince()
	}
	if g := c.m.Polling.Asked; g != nil {
		early[g.ID] = g.LooksSince()
	}
	performed := make(map[trace.ID]int32)
	return slices.DeleteFunc(c.performed(), func(choice trace.Choice) bool {
		from, looks := early[choice.G]
		performed[choice.G]++
		return looks && performed[choice.G] > from
	})
}

// Loops reports whether [sched.Loop] was called in any execution so far with [Options.Awaits] set,
// or a loop of rewritten code has said where its turns begin while [Closure.Keyed].
func (c *Closure) Loops() bool { return c.m.Polling.Loops }

// Crossed reports whether in any execution so far a goroutine has performed operations while it
// held a lock inside the standard library that is no operation itself, see [sched.ModelLock].
// Executions are not determined by their schedules then, if others come to that lock.
func (c *Closure) Crossed() bool { return c.m.Outside.Crossed }

// Needless reports whether in any execution so far a race was found that need not be reversed, see
// [Options.Needless].
func (c *Closure) Needless() bool { return c.m.Events.Needless }

// Missed reports whether in the execution a Get of a Pool has returned nil, though something was
// there that another goroutine had put. That needs Pools of each goroutine's own.
func (c *Closure) Missed() bool { return c.m.Met(machine.MetNone) }

// overrun adds the failure of an execution that is too long. Under a schedule
// that keeps a goroutine from going on, a loop that waits for it does not end, and
// that says nothing about the program.
func (c *Closure) overrun() {
	longer := "the execution is longer than " + format.Counted(int64(c.opt.MaxSteps), "steps")
	fail := func(kind trace.FailureKind, text string) {
		c.m.Fail(trace.Failure{Kind: kind, Msg: longer + text}, nil)
	}
	switch {
	case c.endless.starved != "":
		fail(trace.FailStarved, ", and "+c.endless.starved)
	case len(c.endless.livelock) > 0 && c.pollersLeak():
		c.leftBehind(c.endless.livelock...)
	case len(c.endless.livelock) > 0:
		fail(trace.FailSteps, ": a livelock: the same again and again, and nothing new, by "+format.Several(c.endless.livelock))
	default:
		fail(trace.FailLong, ", and goes on with something new: it is too long to explore, or does not end; por.MaxSteps raises the limit")
	}
}

// unfair says why the schedule of an execution that is too long is unfair, "" if it is not.
func (c *Closure) unfair() string {
	n := c.m.Events.Count
	for _, op := range c.m.Pending() {
		moves := func(mk mark) bool { return mk.G == op.G }
		if !slices.ContainsFunc(c.trail.marks[n/2:n], moves) {
			return c.m.NameOf(c.m.Goroutines[op.G]) + " could go on but was kept from it for the later half of them"
		}
	}
	if c.m.Model&machine.ModelUnfair != 0 && !c.regular() {
		return "not every goroutine has moved all the time"
	}
	return ""
}

// regular reports whether every goroutine that has moved in the last quarter of a long
// execution has done so in the others too. Where nothing is fair, a loop may be
// kept polling for nearly as long as the execution is.
func (c *Closure) regular() bool {
	movers := make(map[trace.ID]int) // in how many of the latest quarters
	n := c.m.Events.Count
	for i := range 4 {
		for _, mk := range c.trail.marks[(3-i)*n/4 : (4-i)*n/4] {
			if movers[mk.G] == i {
				movers[mk.G]++
			}
		}
	}
	for _, quarters := range movers {
		if quarters > 0 && quarters < 4 {
			return false
		}
	}
	return true
}
