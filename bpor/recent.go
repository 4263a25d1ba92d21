package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// recent has the events of an execution that used an object, by goroutine and mode, latest
// first. So the latest event of every goroutine on which an operation depends is found without
// a search of all events. The cost depends on the accesses to the same objects since the last
// one that orders all earlier ones, and not on how long ago those were.
type recent struct {
	objects []object // indexed from trace.Everything on
	links   []link   // in the order of events, one for every access
	most    trace.ID // one more than the highest goroutine that has moved
}

type object struct {
	chains []chain
	newest int32  // the chain of the latest access, or -1
	modes  uint32 // the modes of all accesses so far: bit m is set for mode m
}

// chain has the accesses of one goroutine to one object in one mode.
type chain struct {
	g    trace.ID
	mode trace.Mode
	head int32 // the latest access, as an index of links
	// The chains with the next later and earlier latest access, or -1.
	newer, older int32
}

type link struct {
	event int32
	obj   int32 // index of objects
	at    int32 // index of chains
	prev  int32 // the access before this one in the chain, or -1
	newer int32 // the value of newer in the chain before this access
	idx   int32 // Idx of the access
}

// push makes e the latest event, number n, and removes later ones.
func (r *recent) push(n int, e *search.Performed) {
	r.cut(n)
	r.most = max(r.most, e.G+1)
	for _, a := range e.Uses.List() {
		obj := a.Obj - trace.Everything
		for int(obj) >= len(r.objects) {
			r.objects = append(r.objects, object{newest: -1})
		}
		o := &r.objects[obj]
		o.modes |= 1 << a.Mode
		at := int32(slices.IndexFunc(o.chains, func(c chain) bool { return c.g == e.G && c.mode == a.Mode }))
		if at < 0 {
			at = int32(len(o.chains))
			o.chains = append(o.chains, chain{g: e.G, mode: a.Mode, head: -1, newer: -1, older: -1})
			o.insert(at, -1)
		}
		c := &o.chains[at]
		r.links = append(r.links, link{event: int32(n), obj: obj, at: at, prev: c.head, newer: c.newer, idx: a.Idx})
		c.head = int32(len(r.links) - 1)
		o.remove(at)
		o.insert(at, -1)
	}
}

// cut removes event n and all later ones.
func (r *recent) cut(n int) {
	for len(r.links) > 0 {
		l := &r.links[len(r.links)-1]
		if int(l.event) < n {
			break
		}
		o := &r.objects[l.obj]
		o.remove(l.at)
		if o.chains[l.at].head = l.prev; l.prev < 0 {
			o.chains = o.chains[:l.at] // the chains after it were begun later, and are gone
		} else {
			o.insert(l.at, l.newer)
		}
		r.links = r.links[:len(r.links)-1]
	}
}

// insert puts chain c before chain newer in order of age. The value -1 makes it the newest.
func (o *object) insert(c, newer int32) {
	older := o.newest
	if newer >= 0 {
		older = o.chains[newer].older
		o.chains[newer].older = c
	} else {
		o.newest = c
	}
	if o.chains[c].newer, o.chains[c].older = newer, older; older >= 0 {
		o.chains[older].newer = c
	}
}

func (o *object) remove(c int32) {
	newer, older := o.chains[c].newer, o.chains[c].older
	if newer >= 0 {
		o.chains[newer].older = older
	} else {
		o.newest = older
	}
	if older >= 0 {
		o.chains[older].newer = newer
	}
}

// seen is the answer of a visitor about an access.
type seen int

const (
	ordered seen = iota // it happens before the pending operation
	enough              // no more accesses of this goroutine in this mode are needed
	more                // earlier accesses are needed, too
)

// of calls visit with the events that have used an object in some of the modes. It goes by
// goroutine and mode, the latest use first, and from each latest event to earlier ones. The
// events of goroutine g are ordered. An event is omitted if it happens before an ordered access
// because their modes depend on each other.
func (r *recent) of(obj int32, modes uint32, g trace.ID, visit func(g trace.ID, event int, a trace.Access) seen) {
	if int(obj-trace.Everything) >= len(r.objects) {
		return
	}
	o := &r.objects[obj-trace.Everything]
	left := modes & o.modes
	for at := o.newest; at >= 0 && left != 0; at = o.chains[at].older {
		c := &o.chains[at]
		if c.g == g {
			left &^= trace.Dependence.Always(c.mode)
			continue
		}
		if left>>c.mode&1 == 0 {
			continue
		}
		said := more
		for i := c.head; i >= 0 && said == more; i = r.links[i].prev {
			said = visit(c.g, int(r.links[i].event), trace.Access{Obj: obj, Mode: c.mode, Idx: r.links[i].idx})
			if said == ordered && i == c.head { // all other chains have earlier accesses only
				left &^= trace.Dependence.Always(c.mode)
			}
		}
	}
}
