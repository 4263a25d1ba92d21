package machine

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/stack"
)

// Caller is a goroutine of the Go runtime that runs controlled ones.
type Caller struct {
	gp     atomic.Uintptr // what stack.Descriptor returns in this goroutine; a lookup compares it
	Number uint64         // the runtime's, where callers are numbered
	M      *Machine
	G      *Goroutine // what it runs, nil while idle

	// Entered is how often G has come to this module since it has begun, or more often, but for
	// questions as those of Look.
	Entered uint32

	// Serving says that it runs code of this module's, which may call functions that
	// announce accesses of memory.
	Serving bool
}

// Serve calls f with Serving set.
func (c *Caller) Serve(f func()) {
	if c.Serving {
		f()
		return
	}
	c.Serving = true
	f()
	c.Serving = false
}

// Enter returns the goroutine that calls the primitive named what.
func Enter(what string) *Goroutine {
	co := Callers.Find()
	if co == nil {
		panic("sched: " + what + " called outside a controlled execution: by a goroutine that was started with a go statement instead of sched.Go, or outside por.Check")
	}
	if co.M.Closing {
		runtime.Goexit()
	}
	return co.G
}

// Leave is enter for operations that give up something and never wait. It
// returns nil when the execution is being unwound: then they have no effect.
func Leave(what string) *Goroutine {
	co := Callers.Find()
	if co != nil && co.M.Closing {
		return nil
	}
	return Enter(what)
}

// registry finds the caller that is the calling goroutine. It is a hash
// table with linear probing that is read without locks.
type registry struct {
	mu    sync.Mutex
	left  int // tombstones in the table
	table atomic.Pointer[[]atomic.Pointer[Caller]]
	// The latest callers, each at the place that its number tells. Only the caller itself comes
	// there, so it has left when it is no caller any more.
	latest [256]atomic.Pointer[Caller]

	// Numbered says that the runtime's numbers of callers may be asked for. They are dear to find
	// out.
	Numbered atomic.Bool
}

var Callers registry

var tombstone = new(Caller)

func slotOf(gp uintptr, size int) int {
	return int((uint64(gp)>>5)*0x9e3779b97f4a7c15>>40) & (size - 1)
}

// Find returns the caller that is the calling goroutine, or nil.
func (r *registry) Find() *Caller { return r.of(stack.Descriptor()) }

// of returns the caller that is the goroutine of that number, or nil, and counts that it has come.
func (r *registry) of(gp uintptr) *Caller {
	co := r.look(gp)
	if co != nil {
		co.Entered++
	}
	return co
}

// Look is Find for a question to which the answer is the same whenever in an execution the
// goroutine asks it.
func (r *registry) Look() *Caller { return r.look(stack.Descriptor()) }

func (r *registry) look(gp uintptr) *Caller {
	if co := r.near(gp).Load(); co != nil && co.gp.Load() == gp {
		return co
	}
	return r.probe(gp)
}

// near returns the place in latest of the goroutine of that number. Runtimes put descriptors of
// goroutines at odd multiples of 64 bytes.
func (r *registry) near(gp uintptr) *atomic.Pointer[Caller] {
	return &r.latest[gp/64%uintptr(len(r.latest))]
}

// probe is look without a look into latest.
func (r *registry) probe(gp uintptr) *Caller {
	t := r.table.Load()
	if t == nil {
		return nil
	}
	table, size := *t, len(*t)
	for i, n := slotOf(gp, size), 0; n < size; i, n = (i+1)&(size-1), n+1 {
		co := table[i].Load()
		if co == nil {
			return nil
		}
		if co.gp.Load() == gp {
			r.near(gp).Store(co)
			return co
		}
	}
	return nil
}

// Has reports whether the goroutine of that number runs controlled ones.
func (r *registry) Has(gp uintptr) bool {
	if t := r.table.Load(); t != nil {
		for i := range *t {
			if co := (*t)[i].Load(); co != nil && co != tombstone && co.gp.Load() == gp {
				return true
			}
		}
	}
	return false
}

// Of returns those that run goroutines of m.
func (r *registry) Of(m *Machine) (all []*Caller) {
	t := r.table.Load()
	for i := range *t {
		if co := (*t)[i].Load(); co != nil && co != tombstone && co.M == m && co.G != nil {
			all = append(all, co)
		}
	}
	return all
}

func (r *registry) Add(co *Caller) {
	co.gp.Store(stack.Descriptor())
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	if t == nil || (int(atomic.LoadInt32(&live.Goroutines))+1)*4 > len(*t) {
		t = r.replace(t, 2)
	} else if r.left*4 > len(*t) {
		t = r.replace(t, 1)
	}
	atomic.AddInt32(&live.Goroutines, 1)
	if insert(*t, co) {
		r.left--
	}
}

// insert reports whether co has taken the place of a tombstone.
func insert(t []atomic.Pointer[Caller], co *Caller) bool {
	for i := slotOf(co.gp.Load(), len(t)); ; i = (i + 1) & (len(t) - 1) {
		if old := t[i].Load(); old == nil || old == tombstone {
			t[i].Store(co)
			return old != nil
		}
	}
}

// replace replaces the table by one of so many times the size, without tombstones.
func (r *registry) replace(old *[]atomic.Pointer[Caller], times int) *[]atomic.Pointer[Caller] {
	size := 1024
	if old != nil {
		size = times * len(*old)
	}
	r.left = 0
	t := make([]atomic.Pointer[Caller], size)
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

// Remove is called by the goroutine that co is, or when that has ended.
func (r *registry) Remove(co *Caller) {
	r.near(co.gp.Load()).CompareAndSwap(co, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := *r.table.Load()
	for i := slotOf(co.gp.Load(), len(t)); ; i = (i + 1) & (len(t) - 1) {
		if t[i].Load() == co {
			t[i].Store(tombstone)
			r.left++
			break
		}
	}
	if atomic.AddInt32(&live.Goroutines, -1) == 0 && r.left*8 > len(t) {
		// No goroutine is looked up any more: a chance to sweep.
		for i := range t {
			t[i].Store(nil)
		}
		r.left = 0
	}
}
