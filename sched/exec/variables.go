package exec

import (
	"cmp"
	"reflect"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
)

// This file keeps executions from seeing what earlier ones have left in package-level
// variables: these, and what can be reached from them, are copied before the first
// execution and put back after every one. What was done to them outside of
// executions stays.
//
// A copy is of memory in place: a variable that points somewhere points there again, and what is
// there is as it was. Of structs that are not plain data, such as those of packages os, net and
// sync, only exported fields are kept. What is in channels and in a sync.Map needs no copy, since
// executions have their own, but what that leads to does; a sync.Map of the standard library's,
// such as that of an expvar.Map, is kept like a map. What is behind functions cannot be followed;
// see [flowWatch] for that.

// keeper holds copies of what is to be put back after every execution.
type keeper struct {
	rows  []keptRow
	maps  []keptMap
	known map[reached]bool
	types map[reflect.Type]*typeFacts
	room  int // how many more bytes may be kept
	work  int // what it costs to compare everything, in rows
	std   int // entries of maps of type stdMap that are always compared
	root  string

	executions int
	changed    string // the variable that an execution has changed first, "" for none
	// Rows and (from -1 downward) maps that executions may change, as far as is known.
	hot   []int
	isHot map[int]bool // the elements of hot
	// By hash: there is something on the page that is not hot; nil if there is little altogether.
	pages  []bool
	onPage map[int][]int // by hash: what is on the page
}

// reached is memory that has been reached already.
type reached struct {
	p unsafe.Pointer
	f *typeFacts
	n int
}

// keptRow is a row of values in memory, and a copy of it.
type keptRow struct {
	t    reflect.Type // of one of them
	n    int
	p, q unsafe.Pointer // where they are, and the copy
	size uintptr
	root string // the variable that it was reached from
}

// keptMap is a map, and what is in it.
type keptMap struct {
	m          reflect.Value
	n          int           // entries
	keys, vals reflect.Value // slices, if there are any
	slot       reflect.Value // room for a value, the same
	// same reports whether the entries are as they were, sooner than by package reflect; or nil.
	same     func(*keptMap) bool
	sync     *stdMap // the map, if it is a sync.Map of the standard library's
	root     string
	released bool // it is not put back
}

// at is where the map is.
func (m *keptMap) at() unsafe.Pointer {
	if m.sync != nil {
		return m.sync.p
	}
	return m.m.UnsafePointer()
}

const (
	mostKept  = 64 << 20 // bytes; what is beyond is not kept
	cheapWork = 256      // rows that are compared after every execution
	firstAll  = 8        // executions after which everything is compared in any case
	// Executions from one comparison of everything to the next, after the first firstAll.
	rareAll = 64
)

// newKeeper copies what the registered variables hold.
func newKeeper() *keeper {
	hook.Variables.Mu.Lock()
	list := hook.Variables.List
	hook.Variables.Mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	k := &keeper{known: make(map[reached]bool), types: make(map[reflect.Type]*typeFacts), room: mostKept, isHot: make(map[int]bool)}
	for _, v := range list {
		k.root = v.Name
		k.keep(v.P, v.T, 1)
	}
	k.known, k.types = nil, nil
	if k.work > cheapWork {
		k.index()
	}
	return k
}

// Pages are what announced writes are looked up by.
const (
	pageSize   = 1 << 9
	pageHashes = 1 << 14
)

func pageOf(p unsafe.Pointer) uintptr { return uintptr(p) / pageSize }

func hashOfPage(page uintptr) int { return int(uint64(page) * 0x9e3779b97f4a7c15 >> 50) }

// index finds out which pages have what is kept.
func (k *keeper) index() {
	k.pages, k.onPage = make([]bool, pageHashes), make(map[int][]int)
	add := func(i int, p unsafe.Pointer, size uintptr) {
		for page := pageOf(p); page <= pageOf(unsafe.Add(p, size-1)); page++ {
			h := hashOfPage(page)
			k.pages[h] = true
			k.onPage[h] = append(k.onPage[h], i)
		}
	}
	for i := range k.rows {
		add(i, k.rows[i].p, k.rows[i].size)
	}
	for i := range k.maps {
		add(-i-1, k.maps[i].at(), 1)
	}
}

// wrote is told of a write. What is on its pages is compared after this execution
// and all later ones.
func (k *keeper) wrote(p unsafe.Pointer, size uintptr) {
	for page := pageOf(p); page <= pageOf(unsafe.Add(p, size-1)); page++ {
		h := hashOfPage(page)
		if !k.pages[h] {
			continue
		}
		k.pages[h] = false
		for _, i := range k.onPage[h] {
			k.heat(i)
		}
	}
}

func (k *keeper) heat(i int) {
	if !k.isHot[i] {
		k.isHot[i] = true
		k.hot = append(k.hot, i)
	}
}

// keep copies n values in a row, and what can be reached from them.
func (k *keeper) keep(p unsafe.Pointer, t reflect.Type, n int) {
	size := t.Size() * uintptr(n)
	if size == 0 || uintptr(p) < 4096 || uintptr(k.room) < size {
		return // nothing, no pointer, or too much
	}
	facts := k.factsOf(t)
	at := reached{p, facts, n}
	if facts.foreign || k.known[at] {
		return
	}
	k.known[at] = true
	k.copy(p, t, n, facts)
}

// copy is keep for what was not reached before, or is part of that.
func (k *keeper) copy(p unsafe.Pointer, t reflect.Type, n int, facts *typeFacts) {
	size := t.Size() * uintptr(n)
	if uintptr(k.room) < size {
		return
	}
	if facts.whole {
		k.room -= int(size)
		k.work += 1 + int(size)/256
		now, q := reflect.SliceAt(t, p, n), facts.take(t, n)
		reflect.Copy(reflect.SliceAt(t, q, n), now)
		k.rows = append(k.rows, keptRow{t: t, n: n, p: p, q: q, size: size, root: k.root})
		if facts.refers {
			for i := range n {
				k.follow(now.Index(i))
			}
		}
		return
	}
	for i := range n {
		k.parts(unsafe.Add(p, uintptr(i)*t.Size()), t, facts)
	}
}

// parts keeps what is to be kept of a struct or an array with parts that are not.
func (k *keeper) parts(p unsafe.Pointer, t reflect.Type, facts *typeFacts) {
	if facts.std {
		k.keepStdMap(p, t)
		return
	}
	if facts.ranges {
		reflect.NewAt(t, p).Interface().(ranger).Range(func(key, value any) bool {
			k.follow(reflect.ValueOf(key))
			k.follow(reflect.ValueOf(value))
			return true
		})
		return
	}
	for i := range facts.parts {
		part := &facts.parts[i]
		k.copy(unsafe.Add(p, part.offset), part.t, part.n, part.facts)
	}
}

// ranger is a sync.Map, as rewritten code has it.
type ranger interface {
	Range(f func(key, value any) bool)
}

var twinOfSync = stack.Module + "/sched/std/sync"

// followChan keeps what the values in a channel refer to, which are taken out and put
// back.
func (k *keeper) followChan(c reflect.Value) {
	if c.IsNil() || c.Len() == 0 || c.Type().ChanDir() != reflect.BothDir || !k.factsOf(c.Type().Elem()).refers {
		return
	}
	at := reached{c.UnsafePointer(), k.factsOf(c.Type()), 0}
	if k.known[at] {
		return
	}
	k.known[at] = true
	p := c.UnsafePointer()
	// It may have come from a field that is not exported.
	c = reflect.NewAt(c.Type(), unsafe.Pointer(&p)).Elem()
	n := c.Len()
	marked, open := probe(c)
	if !open {
		return // what is in it cannot be put back
	}
	for range n {
		if v, ok := c.TryRecv(); ok {
			k.follow(v)
			c.TrySend(v)
		}
	}
	if marked {
		c.TryRecv()
	}
}

// probe sends a value to a channel unless it is full, and reports whether it is open.
func probe(c reflect.Value) (sent, open bool) {
	defer func() { recover() }()
	return c.TrySend(reflect.Zero(c.Type().Elem())), true
}

// follow keeps what a value refers to.
func (k *keeper) follow(v reflect.Value) {
	t := v.Type()
	if !k.factsOf(t).refers {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		k.keep(v.UnsafePointer(), t.Elem(), 1)
	case reflect.Slice:
		k.keep(v.UnsafePointer(), t.Elem(), v.Cap())
	case reflect.Map:
		if p := v.UnsafePointer(); p != nil {
			k.keepMap(reflect.NewAt(t, unsafe.Pointer(&p)).Elem())
		}
	case reflect.Chan:
		k.followChan(v)
	case reflect.Interface:
		if !v.IsNil() {
			k.follow(v.Elem())
		}
	case reflect.Array:
		for i := range v.Len() {
			k.follow(v.Index(i))
		}
	case reflect.Struct:
		if elem := atomicPointee(t); elem != nil {
			if v.CanAddr() {
				k.keep(*(*unsafe.Pointer)(v.Addr().UnsafePointer()), elem, 1)
			}
			return
		}
		private := !opaque(t)
		for i := range t.NumField() {
			if private || t.Field(i).IsExported() {
				k.follow(v.Field(i))
			}
		}
	}
}

// keepMap copies what is in a map, and what can be reached from there.
func (k *keeper) keepMap(m reflect.Value) {
	t, n := m.Type(), m.Len()
	at := reached{m.UnsafePointer(), k.factsOf(t), 0}
	size := n * int(t.Key().Size()+t.Elem().Size())
	if k.known[at] || k.room < size {
		return
	}
	k.known[at] = true
	k.room -= size
	k.work += 1 + 16*n
	kept := keptMap{m: m, n: n, root: k.root}
	if n > 0 {
		kept.same = sameOf(t)
		kept.keys = reflect.MakeSlice(reflect.SliceOf(t.Key()), n, n)
		kept.vals = reflect.MakeSlice(reflect.SliceOf(t.Elem()), n, n)
		kept.slot = reflect.MakeSlice(reflect.SliceOf(t.Elem()), 1, 1)
		entries := m.MapRange()
		for i := 0; entries.Next(); i++ {
			kept.keys.Index(i).SetIterKey(entries)
			kept.vals.Index(i).SetIterValue(entries)
			k.follow(kept.keys.Index(i))
			k.follow(kept.vals.Index(i))
		}
	}
	k.maps = append(k.maps, kept)
}

// changed reports whether the row is not as it was.
func (c *keptRow) changed() bool {
	return unsafe.String((*byte)(c.p), c.size) != unsafe.String((*byte)(c.q), c.size)
}

// changed reports whether the map is not as it was.
func (m *keptMap) changed() bool {
	if m.sync != nil {
		return m.sync.changed()
	}
	if m.m.Len() != m.n || m.n == 0 {
		return m.m.Len() != m.n
	}
	if m.same != nil {
		return !m.same(m)
	}
	slot, size := m.slot.Index(0), m.slot.Type().Elem().Size()
	for i := range m.n {
		v := m.m.MapIndex(m.keys.Index(i))
		if !v.IsValid() {
			return true
		}
		slot.Set(v)
		now, was := m.slot.UnsafePointer(), m.vals.Index(i).Addr().UnsafePointer()
		if size > 0 && unsafe.String((*byte)(now), size) != unsafe.String((*byte)(was), size) {
			return true
		}
	}
	return false
}

func (m *keptMap) restore() {
	if m.sync != nil {
		m.sync.restore()
		return
	}
	m.m.Clear()
	for i := range m.n {
		m.m.SetMapIndex(m.keys.Index(i), m.vals.Index(i))
	}
}

// restore puts back what an execution has changed. If there is much that it may have
// changed, it looks at what it knows to have been written, and at all only now and
// then: the standard library announces no writes. What it comes upon late is noted.
func (k *keeper) restore(note *assumptions) {
	k.executions++
	for _, i := range k.hot {
		k.putBack(i)
	}
	if k.work <= cheapWork || k.executions <= firstAll || k.executions%rareAll == 0 {
		k.restoreAll(note)
	}
}

func (k *keeper) restoreAll(note *assumptions) {
	late := k.work > cheapWork && k.executions > firstAll
	for i := -len(k.maps); i < len(k.rows); i++ {
		if k.isHot[i] || !k.putBack(i) {
			continue
		}
		k.heat(i)
		if late {
			note.note(Assumption{Kind: sched.AssumeVariable, What: "the variable " + k.rootOf(i)})
		}
	}
}

// putBack puts a row or a map back, and reports whether it has been changed.
func (k *keeper) putBack(i int) bool {
	if i < 0 {
		m := &k.maps[-i-1]
		changed := !m.released && m.changed()
		if changed {
			k.changed = cmp.Or(k.changed, m.root)
			m.restore()
		}
		return changed
	}
	c := &k.rows[i]
	changed := c.changed()
	if changed {
		k.changed = cmp.Or(k.changed, c.root)
		reflect.Copy(reflect.SliceAt(c.t, c.p, c.n), reflect.SliceAt(c.t, c.q, c.n))
	}
	return changed
}

func (k *keeper) rootOf(i int) string {
	if i < 0 {
		return k.maps[-i-1].root
	}
	return k.rows[i].root
}

// holds reports whether what is at p is put back.
func (k *keeper) holds(p unsafe.Pointer) bool {
	if k == nil {
		return false
	}
	for i := range k.rows {
		if c := &k.rows[i]; uintptr(p)-uintptr(c.p) < c.size {
			return true
		}
	}
	for i := range k.maps {
		if k.maps[i].at() == p {
			return true
		}
	}
	return false
}

// release gives up keeping what is at p, which another goroutine changes, and reports
// whether it was kept.
func (k *keeper) release(p unsafe.Pointer) (kept bool) {
	if k == nil {
		return false
	}
	for i := range k.rows {
		if c := &k.rows[i]; uintptr(p)-uintptr(c.p) < c.size {
			c.size, kept = 0, true
		}
	}
	for i := range k.maps {
		if m := &k.maps[i]; !m.released && m.at() == p {
			m.released, kept = true, true
		}
	}
	return kept
}
