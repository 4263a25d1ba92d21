package exec

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about executions that are run once more, and about engines that ask
// for what there is not, or panic.

// Again runs the execution, which has to be over, once more along its schedule, and
// leaves it where it was: at its end. The holder of the Run sees no difference, but
// events have to be looked at before. The error is a [*trace.DivergenceError] if the
// closure does anything else than before, [trace.ErrClosed] if the Run is closed, and
// [trace.ErrInterrupted] if the execution, or its second run, was interrupted.
// Their outcomes are for the caller to compare.
func (c *Closure) Again() error {
	switch {
	case !c.life.live:
		return trace.ErrClosed
	case c.err != nil: // there is no telling what it would have done
		return c.err
	}
	over := len(c.Pending()) == 0
	s := c.performed()
	c.Close()
	c.Start()
	if err := c.Replay(s); err != nil {
		return err
	}
	if p := c.Pending(); over && len(p) > 0 {
		c.err = c.m.Diverged("the end of the execution", c.m.NameOf(c.m.Goroutines[p[0].G])+" is about to "+p[0].Kind.String())
	}
	return c.err
}

// performed returns the schedule of the execution so far.
func (c *Closure) performed() trace.Schedule {
	s := make(trace.Schedule, c.m.Events.Count)
	for i := range s {
		s[i] = c.trail.marks[i].Choice
	}
	return s
}

// ownArg returns what is asked for by a request that is made to no object: how many alternatives,
// for how long, the end of which goroutine, of which channels.
func ownArg(g *machine.Goroutine) uint64 {
	switch g.Op.Kind {
	case trace.OpChoose, trace.OpSleep, trace.OpJoin:
		return g.Req.Arg
	case trace.OpSelect:
		const prime = 1099511628211 // of FNV-1a
		sum := g.Req.Arg
		for i := range g.Req.Cases {
			k := &g.Req.Cases[i]
			id := uint64(0)
			if k.Ch != nil {
				id = uint64(k.Ch.ID)<<1 + 2
				if k.Send {
					id++
				}
			}
			sum = (sum ^ id) * prime
		}
		return sum
	}
	return 0
}

// otherwise says that an event was not what it was before.
func (c *Closure) otherwise(was, is mark) error {
	want, got := c.describeMark(was), c.describeMark(is)
	if want == got {
		got += " of something else"
	}
	return c.m.Diverged(want, got)
}

func (c *Closure) describeMark(mk mark) string {
	text := c.m.NameOf(c.m.Goroutines[mk.G]) + " to " + mk.kind.String()
	switch {
	case mk.obj >= 0:
		text += fmt.Sprintf(" (object %d)", mk.obj)
	case mk.kind == trace.OpChoose:
		text += fmt.Sprintf(" one of %d", mk.arg)
	case mk.kind == trace.OpSleep:
		text += fmt.Sprintf(" for %v", time.Duration(mk.arg))
	case mk.kind == trace.OpJoin:
		text += " " + c.m.NameOf(c.m.Goroutines[mk.arg])
	}
	return text
}

// lookAgain runs an execution once more that was the first to use plain memory
// after the search for data races had been given up for lack of any. All before it
// used none, so they had no race; Start sees to all that follow.
func (c *Closure) lookAgain() {
	var d *trace.DivergenceError
	if err := c.Again(); errors.As(err, &d) {
		c.m.FailFatal(nil, "the closure is not deterministic: when the execution was run once more, it "+d.Error(), "")
	}
}

// misfit returns the error for a choice that cannot be made. One that was replayed
// is the program's doing; another one is that of the engine.
func (c *Closure) misfit(choice trace.Choice, err error) error {
	d, ok := err.(*trace.DivergenceError)
	if !ok || !c.m.Events.Described {
		return err
	}
	return &trace.ChoiceError{Choice: choice, After: c.performed(), DivergenceError: *d}
}

// ask asks decide for a choice. What it panics with is kept for the goroutine that
// drives, and the execution stopped: on this stack the panic would become the
// program's.
func (c *Closure) ask(ev *trace.Event) (choice trace.Choice, ok bool) {
	choice.G = undecided
	defer func() {
		if choice.G == undecided {
			c.broken = &trace.DecidePanic{Value: recover(), Stack: debug.Stack()}
			c.err, ok = errBroken, false
		}
	}()
	return c.course.decide(ev)
}

// undecided stands for the goroutine of a choice while it is made.
const undecided trace.ID = -1 << 31

var errBroken = errors.New("sched: the engine panicked in making a choice")

// raise goes on with the panic, or the Goexit.
func raise(p *trace.DecidePanic) {
	if p.Value == nil {
		runtime.Goexit()
	}
	panic(p)
}
