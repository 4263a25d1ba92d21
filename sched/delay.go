package sched

import (
	"time"

	"github.com/gopor/gopor/internal/machine"
)

// Delay is by how much an execution in [TimeLag] has had code late, at the most.
type Delay struct {
	By time.Duration
	// Name is the goroutine that was late, and File and Line are where, if the execution
	// was recorded.
	Name, File string
	Line       int
}

// Delay returns by how much the execution has had code late up to its event of that
// number, at the most: a goroutine could have gone on at some moment, and time came to a
// later one before it did. It is zero in other modes of time.
func (c *Closure) Delay(step int) (d Delay) {
	if c.m.Time != TimeLag {
		return d
	}
	var late machine.Delay
	for _, l := range c.m.Delays() {
		if int(l.Event) <= step {
			late = l
		}
	}
	if late.G == nil {
		return d
	}
	d.By, d.Name = late.By, c.m.NameOf(late.G)
	if late.PC != 0 {
		d.File, d.Line, _ = machine.Place(late.PC)
	}
	return d
}

// SetLag changes how far the clock may be ahead in executions to come, see [Options.Lag].
func (c *Closure) SetLag(d time.Duration) { c.m.Lag = int64(d) }
