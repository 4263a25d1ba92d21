package exec

import (
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// This file has what package por asks of a program beyond what package trace says, by type
// assertion. A program that wraps a [Closure] may pass on some of these abilities only.

// An Assuming is a program that knows what its executions take for granted.
type Assuming interface {
	// Assumptions returns what the executions so far take for granted.
	Assumptions() []Assumption
}

// A Recorder is a program that keeps the steps of its latest execution.
type Recorder interface {
	// Record returns the steps.
	Record() []Entry
}

// A Leaving is a run that tells what the execution has left behind, see [Options.Leaks].
type Leaving interface {
	// Remains returns what the latest execution has left behind.
	Remains() Remains
}

// A Waiter is a program whose executions may wait for those of other programs in this process.
// Its methods may be called from another goroutine.
type Waiter interface {
	// Waited returns for how long executions have waited for those of others.
	Waited() time.Duration
	// Abandon says that the live execution is stuck, so that no other one waits for it.
	Abandon()
	// Abandoned reports whether no execution of another program waits for this one.
	Abandoned() bool
}

// KeepPlaces lets a data race have positions when an execution is run three times: first the
// accesses are found out, then where they are, and then the calls that have led to the earlier one.
// That takes a small part of the time and the memory of [Options.Record].
func (c *Closure) KeepPlaces() { c.m.Memory.Places = true }

// ForgetLatest gives up what is kept of the latest execution, which is over: its accesses of
// memory, and its record.
func (c *Closure) ForgetLatest() {
	c.record.reset(c.opt.Record)
	c.m.Memory.Shadow.Clear()
}

// closure has what a Closure is.
type closure interface {
	trace.Program
	trace.Run
	trace.Driver
	trace.Coaster
	trace.Futile
	trace.Patient
	trace.Keyed
	trace.Changing
	trace.Spawning
	trace.Interrupter
	trace.Interruptible
	trace.Halter
	trace.Watched
	trace.Repeatable
	trace.Named
	Assuming
	Recorder
	Leaving
	Waiter
}

var _ closure = (*Closure)(nil)
