package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// mapState is a Map as an object. Its keys are objects as well.
type mapState struct {
	header
	keys  map[any]*keyState // those used in this execution, present or not
	walks []*mapWalk        // calls of Range that go on
}

// keyState is one key of a map. The goroutine and the number of its event that
// put the key into the map order the keys: whatever the interleaving, they are
// the same in one trace.
type keyState struct {
	header
	of      *mapState
	key     any
	v       any
	present bool
	by      *goroutine
	seq     int32
}

// mapUse is what an OpMap does; the request has it in arg, and its values in x and y.
// The reply has the result in v and ok.
type mapUse uint64

const (
	mapLoad mapUse = iota
	mapStore
	mapLoadOrStore
	mapLoadAndDelete
	mapDelete
	mapSwap
	mapCompareAndSwap
	mapCompareAndDelete
	mapRange // begins
	mapVisit // the next key of a Range
	mapClear
)

var mapUseNames = [...]string{"load", "store", "load or store", "load and delete", "delete",
	"swap", "compare and swap", "compare and delete", "range", "visit", "clear"}

func (s *mapState) reset() {
	if s.keys == nil {
		s.keys = make(map[any]*keyState)
	}
	clear(s.keys)
	s.walks = nil
}

func (s *mapState) kind() string { return "Map" }

func (s *mapState) blame(*Machine) string { return "" }

// sorted returns the keys that were ever in the map, in the order of the events,
// and of the goroutines, that have put them there last.
func (s *mapState) sorted(m *Machine) (keys []*keyState) {
	for _, k := range s.keys {
		if k.by != nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b *keyState) int {
		if a.by == b.by {
			return int(a.seq - b.seq)
		}
		return slices.Compare(m.path(a.by), m.path(b.by))
	})
	return keys
}

// present returns those that are in it.
func (s *mapState) present(m *Machine) []*keyState {
	return slices.DeleteFunc(s.sorted(m), func(k *keyState) bool { return !k.present })
}

// describe describes a Clear, or the beginning of a Range.
func (s *mapState) describe(m *Machine, g *goroutine) bool {
	if mapUse(g.req.arg) == mapRange {
		g.op.Touch(s.id, trace.ModeScan)
		return true
	}
	g.op.Touch(s.id, trace.ModeClear)
	for _, k := range s.present(m) {
		g.op.TouchAlso(k.id, trace.ModeWrite)
	}
	return false
}

func (s *mapState) perform(m *Machine, g *goroutine, alt int32) {
	if mapUse(g.req.arg) == mapRange {
		w := g.req.x.(*mapWalk)
		w.keys = s.present(m)
		s.walks = append(s.walks, w)
		return
	}
	for _, w := range s.walks {
		w.freeze()
	}
	for _, k := range s.keys {
		if m.mm != nil {
			m.mm.atomic(k.id, g, false, k.present)
		}
		k.unset()
	}
}

func (k *keyState) reset() { *k = keyState{} }

func (k *keyState) kind() string { return "Map" }

func (k *keyState) blame(*Machine) string { return "" }

// writes reports whether g's request would change the map now, or what the
// comparison of values that it asks for panics with.
func (k *keyState) writes(g *goroutine) (bool, *raised) {
	switch mapUse(g.req.arg) {
	case mapStore, mapSwap:
		return true, nil
	case mapLoadOrStore:
		return !k.present, nil
	case mapDelete, mapLoadAndDelete:
		return k.present, nil
	case mapCompareAndSwap, mapCompareAndDelete:
		if k.present {
			return same(k.v, g.req.x)
		}
	}
	return false, nil
}

// A key that comes or goes is a matter of the whole map. Whether it does must not
// depend on its value, which can change without that: so a CompareAndDelete counts
// as one that deletes.
func (k *keyState) describe(m *Machine, g *goroutine) bool {
	use := mapUse(g.req.arg)
	mode := trace.ModeRead
	if w, r := k.writes(g); w && r == nil {
		mode = trace.ModeWrite
	}
	g.op.Touch(k.id, mode)
	switch use {
	case mapLoad:
		return true
	case mapStore, mapSwap, mapLoadOrStore:
		if !k.present {
			g.op.TouchAlso(k.of.id, trace.ModeKeyWrite)
		}
	case mapDelete, mapLoadAndDelete, mapCompareAndDelete:
		if k.present {
			g.op.TouchAlso(k.of.id, trace.ModeKeyWrite)
		}
	}
	return false
}

func (k *keyState) perform(m *Machine, g *goroutine, alt int32) {
	writes, r := k.writes(g)
	x, use := g.req.x, mapUse(g.req.arg)
	g.reply.v, g.reply.ok = k.v, k.present
	switch use {
	case mapStore, mapSwap:
		k.set(g, x)
	case mapLoadOrStore:
		if writes {
			k.set(g, x)
			g.reply.v = x
		}
	case mapDelete, mapLoadAndDelete:
		k.unset()
	case mapCompareAndSwap, mapCompareAndDelete:
		g.reply.ok = writes
		switch {
		case r != nil:
			g.reply.v = r
		case writes && use == mapCompareAndSwap:
			k.set(g, g.req.y)
		case writes:
			k.unset()
		}
	}
	if m.mm != nil {
		m.mm.atomic(k.id, g, use != mapStore && use != mapDelete, writes)
	}
}

func (k *keyState) set(g *goroutine, v any) {
	k.v = v
	if !k.present {
		k.present, k.by, k.seq = true, g, g.seq
		for _, w := range k.of.walks {
			w.late = true
		}
	}
}

func (k *keyState) unset() {
	if k.present {
		k.v, k.present = nil, false
		for _, w := range k.of.walks {
			w.lose(k)
		}
	}
}

// add makes key one that is used in the execution.
func (s *mapState) add(m *Machine, key any) *keyState {
	k := take[keyState](m)
	k.of, k.key = s, key
	s.keys[key] = k
	m.admit(k)
	return k
}

// note shows an operation in a recorded execution: key, value, outcome.
func (k *keyState) note(g *goroutine, use mapUse, v any) {
	text := mapUseNames[use] + " " + show(k.key)
	switch use {
	case mapStore, mapSwap:
		text += ": " + show(k.v)
	case mapDelete:
	default:
		if g.reply.ok || use == mapLoadOrStore {
			text += ": " + show(v)
		} else {
			text += ": no"
		}
	}
	g.noteResult(text)
}

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
func (w *mapWalk) head() *header { return &w.of.header }

func (w *mapWalk) reset() {}

func (w *mapWalk) kind() string { return "Map" }

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
		co.g.usual(machine.ModelRange, "sync.Map.Range while keys are stored")
	}
}
