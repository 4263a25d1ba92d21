package machine

import (
	"strings"

	"github.com/gopor/gopor/sched/trace"
)

// cell is a shared memory location. Plain and atomic operations differ in
// what the Go memory model makes of them, not in how they depend on each other.
type cell struct {
	header
	bits  uint64 // the value, or whatever tells two values apart
	mask  uint64 // the bits that the value has, 0 for all
	what  string
	typed bool // the value is kept elsewhere, and a reply does not say whether it is new
}

func (c *cell) reset()                { c.bits = 0 }
func (c *cell) blame(*Machine) string { return "" }

// Kind returns the name of the type, of which c.what may name a method.
func (c *cell) Kind() string {
	what, _, _ := strings.Cut(c.what, ".")
	return what
}

func (c *cell) describe(m *Machine, g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpRead, trace.OpLoad:
		g.Op.Touch(c.ID, trace.ModeRead)
		return true
	case trace.OpTransfer:
		g.Op.SetAccesses(trace.Access{Obj: c.ID, Mode: trace.ModeWrite}, trace.Access{Obj: g.Req.From.ID, Mode: trace.ModeRead})
		return true
	case trace.OpCAS:
		mode := trace.ModeWrite
		if c.bits != g.Req.Arg {
			mode = trace.ModeRead
		}
		g.Op.Touch(c.ID, mode)
		return false
	}
	g.Op.Touch(c.ID, trace.ModeWrite)
	return true
}

func (c *cell) perform(m *Machine, g *Goroutine, alt int32) {
	if c.typed {
		g.Reply.Val = 0
		return
	}
	c.bits = g.compute(c.bits, c.mask)
	if g.Op.Kind < trace.OpLoad || m.Memory.Races == nil && m.Keys == nil {
		return
	}
	reads, writes := g.Op.Kind != trace.OpStore, g.Op.Kind != trace.OpLoad && (g.Op.Kind != trace.OpCAS || g.Reply.Ok)
	if m.Memory.Races != nil {
		m.Memory.Races.atomic(c.ID, g, reads, writes)
	}
	if m.Keys != nil {
		m.Keys.atomic(c.ID, g, reads, writes)
	}
}

// compute performs g's operation on a number that has the bits of mask, 0 for
// all. It returns what the number is then, and leaves for g what the operation
// returns.
func (g *Goroutine) compute(old, mask uint64) (now uint64) {
	now = old
	switch g.Op.Kind {
	case trace.OpRead, trace.OpLoad:
		g.Reply.Val = int64(old)
	case trace.OpWrite, trace.OpStore:
		now = g.Req.Arg
	case trace.OpAdd:
		now = old + g.Req.Arg
		if mask != 0 {
			now &= mask
		}
		g.Reply.Val = int64(now)
	case trace.OpSwap, trace.OpUpdate:
		now, g.Reply.Val = g.Req.Arg, int64(old)
	case trace.OpCAS:
		g.Reply.Ok = old == g.Req.Arg
		if g.Reply.Ok {
			now = g.Req.arg2
		}
	case trace.OpAnd:
		now, g.Reply.Val = old&g.Req.Arg, int64(old)
	case trace.OpOr:
		now, g.Reply.Val = old|g.Req.Arg, int64(old)
	}
	g.Reply.left = now
	return now
}
