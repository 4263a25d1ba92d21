// Package guarded has transition systems of guarded commands over a few shared
// variables, as data, and draws random ones. What a command touches depends on the
// state, and is honest: the variables that it has looked at and those that it sets.
// So many of the systems break the law of footprints (see trace.Program), and are
// what engines and trace.CheckLaws are tried on.
package guarded

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/sched/trace"
)

// System is a set of processes, each a line of commands. All variables are 0 at
// first, as is every process's own register.
type System struct {
	Kind      trace.Kind      // of all operations
	Footprint trace.Footprint // that all operations promise
	Fixed     bool            // those without a guard promise trace.FixedFootprint
	Vars      int
	Processes []Process
}

// Process is a line of commands.
type Process struct {
	// Parent is the process that starts this one with its first command, or -1 if it
	// is there from the start.
	Parent   int
	Commands []Command
}

// Command is one indivisible step: if all of its guards hold, looked at one after
// the other up to the first that does not, it does Then, else Else.
type Command struct {
	If         []Guard
	Then, Else []Action
	Skip       int  // commands left out after Then
	Alts       int  // alternatives; the one taken is added to what is set. 0 is 1
	Whole      bool // it is said to touch whatever it touches in any state
}

// Guard holds if a variable has a value.
type Guard struct{ Var, Value int }

// Action sets a variable, or the register if Var is Register, to a number or to the
// value of another variable.
type Action struct{ Var, From, Value int }

// Register is the process's own variable, and Number what an action takes a number
// from.
const (
	Register = -1
	Number   = -1
)

// values is how many values a variable has.
const values = 3

func (s *System) String() string {
	var b strings.Builder
	for i, p := range s.Processes {
		fmt.Fprintf(&b, "process %d", i)
		if p.Parent >= 0 {
			fmt.Fprintf(&b, ", started by the first command of %d", p.Parent)
		}
		b.WriteString(":\n")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, "\t%v\n", c)
		}
	}
	return b.String()
}

func (c Command) String() string {
	var b strings.Builder
	if c.Whole {
		b.WriteString("whole: ")
	}
	for _, g := range c.If {
		fmt.Fprintf(&b, "if v%d == %d ", g.Var, g.Value)
	}
	fmt.Fprint(&b, c.Then)
	if c.Skip > 0 {
		fmt.Fprintf(&b, " skip %d", c.Skip)
	}
	if len(c.Else) > 0 {
		fmt.Fprint(&b, " else ", c.Else)
	}
	if c.Alts > 1 {
		fmt.Fprintf(&b, " in %d ways", c.Alts)
	}
	return b.String()
}

func (a Action) String() string {
	target := "r"
	if a.Var != Register {
		target = fmt.Sprintf("v%d", a.Var)
	}
	if a.From == Number {
		return fmt.Sprintf("%s=%d", target, a.Value)
	}
	return fmt.Sprintf("%s=v%d", target, a.From)
}

// Start implements [trace.Program].
func (s *System) Start() trace.Run {
	r := &run{system: s, vars: make([]int, s.Vars), threads: make([]thread, len(s.Processes))}
	for i := range r.threads {
		r.threads[i].born = s.Processes[i].Parent < 0
	}
	return r
}

// run is an execution of a System.
type run struct {
	system  *System
	vars    []int
	threads []thread
	n       int
	ops     []*trace.Op
	event   trace.Event
	touched []trace.Access // scratch of touch
}

type thread struct {
	pc, r int
	born  bool
	order []int32 // of its next event
	op    trace.Op
}

// Pending implements [trace.Run].
func (r *run) Pending() []*trace.Op {
	r.ops = r.ops[:0]
	for i := range r.threads {
		t := &r.threads[i]
		if p := r.system.Processes[i]; t.born && t.pc < len(p.Commands) {
			c := &p.Commands[t.pc]
			t.op = trace.Op{G: trace.ID(i), Kind: r.system.Kind, Alts: int32(max(1, c.Alts)), Obj: -1, Footprint: r.system.Footprint, WaitsOnUses: true}
			if r.system.Fixed && len(c.If) == 0 {
				t.op.Footprint = trace.FixedFootprint
			}
			t.op.SetAccesses(r.footprint(c)...)
			r.ops = append(r.ops, &t.op)
		}
	}
	return r.ops
}

// footprint returns what command c touches.
func (r *run) footprint(c *Command) []trace.Access {
	r.touched = r.touched[:0]
	holds := true
	for _, g := range c.If {
		r.touch(g.Var, trace.ModeRead)
		if holds = holds && r.vars[g.Var] == g.Value; !holds && !c.Whole {
			break
		}
	}
	if holds || c.Whole {
		r.touchAll(c.Then)
	}
	if !holds || c.Whole {
		r.touchAll(c.Else)
	}
	return r.touched
}

func (r *run) touchAll(actions []Action) {
	for _, a := range actions {
		if a.From != Number {
			r.touch(a.From, trace.ModeRead)
		}
		if a.Var != Register {
			r.touch(a.Var, trace.ModeWrite)
		}
	}
}

// touch adds a use of a variable; a write takes the place of a read.
func (r *run) touch(v int, m trace.Mode) {
	for i := range r.touched {
		if a := &r.touched[i]; int(a.Obj) == 2*v {
			a.Mode = max(a.Mode, m)
			return
		}
	}
	r.touched = append(r.touched, trace.Access{Obj: int32(2 * v), Mode: m})
}

// Step implements [trace.Run].
func (r *run) Step(choice trace.Choice) (*trace.Event, error) {
	for _, op := range r.Pending() {
		if op.G == choice.G && choice.Alt >= 0 && choice.Alt < op.Alts {
			t := &r.threads[op.G]
			r.event = trace.Event{Op: *op, Alt: choice.Alt, Order: t.order}
			r.perform(t, int(op.G), int(choice.Alt))
			return &r.event, nil
		}
	}
	return nil, &trace.DivergenceError{Step: r.n, Want: fmt.Sprint(choice), Got: "that is not pending"}
}

func (r *run) perform(t *thread, i, alt int) {
	c := &r.system.Processes[i].Commands[t.pc]
	if t.pc == 0 {
		for k := range r.threads {
			if r.system.Processes[k].Parent == i {
				r.threads[k].born, r.threads[k].order = true, []int32{int32(r.n)}
			}
		}
	}
	t.pc, t.order = t.pc+1, nil
	r.n++
	for _, g := range c.If {
		if r.vars[g.Var] != g.Value {
			r.do(t, c.Else, alt)
			return
		}
	}
	r.do(t, c.Then, alt)
	t.pc += c.Skip
}

func (r *run) do(t *thread, actions []Action, alt int) {
	for _, a := range actions {
		v := a.Value
		if a.From != Number {
			v = r.vars[a.From]
		}
		v = (v + alt) % values
		if a.Var == Register {
			t.r = t.r*values + v
		} else {
			r.vars[a.Var] = v
		}
	}
}

// Replay implements [trace.Run].
func (r *run) Replay(s trace.Schedule) error {
	for _, c := range s {
		if _, err := r.Step(c); err != nil {
			return err
		}
	}
	return nil
}

// Len implements [trace.Run].
func (r *run) Len() int { return r.n }

// Outcome implements [trace.Run]: nothing is ever wrong.
func (r *run) Outcome() []trace.Failure { return nil }

// Close implements [trace.Run].
func (r *run) Close() {}

// AppendState appends the state, for comparison.
func (r *run) AppendState(b []byte) []byte {
	b = fmt.Append(b, r.vars)
	for i := range r.threads {
		b = fmt.Append(b, " ", r.threads[i].pc, ":", r.threads[i].r)
	}
	return b
}
