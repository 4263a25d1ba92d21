package exec

import (
	"iter"
	"runtime"
	"runtime/debug"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
)

// coroutine is a real goroutine that runs controlled goroutines one after the
// other. It runs only while another goroutine is in resume, and gives control back in
// pause.
type coroutine struct {
	machine.Caller
	c      *Closure
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	nested int // deferred calls that it sits in, one per Goexit

	onStack bool // the event of g is being completed on its own stack
	hosting bool // g is ready, and has resumed another goroutine
	begun   bool // g has made its first request
	free    bool // its goroutine, which was to move, has ended
}

func init() {
	stack.Register(stack.Controlled, (*coroutine).run)
	stack.Register(stack.First, (*coroutine).body)
	stack.Register(stack.Deciding, (*Closure).choose)
}

// maxNested bounds the stack that a coroutine builds up by serving on in the
// deferred calls of goroutines that have called Goexit.
const maxNested = 8

func newCoroutine(c *Closure) *coroutine {
	co := &coroutine{Caller: machine.Caller{M: c.m}, c: c}
	co.next, co.stop = iter.Pull(co.run)
	co.next() // up to its first pause
	return co
}

// run is what iter.Pull runs.
func (co *coroutine) run(yield func(struct{}) bool) {
	useStack()
	co.yield = yield
	if machine.Callers.Numbered.Load() {
		co.Number = stack.Current()
	}
	machine.Callers.Add(&co.Caller)
	defer machine.Callers.Remove(&co.Caller)
	co.serve()
}

// useStack lets the stack of a fresh coroutine grow while there is nothing on it. Otherwise it
// would grow, and be copied, under the engine, which decides on it.
//
//go:noinline
func useStack() {
	var room [3000]byte
	onStack(&room)
}

//go:noinline
func onStack(*[3000]byte) {}

// serve runs one goroutine after the other until it is told to stop.
func (co *coroutine) serve() {
	for co.c.follow(co) || co.yield(struct{}{}) {
		co.body()
	}
}

// body runs co.g to its end: a return, a panic or a Goexit.
func (co *coroutine) body() {
	returned := false
	co.Serving = false
	defer func() {
		co.Serving = true
		if returned {
			return
		}
		if r := recover(); r != nil && !co.M.Closing {
			var stack string
			if co.M.Record { // it costs more than the execution
				stack = string(debug.Stack())
			}
			co.M.FailPanic(co.G, r, stack)
		}
		// A Goexit cannot be kept from unwinding this stack, and a panic may
		// have come on top of one; but nothing says when, so serve on from here.
		co.nested++
		co.c.ended(co, co.G)
		if co.nested < maxNested {
			co.serve()
		} else {
			co.yield(struct{}{})
		}
	}()
	co.G.Origin.Body()
	co.Serving, returned = true, true
	co.c.ended(co, co.G)
}

// resume runs the coroutine until it pauses.
func (co *coroutine) resume() { co.next() }

// pause gives control back to the goroutine that resumed the coroutine. When the execution
// is being closed it does not return.
func (co *coroutine) pause() {
	co.yield(struct{}{})
	if co.M.Closing {
		runtime.Goexit()
	}
}

// kill ends an idle coroutine. One that sits in a Goexit would pass it on to the goroutine that
// resumes it, so a goroutine of its own does that.
func (co *coroutine) kill() {
	if co.nested == 0 {
		co.stop()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		co.stop()
	}()
	<-done
}

// launch runs the new goroutine g up to its first operation.
func (c *Closure) launch(g *machine.Goroutine) {
	c.equip(g)
	c.nested(g)
}

// equip gives g a coroutine to run on.
func (c *Closure) equip(g *machine.Goroutine) {
	var co *coroutine
	if n := len(c.coroutines.idle); n > 0 {
		co, c.coroutines.idle = c.coroutines.idle[n-1], c.coroutines.idle[:n-1]
	} else {
		co = newCoroutine(c)
	}
	for int(g.ID) >= len(c.coroutines.on) {
		c.coroutines.on = append(c.coroutines.on, nil)
	}
	c.coroutines.on[g.ID], co.G = co, g
	co.begun, co.Entered = false, 0
}

// coroutine returns what g runs on, nil if it has not begun or is over.
func (c *Closure) coroutine(g *machine.Goroutine) *coroutine {
	if int(g.ID) < len(c.coroutines.on) {
		return c.coroutines.on[g.ID]
	}
	return nil
}

// nested resumes g from wherever control is, up to its next operation.
func (c *Closure) nested(g *machine.Goroutine) {
	mover := c.mover
	c.mover = nil
	c.coroutines.on[g.ID].next()
	c.mover = mover
}
