package sched

import (
	"fmt"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Range calls f for each key and value, until f returns false. Each key is looked
// up when it is its turn, so others may change the map meanwhile, and f itself may.
// The keys are those at the moment of the call, in the order in which they were
// stored by each goroutine; with [ModelRange] they come in any order, and those
// that are stored meanwhile may come too.
func (m *Map) Range(f func(key, value any) bool) {
	g := machine.Enter("Map.Range")
	s, _ := machine.Find(g.M, &m.k)
	w := &machine.MapWalk{Of: s, Fine: g.M.Model&machine.ModelRange != 0}
	g.AskValues(trace.OpMap, s, uint64(machine.MapRange), w, nil)
	if g.M.Record {
		g.NoteResult(fmt.Sprintf("range over %d keys", len(w.Keys)))
	}
	if len(w.Keys) > 1 && !w.Fine {
		g.Meet(machine.MetOrder, machine.AssumeMapOrder, "sync.Map.Range, which visits keys in the order in which they were stored")
	}
	defer w.End()
	for w.Next() {
		if w.At.K != nil && !f(w.At.K.Key, w.At.V) {
			return
		}
	}
}
