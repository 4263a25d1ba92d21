package exec

import (
	"math/bits"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
)

// flowWatch looks for what an execution leaves to the next one in memory that is
// not put back: a variable that the closure has captured, or one behind a package-level
// function. It keeps the addresses that one execution writes, and so what is there
// alive; the next one is caught when it reads there without having written before.
//
// It does so for some pairs of executions only, the first two among them, and
// by the addresses of accesses, so that it never takes one variable for another.
type flowWatch struct {
	on      bool
	compare bool // this is the second one of a pair
	left    int  // how many more accesses of the execution are looked at
	written map[unsafe.Pointer]struct{}
}

// mostFlows is how many addresses are kept, and mostWatched how many accesses of an
// execution are looked at.
const (
	mostFlows   = 1 << 14
	mostWatched = 1 << 16
)

// begin begins the n-th execution, the first one being 1.
func (w *flowWatch) begin(n uint64) {
	pair := func(n uint64) bool { return bits.OnesCount64(n) == 1 && bits.TrailingZeros64(n)%2 == 0 }
	w.compare = pair(n-1) && len(w.written) > 0
	w.on, w.left = w.compare || pair(n), mostWatched
	if !w.compare {
		clear(w.written)
	}
}

// access is called before an access of memory at p.
func (w *flowWatch) access(c *Closure, g *machine.Goroutine, p unsafe.Pointer, reads, writes bool) {
	_, was := w.written[p]
	switch {
	case w.compare && was:
		delete(w.written, p)
		if reads && !c.kept.holds(p) && !c.cached(g) {
			c.assume(g, sched.AssumeVariable, "a variable that the execution before has written")
		}
	case !w.compare && writes && !was && len(w.written) < mostFlows:
		if w.written == nil {
			w.written = make(map[unsafe.Pointer]struct{})
		}
		w.written[p] = struct{}{}
	}
}

// watch is told of accesses of memory, if the caller asks for that.
func (c *Closure) watch(g *machine.Goroutine, p unsafe.Pointer, size uintptr, reads, writes bool) {
	indexed := c.kept != nil && c.kept.pages != nil
	if c.flows.on {
		c.flows.access(c, g, p, reads, writes)
		c.flows.left--
		c.flows.on = c.flows.left > 0
		c.m.Watch(c.flows.on || indexed || c.endless.novelty != nil)
	}
	if c.endless.novelty != nil {
		c.endless.novelty.access(c, g, p, size, reads)
	}
	if writes && indexed {
		c.kept.wrote(p, size)
	}
}

// holders are the packages of the standard library that keep nothing but what is in the
// program's own variables.
var holders = map[string]bool{"bufio": true, "bytes": true, "container/heap": true, "container/list": true, "container/ring": true,
	"io": true, "maps": true, "slices": true, "sort": true, "strings": true}

// cached reports whether an access is one by the standard library, of what may be a cache
// of its own: whatever is in that, the results are the same.
func (c *Closure) cached(g *machine.Goroutine) bool {
	file, _, function := format.Place(c.caller(g))
	return stack.Standard(file) && !holders[stack.Package(function)]
}
