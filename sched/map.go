package sched

import (
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Map is a map that goroutines may use without a lock, like sync.Map. The
// zero Map is empty; it is empty again at the start of every execution.
//
// Every method is one scheduling point; Range is one for every key more. Uses of
// different keys are independent of each other; Range depends on what brings keys
// or takes them away, and visiting a key on what changes its value.
type Map struct {
	_ [0]func() // it cannot be compared
	k machine.Key[machine.MapState]
	_ [(unsafe.Sizeof(sync.Map{}) - 8) / unsafe.Sizeof(uintptr(0))]uintptr
}

// ask makes a request to one key.
func (m *Map) ask(what string, use machine.MapUse, key, x, y any) (any, bool) {
	g := machine.Enter(what)
	s, _ := machine.Find(g.M, &m.k)
	if len(s.Keys) == 0 {
		_ = map[any]bool{key: true} // panics as sync.Map does; a look into an empty map does not
	}
	k := s.Keys[key]
	if k == nil {
		k = s.Add(g.M, key)
	}
	v := g.AskValues(trace.OpMap, k, uint64(use), x, y)
	if r, ok := v.(*machine.Raised); ok {
		panic(r.V)
	}
	if g.M.Record {
		k.Note(g, use, v)
	}
	return v, g.Reply.Ok
}

// Load returns the value stored for key, and whether there is one.
func (m *Map) Load(key any) (value any, ok bool) {
	return m.ask("Map.Load", machine.MapLoad, key, nil, nil)
}

// Store sets the value for key.
func (m *Map) Store(key, value any) { m.ask("Map.Store", machine.MapStore, key, value, nil) }

// LoadOrStore returns the value for key and true if there is one. Otherwise it
// stores value and returns it.
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	return m.ask("Map.LoadOrStore", machine.MapLoadOrStore, key, value, nil)
}

// LoadAndDelete deletes key, and returns its value and whether there was one.
func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	return m.ask("Map.LoadAndDelete", machine.MapLoadAndDelete, key, nil, nil)
}

// Delete deletes key.
func (m *Map) Delete(key any) { m.ask("Map.Delete", machine.MapDelete, key, nil, nil) }

// Swap sets the value for key, and returns the previous one and whether there
// was one.
func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	return m.ask("Map.Swap", machine.MapSwap, key, value, nil)
}

// CompareAndSwap sets the value for key to new if it is old, and reports
// whether it was. It panics if old cannot be compared.
func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	_, swapped = m.ask("Map.CompareAndSwap", machine.MapCompareAndSwap, key, old, new)
	return swapped
}

// CompareAndDelete deletes key if its value is old, and reports whether it was.
// It panics if old cannot be compared.
func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	_, deleted = m.ask("Map.CompareAndDelete", machine.MapCompareAndDelete, key, old, nil)
	return deleted
}

// Clear deletes all keys.
func (m *Map) Clear() {
	g := machine.Enter("Map.Clear")
	s, _ := machine.Find(g.M, &m.k)
	g.AskNumbers(trace.OpMap, s, uint64(machine.MapClear), 0)
	g.NoteResult("clear")
}
