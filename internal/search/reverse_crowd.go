package search

import (
	"github.com/gopor/gopor/sched/trace"
)

// since returns the number of steps up to g's latest one.
func (r *reverse) since(g trace.ID) int { return int(r.HB.Last(int32(g))) + 1 }

// crowded is what an execution keeps of the goroutines that can go on, where they are many.
type crowded struct {
	seen  bool // those that could go on when it was looked first
	line  line
	names []trace.ID // heap: those that could go on, and some that can no longer
	in    []bool     // by goroutine, whether it is in names
}

func (c *crowded) clear() { c.seen = false }

// look notes who can go on again.
func (c *crowded) look(r *reverse, ops []*trace.Op) {
	if c.seen {
		ops = r.Changed(ops)
		c.line.join(ops, len(r.Schedule), r.since)
	} else {
		c.seen = true
		c.line.clear()
		c.names = c.names[:0]
		clear(c.in)
	}
	for _, op := range ops {
		for int(op.G) >= len(c.in) {
			c.in = append(c.in, false)
		}
		if !c.in[op.G] {
			c.in[op.G] = true
			c.push(r, op.G)
		}
	}
}

func (c *crowded) push(r *reverse, g trace.ID) {
	c.names = append(c.names, g)
	for i := len(c.names) - 1; i > 0 && r.names.less(g, c.names[(i-1)/2]); i = (i - 1) / 2 {
		c.names[i], c.names[(i-1)/2] = c.names[(i-1)/2], g
	}
}

// lowest returns the operation of the goroutine of lowest name, and drops those that
// cannot go on.
func (c *crowded) lowest(r *reverse, ops []*trace.Op) *trace.Op {
	for {
		if op := opOf(c.names[0], ops); op != nil {
			return op
		}
		c.in[c.names[0]] = false
		c.drop(r)
	}
}

// drop takes the lowest name out of the heap.
func (c *crowded) drop(r *reverse) {
	n := len(c.names) - 1
	g, i := c.names[n], 0
	c.names = c.names[:n]
	for kid := 1; kid < n; kid = 2*i + 1 {
		if kid+1 < n && r.names.less(c.names[kid+1], c.names[kid]) {
			kid++
		}
		if !r.names.less(c.names[kid], g) {
			break
		}
		c.names[i], i = c.names[kid], kid
	}
	if n > 0 {
		c.names[i] = g
	}
}
