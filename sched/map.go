package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// A Map is a map that goroutines may use without a lock, like sync.Map. The
// zero Map is empty; it is empty again at the start of every execution.
//
// Every method is one scheduling point; Range is one for every key more. Uses of
// different keys are independent of each other; Range depends on what brings keys
// or takes them away, and visiting a key on what changes its value.
type Map struct{ k key[mapState] }

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
