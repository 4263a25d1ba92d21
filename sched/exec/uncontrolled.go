package exec

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file notices uncontrolled goroutines, such as those of a server of the
// standard library's, which use what an execution uses while that goes on: memory,
// locks, channels. What they do is no part of the execution, so its search is not
// exhaustive.
//
// They leave word in a table of a fixed size. An execution that is over looks whether
// any of it was its business. Where the table was full it is taken to have been. Nothing
// is left while no execution goes on.

// judgeOutsiders notes what outsiders did that was the business of the execution, which
// is over. What they have changed of variables that are kept is left as it is.
func (c *Closure) judgeOutsiders() {
	if machine.Outsiders.Uses.Load() == 0 {
		return
	}
	for i := range machine.Outsiders.Table {
		u := machine.Outsiders.Table[i].Load()
		if u == nil {
			continue
		}
		kept := false
		if u.Wrote.Load() {
			kept = c.kept.release(u.P)
		} else {
			kept = c.kept.holds(u.P)
		}
		if !kept && !c.used(u) {
			continue
		}
		c.noteOutsider(u)
	}
	if machine.Outsiders.Lost.Load() != 0 {
		c.noteOutsider(new(machine.OutsiderUse))
	}
}

// meetOutsider is called for memory that main uses when it is alone, which is not
// remembered.
func (c *Closure) meetOutsider(p unsafe.Pointer, kind trace.Kind) {
	switch u := machine.OutsiderAt(p); {
	case u == nil:
	case kind == trace.OpRead && !u.Wrote.Load():
		u.Met.Store(true) // an outsider may write it yet
	default:
		c.noteOutsider(u)
	}
}

func (c *Closure) noteOutsider(u *machine.OutsiderUse) {
	if reporting(u.Pcs[:u.N]) {
		return
	}
	a := Assumption{Kind: sched.AssumeCode, What: outsiderMet}
	for _, pc := range u.Pcs[:u.N] {
		if c.record.placing(pc) == callUser {
			a.File, a.Line, _ = format.Place(pc)
			break
		}
	}
	c.assumed.note(a)
}

// reporting reports whether a stack is that of the goroutine which shows how far the search is. It
// asks for Ctrl-C by package os/signal, of which an execution may be said to use variables as well,
// and nothing of the program's depends on that.
func reporting(pcs []uintptr) bool {
	for frames, more := runtime.CallersFrames(pcs), len(pcs) > 0; more; {
		var f runtime.Frame
		if f, more = frames.Next(); stack.RoleOf(f.Function) == stack.Reporting {
			return true
		}
	}
	return false
}

// used reports whether the execution has used what an outsider did. Of memory that both have only
// read nothing depends.
func (c *Closure) used(u *machine.OutsiderUse) bool {
	if u.Primitive {
		return c.m.LeadsTo(u.P)
	}
	wrote := u.Wrote.Load()
	return c.m.ShadowOf(u.P) != nil || wrote && u.Met.Load() || c.m.Used(u.P, !wrote)
}

// prepare is called when an execution begins: what it may change is copied before the
// first one.
func (c *Closure) prepare() {
	knowZone()
	c.copyVariables()
	c.flows.begin(c.m.Executions())
	c.m.Watch(c.flows.on || c.kept != nil && c.kept.pages != nil || c.endless.novelty != nil)
	c.present.Open()
}

// knowZone has package time find out the local zone, which it does once: in the first execution
// that would be an event that no other one has.
var knowZone = sync.OnceFunc(func() { _ = time.Local.String() })

// copyVariables copies what executions may change, once.
func (c *Closure) copyVariables() {
	// There may be variables: see hook.KeepVariable.
	if c.kept == nil && machine.Turns.Everyone.Load() {
		c.kept = newKeeper()
	}
}

// Prepare does, while no execution of the Closure goes on, what the first one would begin with: it
// copies what the variables at package level lead to. That may take seconds, which are not the
// execution's.
func (c *Closure) Prepare() {
	if c.life.live || c.kept != nil || !machine.Turns.Everyone.Load() {
		return
	}
	c.present.Enter(c.m.Epoch)
	c.copyVariables()
	c.present.Leave()
}

// settle puts back what is looked at now and then only, when no execution goes on.
func (c *Closure) settle() {
	c.present.Enter(c.m.Epoch)
	c.kept.restoreAll(&c.assumed)
	c.present.Leave()
}

// putBack is called when an execution is over: it puts back what that has left behind.
func (c *Closure) putBack() {
	c.judgeOutsiders()
	c.judgeBeside()
	c.present.Shut()
	if undo := c.m.Outside.Undo; undo != nil {
		c.m.Outside.Undo = nil
		undo()
	}
	c.putBackFiles()
	if c.kept != nil {
		c.kept.restore(&c.assumed)
		if c.m.Outside.ParallelTest && c.kept.changed != "" {
			c.m.Outside.ParallelTest = false // which the next execution says again
			c.assumed.note(Assumption{Kind: sched.AssumeVariable, What: hook.SharedByTests + c.kept.changed})
		}
	}
}

// putBackFiles puts back the files that the execution has changed.
func (c *Closure) putBackFiles() {
	if c.m.Outside.Files == nil {
		return
	}
	if err := c.m.Outside.Files.PutBack(); err != nil {
		c.assumed.note(Assumption{Kind: sched.AssumeVariable, What: hook.LastingFile + err.Error()})
	}
}

// closeFiles is called when there are no more executions.
func (c *Closure) closeFiles() {
	if c.m.Outside.Files != nil {
		c.m.Outside.Files.Close()
		c.m.Outside.Files = nil
	}
}
