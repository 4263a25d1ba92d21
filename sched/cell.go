package sched

import (
	"github.com/gopor/gopor/sched/trace"
	"strings"
)

// cell is a shared memory location. Plain and atomic operations differ in
// what the Go memory model makes of them, not in how they depend on each other.
type cell struct {
	header
	bits uint64 // the value, or whatever tells two values apart
	mask uint64 // the bits that the value has, 0 for all
	what string
}

func (c *cell) reset()                { c.bits = 0 }
func (c *cell) blame(*Machine) string { return "" }

// kind returns the name of the type, of which c.what may name a method.
func (c *cell) kind() string {
	what, _, _ := strings.Cut(c.what, ".")
	return what
}

func (c *cell) describe(m *Machine, g *goroutine) bool {
	switch g.op.Kind {
	case trace.OpRead, trace.OpLoad:
		g.op.Touch(c.id, trace.ModeRead)
		return true
	case trace.OpTransfer:
		g.op.SetAccesses(trace.Access{Obj: c.id, Mode: trace.ModeWrite}, trace.Access{Obj: g.req.from.id, Mode: trace.ModeRead})
		return true
	case trace.OpCAS:
		mode := trace.ModeWrite
		if c.bits != g.req.arg {
			mode = trace.ModeRead
		}
		g.op.Touch(c.id, mode)
		return false
	}
	g.op.Touch(c.id, trace.ModeWrite)
	return true
}

func (c *cell) perform(m *Machine, g *goroutine, alt int32) {
	c.bits = g.compute(c.bits, c.mask)
	if m.mm != nil && g.op.Kind >= trace.OpLoad {
		m.mm.atomic(c.id, g, g.op.Kind != trace.OpStore, g.op.Kind != trace.OpLoad && (g.op.Kind != trace.OpCAS || g.reply.ok))
	}
}

// compute performs g's operation on a number that has the bits of mask, 0 for
// all. It returns what the number is then, and leaves for g what the operation
// returns.
func (g *goroutine) compute(old, mask uint64) (now uint64) {
	now = old
	switch g.op.Kind {
	case trace.OpRead, trace.OpLoad:
		g.reply.val = int64(old)
	case trace.OpWrite, trace.OpStore:
		now = g.req.arg
	case trace.OpAdd:
		now = old + g.req.arg
		if mask != 0 {
			now &= mask
		}
		g.reply.val = int64(now)
	case trace.OpSwap, trace.OpUpdate:
		now, g.reply.val = g.req.arg, int64(old)
	case trace.OpCAS:
		g.reply.ok = old == g.req.arg
		if g.reply.ok {
			now = g.req.arg2
		}
	case trace.OpAnd:
		now, g.reply.val = old&g.req.arg, int64(old)
	case trace.OpOr:
		now, g.reply.val = old|g.req.arg, int64(old)
	}
	g.reply.left = now
	return now
}
