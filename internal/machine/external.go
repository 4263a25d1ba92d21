package machine

import (
	"strings"

	"github.com/gopor/gopor/sched/trace"
)

// This file is about what is outside the program, where to look at it and to change it are
// operations: what the standard library keeps, and the file system.

// External stands for something of that kind.
type External struct{ k Key[external] }

// external is a number. Its operations do not order goroutines: where the library orders them, its
// own synchronisation says so.
type external struct {
	cell
	label string // what reports call it, "" for its kind and a number
}

// Label returns what reports call it.
func (c *external) Label() string { return c.label }

// ExternalUse is the use of something. What is a word for it, and another one, with a dot between.
type ExternalUse struct {
	Of      *External
	What    string
	Label   string // what reports call it, "" for its kind and a number
	Changes bool
}

// besides is what an operation uses beside its object.
type besides struct {
	changed, seen []*external
}

// UseExternals looks at what is outside, and changes some of it, in one operation; if the first use
// changes nothing, none may. With is shown in a recorded execution, unless it is empty.
func UseExternals(uses []ExternalUse, with string) {
	g := Enter(uses[0].What)
	var also besides
	for _, u := range uses[1:] {
		if c := u.meet(g.M); u.Changes {
			also.changed = append(also.changed, c)
		} else {
			also.seen = append(also.seen, c)
		}
	}
	kind := trace.OpLoad
	if uses[0].Changes {
		kind = trace.OpStore
	}
	// No other operation leaves this value behind.
	g.AskValues(kind, uses[0].meet(g.M), uint64(g.seq)<<16|uint64(g.ID)+1, &also, nil)
	if g.M.Record {
		g.InLibrary().external = note{g.seq, with}
		if with != "" {
			g.M.Exec.Value(g, with)
		}
	}
}

// ForgetExternal is for a goroutine that begins another use of what is outside.
func ForgetExternal() {
	if co := Callers.Look(); co != nil && co.G != nil && co.G.Library.external.since != 0 {
		co.G.Library.external = note{}
	}
}

// NoteExternal shows what has come of the latest operation of [UseExternals], unless the goroutine
// has performed another operation since. It calls text only in a recorded execution.
func NoteExternal(text func() string) {
	co := Callers.Look()
	if co == nil || co.G == nil || co.M.Closing {
		return
	}
	g := co.G
	if n := g.Library.external; n.since != 0 && n.since == g.seq {
		g.M.Exec.Value(g, strings.TrimPrefix(n.with+": "+text(), ": "))
	}
}

// note is what a report says of an operation on what is outside.
type note struct {
	since int32  // the events that its goroutine had performed after it, 0 for no operation
	with  string // with what it was done
}

func (u *ExternalUse) meet(m *Machine) *external {
	c, fresh := Meet(m, &u.Of.k)
	if fresh {
		c.what, c.label = u.What, u.Label
		Publish(m, &u.Of.k, c)
	}
	return c
}

func (c *external) describe(m *Machine, g *Goroutine) bool {
	c.cell.describe(m, g)
	also := g.Req.x.(*besides)
	for _, other := range also.changed {
		g.Op.TouchAlso(other.ID, trace.ModeWrite)
	}
	for _, other := range also.seen {
		g.Op.TouchAlso(other.ID, trace.ModeRead)
	}
	return true
}

func (c *external) perform(m *Machine, g *Goroutine, alt int32) {
	c.bits = g.compute(c.bits, 0)
	also := g.Req.x.(*besides)
	for _, other := range also.changed {
		other.bits = g.Req.Arg
	}
	for _, other := range also.seen {
		g.Reply.Val = g.Reply.Val*31 + int64(other.bits) // whether what a loop sees is new
	}
}
