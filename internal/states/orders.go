package states

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// order says which goroutine a state explores first, where that is drawn.
//
// Without ranks it is drawn anew in every state. All goroutines then take turns, and one that
// gets far ahead of the others is as rare as heads many times in a row. With ranks the
// goroutine of the highest rank goes first until all ranks are drawn anew, which happens after
// a fixed number of events. So a goroutine runs as long as it can, as in PCT (Burckhardt et
// al., ASPLOS 2010, section 3).
//
// Like PCT this draws a few moments among the events of an execution. Unlike PCT, not only the
// running goroutine falls in rank at a moment. A state that the search comes back to has the
// order that it had, since the order depends only on the number of events before it.
type order struct {
	rand   *rand.Rand // nil for the order of the goroutines
	ranked bool
	salt   uint64
	// The numbers of events after which ranks are drawn anew, besides the fixed interval.
	moments []int
	length  int // events of the latest execution, among which the moments are drawn
}

// mostMoments is the largest number of moments that are drawn. A failure that needs more is
// left to orders without ranks.
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

// sort orders offers in a state that has n events before it.
func (o *order) sort(offers []Offer, n int) {
	switch {
	case o.rand == nil:
	case o.ranked:
		// Ranks change, so that a goroutine does not wait forever for one of a lower rank.
		drawn := uint64(n / search.Patience())
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

// rank returns the rank of g after so many draws.
func (o *order) rank(g trace.ID, drawn uint64) uint64 {
	return rand.NewPCG(o.salt+drawn, uint64(g)).Uint64()
}
