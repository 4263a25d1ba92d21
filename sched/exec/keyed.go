package exec

import (
	"errors"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// KeyStates implements [trace.Keyed]. The states of a closure can be named in discrete time, as
// long as it uses primitives of package sched, and sockets of package network. The key of a state
// says what it has met beyond that, such as a fault of a connection.
func (c *Closure) KeyStates(k *trace.Keying) (err error) {
	if c.life.live {
		return errors.New("sched: KeyStates while an execution goes on")
	}
	if c.m.Keys = nil; k == nil {
		return nil
	}
	c.m.Keys, err = machine.NewKeys(c.m, *k)
	return err
}

// AppendKey implements [trace.Keyed].
func (c *Closure) AppendKey(b []byte) ([]byte, error) {
	if c.m.Keys == nil || !c.life.live {
		return b, errors.New("sched: AppendKey without KeyStates, or of no execution")
	}
	c.Pending() // there may be none but for the limit of steps
	end := byte(0)
	if c.life.stopped {
		end = 1
	}
	b, err := c.m.Keys.AppendKey(append(b, end), c.life.stopped)
	if trace.IsUnkeyed(err) {
		c.m.Keyed = false
	}
	return b, err
}

// Keyed reports whether executions go as [Options.Keyed] has it: it was set, or states were told
// apart, and all of them had names.
func (c *Closure) Keyed() bool { return c.m.Keyed }

// ObjectName implements [trace.Keyed].
func (c *Closure) ObjectName(obj int32) int32 { return c.m.Keys.ObjectName(obj) }

// SameObject implements [trace.Keyed].
func (c *Closure) SameObject(a, b int32) bool { return c.m.Keys.SameObject(a, b) }

// Patience implements [trace.Patient]. Time may pass in discrete time, where all goroutines that
// can go on have called [sched.Loop].
func (c *Closure) Patience() (trace.Patience, trace.Choice) {
	if !c.life.live || c.err != nil || !c.life.begun || c.life.stopped {
		return trace.Impatient, trace.Choice{}
	}
	return c.m.Patience(), machine.ClockChoice
}
