package search

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// order says which goroutine is taken first in a state, where that is drawn. Without ranks it is drawn
// anew in every state: then all take turns, and what takes somebody who gets far ahead of the
// others is as rare as heads many times in a row. By ranks he of the highest one goes first, until
// all ranks are drawn anew after so many events: so somebody runs as long as he can, as in PCT
// (Burckhardt et al., ASPLOS 2010, section 3), of which this has the few moments that are drawn among the
// events of an execution, but not that only he who runs falls at them: a state that is come back to has the order that it had,
// which depends on nothing but how many events have led to it.
type order struct {
	rand    *rand.Rand // nil for the order of the goroutines
	ranked  bool
	salt    uint64
	moments []int // after how many events ranks are drawn anew, besides once in a while
	length  int   // of the latest execution: the moments are drawn among so many events
}

// mostMoments is how many moments are drawn at most. A failure that needs more of them is left to the
// orders without ranks.
const mostMoments = 5

// next draws the order of another search.
func (o *order) next() {
	if o.ranked = o.rand.IntN(2) == 0; !o.ranked {
		return
	}
	o.salt = o.rand.Uint64()
	o.moments = o.moments[:0]
	for range o.rand.IntN(mostMoments + 1) {
		o.moments = append(o.moments, 1+o.rand.IntN(max(o.length, 1)))
	}
}

// sort puts offers in order, in a state that n events have led to.
func (o *order) sort(offers []Offer, n int) {
	switch {
	case o.rand == nil:
	case o.ranked:
		drawn := uint64(n / patience) // who waits for somebody of a lower rank does not do so for ever
		for _, m := range o.moments {
			if m <= n {
				drawn++
			}
		}
		slices.SortStableFunc(offers, func(a, b Offer) int {
			return cmp.Compare(o.rank(b.G, drawn), o.rank(a.G, drawn))
		})
	default:
		o.rand.Shuffle(len(offers), func(i, j int) { offers[i], offers[j] = offers[j], offers[i] })
	}
}

// rank returns the rank of g, when ranks were drawn so many times.
func (o *order) rank(g trace.ID, drawn uint64) uint64 {
	return rand.NewPCG(o.salt+drawn, uint64(g)).Uint64()
}
