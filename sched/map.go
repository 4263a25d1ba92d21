package sched

import (
	"github.com/gopor/gopor/sched/trace"
	"slices"
)

// A Map is a map that goroutines may use without a lock, like sync.Map. The
// zero Map is empty; it is empty again at the start of every execution.
//
// Every method is one scheduling point; Range is one for every key more. Uses of
// different keys are independent of each other; Range depends on what brings keys
// or takes them away, and visiting a key on what changes its value.
type Map struct{ k key[mapState] }

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

func (s *mapState) kind() string          { return "Map" }
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

func (k *keyState) reset()                { *k = keyState{} }
func (k *keyState) kind() string          { return "Map" }
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

// ask makes a request to one key.
func (m *Map) ask(what string, use mapUse, key, x, y any) (any, bool) {
	g := enter(what)
	s, _ := find(g.m, &m.k)
	if len(s.keys) == 0 {
		_ = map[any]bool{key: true} // panics as sync.Map does; a look into an empty map does not
	}
	k := s.keys[key]
	if k == nil {
		k = s.add(g.m, key)
	}
	v := g.askValues(trace.OpMap, k, uint64(use), x, y)
	if r, ok := v.(*raised); ok {
		panic(r.v)
	}
	if g.m.Record {
		k.note(g, use, v)
	}
	return v, g.reply.ok
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

// Load returns the value stored for key, and whether there is one.
func (m *Map) Load(key any) (value any, ok bool) {
	return m.ask("Map.Load", mapLoad, key, nil, nil)
}

// Store sets the value for key.
func (m *Map) Store(key, value any) { m.ask("Map.Store", mapStore, key, value, nil) }

// LoadOrStore returns the value for key and true if there is one. Otherwise it
// stores value and returns it.
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	return m.ask("Map.LoadOrStore", mapLoadOrStore, key, value, nil)
}

// LoadAndDelete deletes key, and returns its value and whether there was one.
func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	return m.ask("Map.LoadAndDelete", mapLoadAndDelete, key, nil, nil)
}

// Delete deletes key.
func (m *Map) Delete(key any) { m.ask("Map.Delete", mapDelete, key, nil, nil) }

// Swap sets the value for key, and returns the previous one and whether there
// was one.
func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	return m.ask("Map.Swap", mapSwap, key, value, nil)
}

// CompareAndSwap sets the value for key to new if it is old, and reports
// whether it was. It panics if old cannot be compared.
func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	_, swapped = m.ask("Map.CompareAndSwap", mapCompareAndSwap, key, old, new)
	return swapped
}

// CompareAndDelete deletes key if its value is old, and reports whether it was.
// It panics if old cannot be compared.
func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	_, deleted = m.ask("Map.CompareAndDelete", mapCompareAndDelete, key, old, nil)
	return deleted
}

// Clear deletes all keys.
func (m *Map) Clear() {
	g := enter("Map.Clear")
	s, _ := find(g.m, &m.k)
	g.askNumbers(trace.OpMap, s, uint64(mapClear), 0)
	g.noteResult("clear")
}
