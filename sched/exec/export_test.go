package exec

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// SetExclusive does what [hook.Exclusive] does, or undoes it. No execution may go on.
func SetExclusive(on bool) {
	machine.Turns.Everyone.Store(on)
	machine.Turns.Taken.Store(on)
}

// Objects lists the objects of the execution that goes on: number and kind of each.
func (c *Closure) Objects() (ids []int32, kinds []string) {
	c.m.Store.Walk(func(o machine.Object) {
		ids, kinds = append(ids, o.Head().ID), append(kinds, o.Kind())
	})
	return ids, kinds
}

// Timeless is a closure that leaves the time out of the keys of its states.
type Timeless struct{ *Closure }

func (c Timeless) KeyStates(k *trace.Keying) error {
	err := c.Closure.KeyStates(k)
	if c.m.Keys != nil {
		c.m.Keys.OmitTime = true
	}
	return err
}

// SetInstrumented takes the program for one that was built by package instrument, unless how is "".
func SetInstrumented(how string) { instrumented = func() bool { return how != "" } }

// MayHold is as of progress.go.
var MayHold = mayHold

// Alone has no other execution go on beside those of c.
func (c *Closure) Alone() { c.present.Alone = true }

// Prompt lets all goroutines begin at once, in executions to come, or not.
func (c *Closure) Prompt(on bool) {
	c.starts.mistakes = 0
	if on {
		c.starts.mistakes = mostMistakes
	}
}

// Lateness reports whether goroutines were late in the execution, and how many executions were run
// again for that.
func (c *Closure) Lateness() (bool, int) { return c.starts.lateness, c.starts.mistakes }

// Coroutines ends the coroutines that wait for goroutines to run, and returns how many there were.
func (c *Closure) Coroutines() int {
	n := len(c.coroutines.idle)
	c.kill(&c.coroutines.idle)
	return n
}
