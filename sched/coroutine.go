package sched

import (
	"iter"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/gopor/gopor/sched/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// coroutine is a real goroutine that runs controlled goroutines one after the
// other. It runs only while somebody is in resume, and gives control back in
// pause.
type coroutine struct {
	gp     uintptr
	c      *Closure
	g      *goroutine // what it runs, nil while idle
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	nested int // deferred calls that it sits in, one per Goexit
}

// maxNested bounds the stack that a coroutine builds up by serving on in the
// deferred calls of goroutines that have called Goexit.
const maxNested = 8

func newCoroutine(c *Closure) *coroutine {
	co := &coroutine{c: c}
	co.next, co.stop = iter.Pull(co.run)
	co.next() // up to its first pause
	return co
}

// run is what iter.Pull runs.
func (co *coroutine) run(yield func(struct{}) bool) {
	co.yield = yield
	co.gp = getg()
	coroutines.add(co)
	defer coroutines.remove(co)
	co.serve()
}

// serve runs one goroutine after the other until it is told to stop.
func (co *coroutine) serve() {
	for co.yield(struct{}{}) {
		co.body()
	}
}

// body runs co.g to its end: a return, a panic or a Goexit.
func (co *coroutine) body() {
	returned := false
	defer func() {
		if returned {
			return
		}
		if r := recover(); r != nil && !co.c.closing {
			var stack string
			if co.c.opt.Record { // it costs more than the execution
				stack = string(debug.Stack())
			}
			co.c.m.fail(trace.FailPanic, co.g, panicText(r), stack)
		}
		// A Goexit cannot be kept from unwinding this stack, and a panic may
		// have come on top of one; but nothing says when, so serve on from here.
		co.nested++
		co.c.ended(co, co.g)
		if co.nested < maxNested {
			co.serve()
		} else {
			co.yield(struct{}{})
		}
	}()
	co.g.body()
	returned = true
	co.c.ended(co, co.g)
}

// resume runs the coroutine until it pauses.
func (co *coroutine) resume() { co.next() }

// pause gives control back to whoever resumed the coroutine. When the execution
// is being closed it does not return.
func (co *coroutine) pause() {
	co.yield(struct{}{})
	if co.c.closing {
		runtime.Goexit()
	}
}

// kill ends an idle coroutine. One that sits in a Goexit would pass it on to
// whoever resumes it, so a goroutine of its own does that.
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

// registry finds the coroutine that is the calling goroutine. It is a hash
// table with linear probing that is read without locks.
type registry struct {
	mu    sync.Mutex
	table atomic.Pointer[[]atomic.Pointer[coroutine]]
}

var coroutines registry

var tombstone = new(coroutine)

func slotOf(gp uintptr, size int) int {
	return int((uint64(gp)>>5)*0x9e3779b97f4a7c15>>40) & (size - 1)
}

// find returns the coroutine that is the calling goroutine, or nil.
func (r *registry) find() *coroutine {
	t := r.table.Load()
	if t == nil {
		return nil
	}
	gp := getg()
	size := len(*t)
	for i, n := slotOf(gp, size), 0; n < size; i, n = (i+1)&(size-1), n+1 {
		co := (*t)[i].Load()
		if co == nil {
			return nil
		}
		if co.gp == gp {
			return co
		}
	}
	return nil
}

// has reports whether the goroutine of that number is a coroutine.
func (r *registry) has(gp uintptr) bool {
	if t := r.table.Load(); t != nil {
		for i := range *t {
			if co := (*t)[i].Load(); co != nil && co != tombstone && co.gp == gp {
				return true
			}
		}
	}
	return false
}

func (r *registry) add(co *coroutine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	if t == nil || (int(atomic.LoadInt32(&live.Goroutines))+1)*4 > len(*t) {
		t = r.grow(t)
	}
	atomic.AddInt32(&live.Goroutines, 1)
	insert(*t, co)
}

func insert(t []atomic.Pointer[coroutine], co *coroutine) {
	for i := slotOf(co.gp, len(t)); ; i = (i + 1) & (len(t) - 1) {
		if old := t[i].Load(); old == nil || old == tombstone {
			t[i].Store(co)
			return
		}
	}
}

// grow replaces the table by one of twice the size, without tombstones.
func (r *registry) grow(old *[]atomic.Pointer[coroutine]) *[]atomic.Pointer[coroutine] {
	size := 1024
	if old != nil {
		size = 2 * len(*old)
	}
	t := make([]atomic.Pointer[coroutine], size)
	if old != nil {
		for i := range *old {
			if co := (*old)[i].Load(); co != nil && co != tombstone {
				insert(t, co)
			}
		}
	}
	r.table.Store(&t)
	return &t
}

func (r *registry) remove(co *coroutine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := *r.table.Load()
	for i := slotOf(co.gp, len(t)); ; i = (i + 1) & (len(t) - 1) {
		if t[i].Load() == co {
			t[i].Store(tombstone)
			break
		}
	}
	if atomic.AddInt32(&live.Goroutines, -1) == 0 {
		// Nobody is looked up: a chance to sweep.
		for i := range t {
			t[i].Store(nil)
		}
	}
}
