package sched

import (
	"fmt"
	"github.com/gopor/gopor/sched/trace"
	"slices"
)

// mapWalk is a call of Range that goes on. In package sync it goes along the hashes
// of the keys, which are others in every process, and finds what is there when it
// comes by: each key is looked up when it is its turn, and one that is stored
// meanwhile is found if its place was still to come. Clear takes the map away from
// those who walk: they finish on what was there.
//
// Usually the walk looks for the keys that were there when it began, in their order.
// With ModelRange it may take any key next, and end when it has been to all that
// were there all the time.
type mapWalk struct {
	of   *mapState
	fine bool
	// keys were there when the walk began, and are still to be looked for; with fine
	// set, they have been there all the time.
	keys    []*keyState
	visited []*keyState           // with fine set
	left    map[*keyState]mapPair // what there was to be found at the Clear, nil if there was none
	late    bool                  // a key was stored meanwhile
	at      mapPair               // what was found last
}

// mapPair is a key and its value; the key is nil if there is none.
type mapPair struct {
	k *keyState
	v any
}

// The walk goes by the identity of its map.
func (w *mapWalk) head() *header         { return &w.of.header }
func (w *mapWalk) reset()                {}
func (w *mapWalk) kind() string          { return "Map" }
func (w *mapWalk) blame(*Machine) string { return "" }

// look returns what is to be found of k.
func (w *mapWalk) look(k *keyState) mapPair {
	switch {
	case w.left != nil:
		return w.left[k]
	case k.present:
		return mapPair{k, k.v}
	}
	return mapPair{}
}

// ahead returns the keys that are there and were not visited.
func (w *mapWalk) ahead(m *Machine) (keys []*keyState) {
	for _, k := range w.of.sorted(m) {
		if w.look(k).k != nil && !slices.Contains(w.visited, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// freeze keeps what there is to be found before the map is cleared.
func (w *mapWalk) freeze() {
	if w.left != nil {
		return
	}
	left := make(map[*keyState]mapPair)
	for _, k := range w.of.keys {
		left[k] = w.look(k)
	}
	w.left = left
}

// lose notes that k was deleted: if it comes back, it may be overlooked.
func (w *mapWalk) lose(k *keyState) {
	if w.fine && w.left == nil {
		w.keys = without(w.keys, k)
	}
}

func without(keys []*keyState, k *keyState) []*keyState {
	if i := slices.Index(keys, k); i >= 0 {
		return slices.Delete(keys, i, i+1)
	}
	return keys
}

// describe describes the next step: usually it looks for one key, otherwise there are
// as many alternatives as keys to be found, and perhaps that of ending.
func (w *mapWalk) describe(m *Machine, g *goroutine) bool {
	if !w.fine {
		g.op.Touch(w.keys[0].id, trace.ModeRead)
		return true
	}
	g.op.Touch(w.of.id, trace.ModeScan)
	g.op.Alts = 0
	for _, k := range w.ahead(m) {
		g.op.TouchAlso(k.id, trace.ModeRead)
		g.op.Alts++
	}
	if len(w.keys) == 0 {
		g.op.Alts++
	}
	return false
}

func (w *mapWalk) perform(m *Machine, g *goroutine, alt int32) {
	w.at = mapPair{}
	var k *keyState
	if !w.fine {
		k = w.keys[0]
	} else if keys := w.ahead(m); int(alt) < len(keys) {
		k = keys[alt]
		w.visited = append(w.visited, k)
	} else {
		return
	}
	w.keys = without(w.keys, k)
	w.at = w.look(k)
	if m.mm != nil {
		m.mm.atomic(k.id, g, true, false)
	}
}

// next looks for the next key and reports whether the walk goes on.
func (w *mapWalk) next() bool {
	if !w.fine && len(w.keys) == 0 {
		return false
	}
	g := enter("Map.Range")
	g.askNumbers(trace.OpMap, w, uint64(mapVisit), 0)
	if g.m.Record {
		text := "range: nothing"
		if w.at.k != nil {
			text = "range: " + show(w.at.k.key) + ": " + show(w.at.v)
		}
		g.noteResult(text)
	}
	return !w.fine || w.at.k != nil
}

// end says what the usual model has left out.
func (w *mapWalk) end() {
	s := w.of
	if i := slices.Index(s.walks, w); i >= 0 {
		s.walks = slices.Delete(s.walks, i, i+1)
	}
	if co := callers.find(); w.late && !w.fine && co != nil && !co.m.closing {
		co.g.usual(ModelRange, "sync.Map.Range while keys are stored")
	}
}

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
