package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// recent knows which events of an execution have used an object, by goroutine and mode, latest first. So what
// the latest event of every goroutine is that an operation depends on is known without a look at all
// events: what that costs depends on who has used the same objects, and not on how long ago.
type recent struct {
	objects [][]chain // by object, from trace.Everything on
	links   []link    // in the order of events, each once for every access
	most    trace.ID  // goroutines that have moved, at the most
	found   []int32   // scratch of latest: by goroutine
}

// chain has the accesses of one goroutine to one object in one mode.
type chain struct {
	g    trace.ID
	mode trace.Mode
	head int32 // the latest one, by its number among the links
}

type link struct {
	event int32
	obj   int32 // where in objects
	at    int32 // which chain
	prev  int32 // the access of the chain before this one, or -1
	idx   int32 // of the access
}

// push makes e the latest event, number n. Later ones are forgotten.
func (r *recent) push(n int, e *search.Performed) {
	r.cut(n)
	r.most = max(r.most, e.G+1)
	for _, a := range e.Uses.List() {
		obj := a.Obj - trace.Everything
		for int(obj) >= len(r.objects) {
			r.objects = append(r.objects, nil)
		}
		at := slices.IndexFunc(r.objects[obj], func(c chain) bool { return c.g == e.G && c.mode == a.Mode })
		if at < 0 {
			at = len(r.objects[obj])
			r.objects[obj] = append(r.objects[obj], chain{g: e.G, mode: a.Mode, head: -1})
		}
		c := &r.objects[obj][at]
		r.links = append(r.links, link{event: int32(n), obj: obj, at: int32(at), prev: c.head, idx: a.Idx})
		c.head = int32(len(r.links) - 1)
	}
}

// cut forgets event n, and all later ones.
func (r *recent) cut(n int) {
	for len(r.links) > 0 {
		l := &r.links[len(r.links)-1]
		if int(l.event) < n {
			break
		}
		chains := r.objects[l.obj]
		if chains[l.at].head = l.prev; l.prev < 0 {
			r.objects[l.obj] = chains[:l.at] // those after it were begun later, and are gone
		}
		r.links = r.links[:len(r.links)-1]
	}
}

// of calls visit with the events that have used an object, each chain's from the latest to earlier ones, until it returns false.
func (r *recent) of(obj int32, visit func(g trace.ID, event int, a trace.Access) bool) {
	if int(obj-trace.Everything) >= len(r.objects) {
		return
	}
	for _, c := range r.objects[obj-trace.Everything] {
		for i := c.head; i >= 0; i = r.links[i].prev {
			if !visit(c.g, int(r.links[i].event), trace.Access{Obj: obj, Mode: c.mode, Idx: r.links[i].idx}) {
				break
			}
		}
	}
}
