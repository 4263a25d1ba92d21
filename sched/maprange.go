package sched

import (
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// Range calls f for each key and value, until f returns false. Each key is looked
// up when it is its turn, so others may change the map meanwhile, and f itself may.
// The keys are those at the moment of the call, in the order in which they were
// stored by each goroutine; with [ModelRange] they come in any order, and those
// that are stored meanwhile may come too.
func (m *Map) Range(f func(key, value any) bool) {
	g := enter("Map.Range")
	s, _ := find(g.m, &m.k)
	w := &mapWalk{of: s, fine: g.m.Model&ModelRange != 0}
	g.askValues(trace.OpMap, s, uint64(mapRange), w, nil)
	if g.m.Record {
		g.noteResult(fmt.Sprintf("range over %d keys", len(w.keys)))
	}
	if len(w.keys) > 1 && !w.fine {
		g.meet(metOrder, AssumeMapOrder, "sync.Map.Range, which visits keys in the order in which they were stored")
	}
	defer w.end()
	for w.next() {
		if w.at.k != nil && !f(w.at.k.key, w.at.v) {
			return
		}
	}
}
