package machine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// MapState is a Map as an object. Its keys are objects as well.
type MapState struct {
	header
	Keys  map[any]*KeyState // those used in this execution, present or not
	walks []*MapWalk        // calls of Range that go on
	first firstUse
}

// KeyState is one key of a map. The goroutine and the number of its event that
// put the key into the map order the keys: whatever the interleaving, they are
// the same in one trace.
type KeyState struct {
	header
	Of      *MapState
	Key     any
	V       any
	Present bool
	By      *Goroutine
	Seq     int32
	stored  int32 // how often
}

// MapUse is what an OpMap does; the request has it in arg, and its values in x and y.
// The reply has the result in v and ok.
type MapUse uint64

const (
	MapLoad MapUse = iota
	MapStore
	MapLoadOrStore
	MapLoadAndDelete
	MapDelete
	MapSwap
	MapCompareAndSwap
	MapCompareAndDelete
	MapRange // begins
	mapVisit // the next key of a Range
	MapClear
)

var mapUseNames = [...]string{"load", "store", "load or store", "load and delete", "delete",
	"swap", "compare and swap", "compare and delete", "range", "visit", "clear"}

func (s *MapState) reset() {
	if s.Keys == nil {
		s.Keys = make(map[any]*KeyState)
	}
	clear(s.Keys)
	s.walks, s.first = nil, firstUse{}
}

func (s *MapState) Kind() string { return "Map" }

func (s *MapState) blame(*Machine) string { return "" }

// sorted returns the keys that were ever in the map, in the order of the events,
// and of the goroutines, that have put them there last.
func (s *MapState) sorted(m *Machine) (keys []*KeyState) {
	for _, k := range s.Keys {
		if k.By != nil {
			keys = append(keys, k)
		}
	}
	m.sortKeys(keys)
	return keys
}

// present returns those that are in it.
func (s *MapState) present(m *Machine) (keys []*KeyState) {
	for _, k := range s.Keys {
		if k.Present {
			keys = append(keys, k)
		}
	}
	m.sortKeys(keys)
	return keys
}

func (m *Machine) sortKeys(keys []*KeyState) {
	slices.SortFunc(keys, func(a, b *KeyState) int {
		if a.By == b.By {
			return int(a.Seq - b.Seq)
		}
		return m.comparePaths(a.By, b.By)
	})
}

// describe describes a Clear, or the beginning of a Range.
func (s *MapState) describe(m *Machine, g *Goroutine) bool {
	if MapUse(g.Req.Arg) == MapRange {
		g.Op.Touch(s.ID, trace.ModeScan)
		g.Op.Footprint = trace.SteadyFootprint
		return true
	}
	g.Op.Touch(s.ID, trace.ModeClear)
	for _, k := range s.present(m) {
		g.Op.TouchAlso(k.ID, trace.ModeWrite)
	}
	return false
}

func (s *MapState) perform(m *Machine, g *Goroutine, alt int32) {
	if MapUse(g.Req.Arg) == MapRange {
		w := g.Req.x.(*MapWalk)
		w.Keys, w.by = s.present(m), g.ID
		s.walks = append(s.walks, w)
		s.misses(m, g)
		return
	}
	for _, w := range s.walks {
		w.freeze()
	}
	for _, k := range s.Keys {
		if m.Memory.Races != nil {
			m.Memory.Races.atomic(k.ID, g, false, k.Present)
		}
		if m.Keys != nil {
			m.Keys.atomic(k.ID, g, false, k.Present)
		}
		k.unset()
	}
}

// misses lets g, which ranges over the map, come after the events that have taken away what g does
// not find.
func (s *MapState) misses(m *Machine, g *Goroutine) {
	if m.Memory.Races == nil {
		return
	}
	for _, k := range s.Keys {
		if !k.Present {
			m.Memory.Races.acquire(k.ID, g)
		}
	}
}

func (k *KeyState) reset() { *k = KeyState{} }

func (k *KeyState) Kind() string { return "Map" }

func (k *KeyState) blame(*Machine) string { return "" }

// writes reports whether g's request would change the map now, or what the
// comparison of values that it asks for panics with.
func (k *KeyState) writes(g *Goroutine) (bool, *Raised) {
	switch MapUse(g.Req.Arg) {
	case MapStore, MapSwap:
		return true, nil
	case MapLoadOrStore:
		return !k.Present, nil
	case MapDelete, MapLoadAndDelete:
		return k.Present, nil
	case MapCompareAndSwap, MapCompareAndDelete:
		if k.Present {
			return same(k.V, g.Req.x)
		}
	}
	return false, nil
}

// A key that comes or goes is a matter of the whole map. Whether it does must not
// depend on its value, which can change without that: so a CompareAndDelete counts
// as one that deletes.
func (k *KeyState) describe(m *Machine, g *Goroutine) bool {
	use := MapUse(g.Req.Arg)
	mode := trace.ModeRead
	if w, r := k.writes(g); w && r == nil {
		mode = trace.ModeWrite
	}
	g.Op.Touch(k.ID, mode)
	switch use {
	case MapLoad:
		g.Op.Footprint = trace.SteadyFootprint
		return true
	case MapStore, MapSwap, MapLoadOrStore:
		if !k.Present {
			g.Op.TouchAlso(k.Of.ID, trace.ModeKeyWrite)
		}
	case MapDelete, MapLoadAndDelete, MapCompareAndDelete:
		if k.Present {
			g.Op.TouchAlso(k.Of.ID, trace.ModeKeyWrite)
		}
	}
	return false
}

func (k *KeyState) perform(m *Machine, g *Goroutine, alt int32) {
	writes, r := k.writes(g)
	x, use := g.Req.x, MapUse(g.Req.Arg)
	g.Reply.v, g.Reply.Ok = k.V, k.Present
	switch use {
	case MapStore, MapSwap:
		k.set(g, x)
	case MapLoadOrStore:
		if writes {
			k.set(g, x)
			g.Reply.v = x
		}
	case MapDelete, MapLoadAndDelete:
		k.unset()
	case MapCompareAndSwap, MapCompareAndDelete:
		g.Reply.Ok = writes
		switch {
		case r != nil:
			g.Reply.v = r
		case writes && use == MapCompareAndSwap:
			k.set(g, g.Req.y)
		case writes:
			k.unset()
		}
	}
	if m.Memory.Races != nil {
		m.Memory.Races.atomic(k.ID, g, use != MapStore && use != MapDelete, writes)
	}
	if m.Keys != nil {
		m.Keys.atomic(k.ID, g, use != MapStore && use != MapDelete, writes)
	}
}

func (k *KeyState) set(g *Goroutine, v any) {
	k.V = v
	k.stored++
	if !k.Present {
		k.Present, k.By, k.Seq = true, g, g.seq
		for _, w := range k.Of.walks {
			w.late = true
		}
	}
}

func (k *KeyState) unset() {
	if k.Present {
		k.V, k.Present = nil, false
		for _, w := range k.Of.walks {
			w.lose(k)
		}
	}
}

// Add makes key one that is used in the execution.
func (s *MapState) Add(m *Machine, key any) *KeyState {
	k := Take[KeyState](m)
	k.Of, k.Key = s, key
	s.Keys[key] = k
	m.Admit(k)
	return k
}

// Note shows an operation in a recorded execution: key, value, outcome.
func (k *KeyState) Note(g *Goroutine, use MapUse, v any) {
	text := mapUseNames[use] + " " + g.show(k.Key)
	switch use {
	case MapStore, MapSwap:
		text += ": " + g.show(k.V)
	case MapDelete:
	default:
		if g.Reply.Ok || use == MapLoadOrStore {
			text += ": " + g.show(v)
		} else {
			text += ": no"
		}
	}
	g.NoteResult(text)
}

// MapWalk is a call of Range that goes on. In package sync it goes along the hashes of the keys,
// which are others in every process, and finds what is there when it comes by. Each key is looked
// up in its turn. A key that is stored meanwhile is found if its place was still to come. Clear
// takes the map away from the walks: they finish on what was there.
//
// Usually the walk looks for the keys that were there when it began, in their order.
// With ModelRange it may take any key next, and end when it has been to all that
// were there all the time.
type MapWalk struct {
	Of   *MapState
	Fine bool
	by   trace.ID // the goroutine that calls Range
	// keys were there when the walk began, and are still to be looked for; with fine
	// set, they have been there all the time.
	Keys    []*KeyState
	visited []*KeyState           // with fine set
	left    map[*KeyState]mapPair // what there was to be found at the Clear, nil if there was none
	late    bool                  // a key was stored meanwhile
	At      mapPair               // what was found last
}

// mapPair is a key and its value; the key is nil if there is none.
type mapPair struct {
	K      *KeyState
	V      any
	stored int32 // how often one was
}

// Head returns that of the map: the walk goes by the identity of its map.
func (w *MapWalk) Head() *header { return &w.Of.header }

func (w *MapWalk) reset() {}

func (w *MapWalk) Kind() string { return "Map" }

func (w *MapWalk) blame(*Machine) string { return "" }

// look returns what is to be found of k.
func (w *MapWalk) look(k *KeyState) mapPair {
	switch {
	case w.left != nil:
		return w.left[k]
	case k.Present:
		return mapPair{k, k.V, k.stored}
	}
	return mapPair{}
}

// ahead returns the keys that are there and were not visited.
func (w *MapWalk) ahead(m *Machine) (keys []*KeyState) {
	for _, k := range w.Of.sorted(m) {
		if w.look(k).K != nil && !slices.Contains(w.visited, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// freeze keeps what there is to be found before the map is cleared.
func (w *MapWalk) freeze() {
	if w.left != nil {
		return
	}
	left := make(map[*KeyState]mapPair)
	for _, k := range w.Of.Keys {
		left[k] = w.look(k)
	}
	w.left = left
}

// lose notes that k was deleted: if it comes back, it may be overlooked.
func (w *MapWalk) lose(k *KeyState) {
	if w.Fine && w.left == nil {
		w.Keys = without(w.Keys, k)
	}
}

func without(keys []*KeyState, k *KeyState) []*KeyState {
	if i := slices.Index(keys, k); i >= 0 {
		return slices.Delete(keys, i, i+1)
	}
	return keys
}

// describe describes the next step: usually it looks for one key, otherwise there are
// as many alternatives as keys to be found, and perhaps that of ending.
func (w *MapWalk) describe(m *Machine, g *Goroutine) bool {
	if !w.Fine {
		g.Op.Touch(w.Keys[0].ID, trace.ModeRead)
		g.Op.Footprint = trace.SteadyFootprint // the Range has found the key at its beginning
		return true
	}
	g.Op.Touch(w.Of.ID, trace.ModeScan)
	g.Op.Alts = 0
	for _, k := range w.ahead(m) {
		g.Op.TouchAlso(k.ID, trace.ModeRead)
		g.Op.Alts++
	}
	if len(w.Keys) == 0 {
		g.Op.Alts++
	}
	return false
}

func (w *MapWalk) perform(m *Machine, g *Goroutine, alt int32) {
	w.At = mapPair{}
	var k *KeyState
	if !w.Fine {
		k = w.Keys[0]
	} else if keys := w.ahead(m); int(alt) < len(keys) {
		k = keys[alt]
		w.visited = append(w.visited, k)
	} else {
		return
	}
	w.Keys = without(w.Keys, k)
	w.At = w.look(k)
	if m.Memory.Races != nil {
		m.Memory.Races.atomic(k.ID, g, true, false)
	}
	if m.Keys != nil {
		m.Keys.atomic(k.ID, g, true, false)
	}
}

// Next looks for the next key and reports whether the walk goes on.
func (w *MapWalk) Next() bool {
	if !w.Fine && len(w.Keys) == 0 {
		return false
	}
	g := Enter("Map.Range")
	g.AskNumbers(trace.OpMap, w, uint64(mapVisit), 0)
	if g.M.Record {
		text := "range: nothing"
		if w.At.K != nil {
			text = "range: " + g.show(w.At.K.Key) + ": " + g.show(w.At.V)
		}
		g.NoteResult(text)
	}
	return !w.Fine || w.At.K != nil
}

// End says what the usual model has left out.
func (w *MapWalk) End() {
	s := w.Of
	// Not by functions of package slices, which the linker may take from a package of the program:
	// they would announce their accesses as the program's, outside of an operation.
	for i, other := range s.walks {
		if other == w {
			copy(s.walks[i:], s.walks[i+1:])
			s.walks = s.walks[:len(s.walks)-1]
			break
		}
	}
	if co := Callers.Find(); w.late && !w.Fine && co != nil && !co.M.Closing {
		co.G.Usual(ModelRange, "sync.Map.Range while keys are stored")
	}
}
