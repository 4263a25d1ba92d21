package search

import (
	"github.com/gopor/gopor/sched/trace"
)

// since returns the number of steps up to g's latest one.
func (r *reverse) since(g trace.ID) int { return int(r.HB.Last(int32(g))) + 1 }

// sooner reports whether g goes on rather than h, where nothing else decides. The goroutine
// that moved last does, or the one with the lower name if neither has moved.
func (r *reverse) sooner(g, h trace.ID) bool {
	a, b := r.HB.Last(int32(g)), r.HB.Last(int32(h))
	return a > b || a == b && r.names.less(g, h)
}

// crowded is the state that an execution keeps of the enabled goroutines, where they are many.
type crowded struct {
	seen   bool // look has been called
	line   line
	names  []trace.ID // heap: the enabled goroutines, and some that no longer are
	places []int32    // by goroutine, its index in names plus 1, or 0
}

func (c *crowded) clear() { c.seen = false }

// look notes which goroutines have become enabled, and which one has moved.
func (c *crowded) look(r *reverse, ops []*trace.Op) {
	if c.seen {
		ops = r.Changed(ops)
		c.line.join(ops, len(r.Schedule), r.since)
		if g := r.Mover(); int(g) < len(c.places) && c.places[g] > 0 {
			c.rise(r, int(c.places[g])-1)
		}
	} else {
		c.seen = true
		c.line.clear()
		c.names = c.names[:0]
		clear(c.places)
	}
	for _, op := range ops {
		for int(op.G) >= len(c.places) {
			c.places = append(c.places, 0)
		}
		if c.places[op.G] == 0 {
			c.names = append(c.names, op.G)
			c.rise(r, len(c.names)-1)
		}
	}
}

// rise moves the goroutine at place i up in the heap.
func (c *crowded) rise(r *reverse, i int) {
	g := c.names[i]
	for ; i > 0 && r.sooner(g, c.names[(i-1)/2]); i = (i - 1) / 2 {
		c.put(i, c.names[(i-1)/2])
	}
	c.put(i, g)
}

func (c *crowded) put(i int, g trace.ID) { c.names[i], c.places[g] = g, int32(i+1) }

// first returns the operation of the goroutine that goes on first, and drops those that are not
// enabled.
func (c *crowded) first(r *reverse, ops []*trace.Op) *trace.Op {
	for {
		if op := opOf(c.names[0], ops); op != nil {
			return op
		}
		c.places[c.names[0]] = 0
		c.drop(r)
	}
}

// drop removes the first goroutine of the heap.
func (c *crowded) drop(r *reverse) {
	n := len(c.names) - 1
	g, i := c.names[n], 0
	c.names = c.names[:n]
	for kid := 1; kid < n; kid = 2*i + 1 {
		if kid+1 < n && r.sooner(c.names[kid+1], c.names[kid]) {
			kid++
		}
		if !r.sooner(c.names[kid], g) {
			break
		}
		c.put(i, c.names[kid])
		i = kid
	}
	if n > 0 {
		c.put(i, g)
	}
}
