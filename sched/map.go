package sched

import (
	"fmt"
	"slices"
)

// A Map is a map that goroutines may use without a lock, like sync.Map. The
// zero Map is empty; it is empty again at the start of every execution.
//
// Every method is one scheduling point. Uses of different keys are independent
// of each other; Range and Clear depend on all that changes the map, and Clear on
// all that uses what it deletes.
type Map struct{ s mapState }

// mapState is a Map as an object. Its keys are objects as well.
type mapState struct {
	header
	keys map[any]*keyState // those used in this execution, present or not
	size int               // those present
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

// mapUse is what an OpMap does; the request has it in g.arg, and its values in
// g.x and g.y. The result is in g.x and g.ok.
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
	mapRange
	mapClear
)

var mapUseNames = [...]string{"load", "store", "load or store", "load and delete", "delete",
	"swap", "compare and swap", "compare and delete", "range", "clear"}

func (s *mapState) reset()                { s.keys, s.size = make(map[any]*keyState), 0 }
func (s *mapState) kind() string          { return "Map" }
func (s *mapState) blame(*Machine) string { return "" }

// describe describes a Range or Clear, which is all deletions in one.
func (s *mapState) describe(m *Machine, g *goroutine) bool {
	g.op.touch1(s.id, ModeScan)
	if mapUse(g.arg) == mapRange {
		return true
	}
	if s.size > 0 {
		g.op.more = append(make([]Access, 0, s.size+2), Access{Obj: s.id, Mode: ModeScan}, Access{Obj: s.id, Mode: ModeKeyWrite})
		for _, k := range s.keys {
			if k.present {
				g.op.more = append(g.op.more, Access{Obj: k.id, Mode: ModeWrite})
			}
		}
		slices.SortFunc(g.op.more[2:], func(a, b Access) int { return int(a.Obj - b.Obj) })
	}
	return false
}

// perform leaves the keys and values of a Range in g.x.
func (s *mapState) perform(m *Machine, g *goroutine, alt int32) {
	var present []*keyState
	for _, k := range s.keys {
		if m.mm != nil {
			m.mm.atomic(&k.header, g, mapUse(g.arg) == mapRange, mapUse(g.arg) == mapClear && k.present)
		}
		if k.present {
			present = append(present, k)
		}
	}
	if mapUse(g.arg) == mapClear {
		for _, k := range present {
			k.unset()
		}
		return
	}
	slices.SortFunc(present, func(a, b *keyState) int {
		if a.by == b.by {
			return int(a.seq - b.seq)
		}
		return slices.Compare(m.path(a.by), m.path(b.by))
	})
	pairs := make([][2]any, len(present))
	for i, k := range present {
		pairs[i] = [2]any{k.key, k.v}
	}
	g.x = pairs
}

func (k *keyState) reset()                { k.present = false }
func (k *keyState) kind() string          { return "Map" }
func (k *keyState) blame(*Machine) string { return "" }

// writes reports whether g's request would change the map now, or what the
// comparison of values that it asks for panics with.
func (k *keyState) writes(g *goroutine) (bool, *raised) {
	switch mapUse(g.arg) {
	case mapStore, mapSwap:
		return true, nil
	case mapLoadOrStore:
		return !k.present, nil
	case mapDelete, mapLoadAndDelete:
		return k.present, nil
	case mapCompareAndSwap, mapCompareAndDelete:
		if k.present {
			return same(k.v, g.x)
		}
	}
	return false, nil
}

func (k *keyState) describe(m *Machine, g *goroutine) bool {
	whole, mode := ModeKeyRead, ModeRead
	if w, r := k.writes(g); w && r == nil {
		whole, mode = ModeKeyWrite, ModeWrite
	}
	g.op.more, g.op.nacc = nil, 2
	g.op.acc = [2]Access{{Obj: k.of.id, Mode: whole}, {Obj: k.id, Mode: mode}}
	switch mapUse(g.arg) {
	case mapLoad, mapStore, mapSwap:
		return true
	}
	return false
}

func (k *keyState) perform(m *Machine, g *goroutine, alt int32) {
	writes, r := k.writes(g)
	x, y, use := g.x, g.y, mapUse(g.arg)
	g.x, g.ok = k.v, k.present
	switch use {
	case mapStore, mapSwap:
		k.set(g, x)
	case mapLoadOrStore:
		if writes {
			k.set(g, x)
			g.x = x
		}
	case mapDelete, mapLoadAndDelete:
		k.unset()
	case mapCompareAndSwap, mapCompareAndDelete:
		g.ok = writes
		switch {
		case r != nil:
			g.x = r
		case writes && use == mapCompareAndSwap:
			k.set(g, y)
		case writes:
			k.unset()
		}
	}
	if m.mm != nil {
		m.mm.atomic(&k.header, g, use != mapStore && use != mapDelete, writes)
	}
}

func (k *keyState) set(g *goroutine, v any) {
	k.v = v
	if !k.present {
		k.present, k.by, k.seq = true, g, g.seq
		k.of.size++
	}
}

func (k *keyState) unset() {
	if k.present {
		k.v, k.present = nil, false
		k.of.size--
	}
}

// ask makes a request to one key.
func (m *Map) ask(what string, use mapUse, key, x, y any) (any, bool) {
	g := enter(what)
	g.c.m.bind(&m.s)
	if len(m.s.keys) == 0 {
		_ = map[any]bool{key: true} // panics as sync.Map does; a look into an empty map does not
	}
	k := m.s.keys[key]
	if k == nil {
		k = &keyState{of: &m.s, key: key}
		m.s.keys[key] = k
	}
	g.c.m.bind(k)
	g.arg, g.x, g.y = uint64(use), x, y
	g.request(OpMap, k)
	v := g.x
	g.x, g.y = nil, nil
	if r, ok := v.(*raised); ok {
		panic(r.v)
	}
	if g.c.opt.Record {
		k.note(g, use, v)
	}
	return v, g.ok
}

// note shows an operation in a recorded execution: key, value, outcome.
func (k *keyState) note(g *goroutine, use mapUse, v any) {
	text := mapUseNames[use] + " " + show(k.key)
	switch use {
	case mapStore, mapSwap:
		text += ": " + show(k.v)
	case mapDelete:
	default:
		if g.ok || use == mapLoadOrStore {
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

// Range calls f for each key and value, until f returns false. The keys and
// values are those at the moment of the call: they are looked up in one step,
// where sync.Map promises less. The order is the same whenever the same
// goroutines have stored the same keys in the same order each.
func (m *Map) Range(f func(key, value any) bool) {
	g := enter("Map.Range")
	g.c.m.bind(&m.s)
	g.arg = uint64(mapRange)
	g.request(OpMap, &m.s)
	pairs := g.x.([][2]any)
	g.x = nil
	if g.c.opt.Record {
		g.noteResult(fmt.Sprintf("range over %d keys", len(pairs)))
	}
	for _, p := range pairs {
		if !f(p[0], p[1]) {
			return
		}
	}
}

// Clear deletes all keys.
func (m *Map) Clear() {
	g := enter("Map.Clear")
	g.c.m.bind(&m.s)
	g.arg = uint64(mapClear)
	g.request(OpMap, &m.s)
	g.noteResult("clear")
}
