package irs

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// prefix returns E_cut with its constraints.
func (v *verifier) prefix() *Prefix {
	p := &Prefix{
		Events:   v.events[:v.cut:v.cut],
		first:    v.events,
		Complete: v.cut == 0,
		races:    v.o.Sched.Races,
		kinds:    v.kinds,
	}
	for _, ks := range v.known {
		p.known = append(p.known, slices.Clone(ks))
	}
	r := newReduction(v)
	for g := range v.known {
		r.goroutine(trace.ID(g), p)
	}
	p.compile()
	return p
}

// reduction finds the constraints that follow from others.
type reduction struct {
	*verifier
	of [][]int32 // the events of E_cut by goroutine
	// By goroutine and number, the events of E_cut that come before.
	preds []map[int32][]int32
	// How many events of each goroutine come before the position of the reduction.
	knows []int32
}

func newReduction(v *verifier) *reduction {
	r := &reduction{verifier: v, of: make([][]int32, len(v.known)), preds: make([]map[int32][]int32, len(v.known)), knows: make([]int32, len(v.known))}
	for i, e := range v.events[:v.cut] {
		r.of[e.G] = append(r.of[e.G], int32(i))
	}
	for p := range v.pairs {
		if v.o.Barrier && int(p.f.N) >= len(r.of[p.f.G]) {
			continue
		}
		r.add(p.f, p.e)
	}
	if v.o.Barrier {
		for g := range r.of {
			for h, es := range r.of {
				if h != g && len(es) > 0 {
					r.add(EventID{trace.ID(g), int32(len(r.of[g]))}, es[len(es)-1])
				}
			}
		}
	}
	return r
}

func (r *reduction) add(f EventID, e int32) {
	if r.preds[f.G] == nil {
		r.preds[f.G] = make(map[int32][]int32)
	}
	r.preds[f.G][f.N] = append(r.preds[f.G][f.N], e)
}

// goroutine adds the constraints on events of g to p. It omits an event that happens before g's
// own earlier events, or before another event that g waits for.
func (r *reduction) goroutine(g trace.ID, p *Prefix) {
	clear(r.knows)
	var ns []int32
	for n := range r.preds[g] {
		ns = append(ns, n)
	}
	slices.Sort(ns)
	own := r.of[g]
	for _, n := range ns {
		if before := min(int(n), len(own)); before > 0 {
			r.know(own[before-1])
		}
		es := r.preds[g][n]
		slices.SortFunc(es, func(a, b int32) int { return cmp.Compare(b, a) })
		for _, e := range es {
			if id := r.events[e].EventID; r.knows[id.G] <= id.N {
				p.Constraints = append(p.Constraints, Constraint{id, EventID{g, n}})
				r.know(e)
			}
		}
	}
}

// know marks event e, and all events that happen before it, as known.
func (r *reduction) know(e int32) {
	for g, n := range r.clocks[e][:min(len(r.clocks[e]), len(r.knows))] {
		r.knows[g] = max(r.knows[g], n)
	}
}
