package sched

import (
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
)

// This file keeps executions from seeing what earlier ones have left in package-level
// variables: these, and what can be reached from them, are copied before the first
// execution and put back after every one. What was done to them outside of
// executions stays.
//
// A copy is of memory in place: a variable that points somewhere points there
// again, and what is there is as it was. Of structs that are not plain data, such as
// those of packages os, net and sync, only exported fields are kept. What is in channels
// and in a sync.Map needs no copy, since executions have their own, but what that leads to
// does. What is behind functions cannot be followed; see [flowWatch] for that.

// keeper holds copies of what is to be put back after every execution.
type keeper struct {
	rows  []keptRow
	maps  []keptMap
	known map[reached]bool
	types map[reflect.Type]typeFacts
	room  int // how many more bytes may be kept
	work  int // what it costs to compare everything, in rows
	root  string

	executions int
	hot        []int         // rows and (from -1 downward) maps that executions may change, as far as is known
	isHot      map[int]bool  // ... as a set
	pages      []bool        // by hash: there is something on the page that is not hot; nil if there is little altogether
	onPage     map[int][]int // by hash: what is on the page
}

// reached is memory that has been reached already.
type reached struct {
	p unsafe.Pointer
	t reflect.Type
	n int
}

// keptRow is a row of values in memory, and a copy of it.
type keptRow struct {
	now, kept reflect.Value // slices
	p, q      unsafe.Pointer
	size      uintptr
	root      string // the variable that it was reached from
}

// keptMap is a map, and what is in it.
type keptMap struct {
	m          reflect.Value
	keys, vals reflect.Value // slices
	slot       reflect.Value // room for a value
	root       string
	released   bool // it is not put back
}

const (
	mostKept  = 64 << 20 // bytes; what is beyond is not kept
	cheapWork = 256      // rows that are compared after every execution
	firstAll  = 8        // executions after which everything is compared in any case
	rareAll   = 64       // ... and then, after how many again
)

// newKeeper copies what the registered variables hold.
func newKeeper() *keeper {
	hook.Variables.Mu.Lock()
	list := hook.Variables.List
	hook.Variables.Mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	k := &keeper{known: make(map[reached]bool), types: make(map[reflect.Type]typeFacts), room: mostKept, isHot: make(map[int]bool)}
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
		add(-i-1, k.maps[i].m.UnsafePointer(), 1)
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
	at := reached{p, t, n}
	if size == 0 || uintptr(p) < 4096 || k.known[at] || uintptr(k.room) < size || strings.HasPrefix(t.Name(), "_Ctype_") {
		return // nothing, no pointer, or C memory, which may be gone
	}
	k.known[at] = true
	facts := k.factsOf(t)
	if facts.whole {
		k.room -= int(size)
		k.work += 1 + int(size)/256
		c := keptRow{now: reflect.SliceAt(t, p, n), kept: reflect.MakeSlice(reflect.SliceOf(t), n, n), p: p, size: size, root: k.root}
		c.q = c.kept.UnsafePointer()
		reflect.Copy(c.kept, c.now)
		k.rows = append(k.rows, c)
		if facts.refers {
			for i := range n {
				k.follow(c.now.Index(i))
			}
		}
		return
	}
	for i := range n {
		k.parts(unsafe.Add(p, uintptr(i)*t.Size()), t)
	}
}

// parts keeps what is to be kept of a struct or an array with parts that are not.
func (k *keeper) parts(p unsafe.Pointer, t reflect.Type) {
	if t.Kind() == reflect.Array {
		k.keep(p, t.Elem(), t.Len())
		return
	}
	if m, ok := reflect.NewAt(t, p).Interface().(ranger); ok && t.PkgPath() == twinOfSync {
		m.Range(func(key, value any) bool {
			k.follow(reflect.ValueOf(key))
			k.follow(reflect.ValueOf(value))
			return true
		})
		return
	}
	private := !opaque(t)
	for i := range t.NumField() {
		if f := t.Field(i); private || f.IsExported() {
			k.keep(unsafe.Add(p, f.Offset), f.Type, 1)
		}
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
	at := reached{c.UnsafePointer(), c.Type(), 0}
	if k.known[at] {
		return
	}
	k.known[at] = true
	p := c.UnsafePointer()
	c = reflect.NewAt(c.Type(), unsafe.Pointer(&p)).Elem() // it may have come from a field that is not exported
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
	at := reached{m.UnsafePointer(), t, 0}
	size := n * int(t.Key().Size()+t.Elem().Size())
	if k.known[at] || k.room < size {
		return
	}
	k.known[at] = true
	k.room -= size
	k.work += 1 + 16*n
	kept := keptMap{
		m:    m,
		keys: reflect.MakeSlice(reflect.SliceOf(t.Key()), n, n),
		vals: reflect.MakeSlice(reflect.SliceOf(t.Elem()), n, n),
		slot: reflect.MakeSlice(reflect.SliceOf(t.Elem()), 1, 1),
		root: k.root,
	}
	entries := m.MapRange()
	for i := 0; entries.Next(); i++ {
		kept.keys.Index(i).SetIterKey(entries)
		kept.vals.Index(i).SetIterValue(entries)
		k.follow(kept.keys.Index(i))
		k.follow(kept.vals.Index(i))
	}
	k.maps = append(k.maps, kept)
}

// changed reports whether the row is not as it was.
func (c *keptRow) changed() bool {
	return unsafe.String((*byte)(c.p), c.size) != unsafe.String((*byte)(c.q), c.size)
}

// changed reports whether the map is not as it was.
func (m *keptMap) changed() bool {
	n := m.keys.Len()
	if m.m.Len() != n {
		return true
	}
	slot, size := m.slot.Index(0), m.slot.Type().Elem().Size()
	for i := range n {
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
	m.m.Clear()
	for i := range m.keys.Len() {
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
			note.note(Assumption{Kind: AssumeVariable, What: "the variable " + k.rootOf(i)})
		}
	}
}

// putBack puts a row or a map back, and reports whether it has been changed.
func (k *keeper) putBack(i int) bool {
	if i < 0 {
		m := &k.maps[-i-1]
		changed := !m.released && m.changed()
		if changed {
			m.restore()
		}
		return changed
	}
	c := &k.rows[i]
	changed := c.changed()
	if changed {
		reflect.Copy(c.now, c.kept)
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
		if k.maps[i].m.UnsafePointer() == p {
			return true
		}
	}
	return false
}

// release gives up keeping what is at p, which somebody else changes, and reports
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
		if m := &k.maps[i]; !m.released && m.m.UnsafePointer() == p {
			m.released, kept = true, true
		}
	}
	return kept
}

// typeFacts is what matters of a type.
type typeFacts struct {
	whole  bool // values are kept as a whole
	refers bool // ... and may lead to others
}

func (k *keeper) factsOf(t reflect.Type) typeFacts {
	f, ok := k.types[t]
	if !ok {
		f = k.newFacts(t)
		k.types[t] = f
	}
	return f
}

func (k *keeper) newFacts(t reflect.Type) typeFacts {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan:
		return typeFacts{whole: true, refers: true}
	case reflect.Array:
		return k.factsOf(t.Elem())
	case reflect.Struct:
		if t == timeType {
			return typeFacts{whole: true}
		}
		f := typeFacts{whole: !opaque(t), refers: atomicPointee(t) != nil}
		for i := range t.NumField() {
			of := k.factsOf(t.Field(i).Type)
			f.whole, f.refers = f.whole && of.whole, f.refers || of.refers
		}
		return f
	}
	return typeFacts{whole: true}
}

// atomicPointee returns the type that an atomic.Pointer points to, nil if t is none.
func atomicPointee(t reflect.Type) reflect.Type {
	if t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
		return t.Field(0).Type.Elem().Elem()
	}
	return nil
}

var timeType = reflect.TypeFor[time.Time]()

// opaqueFolders are the folders of the standard library with structs that are not
// plain data: they stand for goroutines, files, locks, or what the runtime knows.
var opaqueFolders = map[string]bool{
	"context": true, "crypto": true, "database": true, "internal": true, "iter": true, "net": true, "os": true,
	"plugin": true, "reflect": true, "runtime": true, "sync": true, "syscall": true, "testing": true, "time": true,
	"unique": true, "weak": true,
}

// opaque reports whether structs of a type are left alone but for their exported
// fields. What package strings and its like guard by a Once, or by atomics, is put back, so
// these are, too.
func opaque(t reflect.Type) bool {
	path := t.PkgPath()
	if rest, ours := strings.CutPrefix(path, stack.Module+"/"); ours {
		if rest == "sched/std/internal/quiet/sync" && t.Name() == "Once" || rest == "sched/std/internal/quiet/atomic" {
			return false
		}
		return rest != "sched/std/sync/atomic" && !strings.HasPrefix(rest, "examples/") && !strings.HasSuffix(rest, "_test")
	}
	switch path {
	case "sync/atomic", "net/netip", "net/url":
		return false
	}
	folder, _, _ := strings.Cut(path, "/")
	return opaqueFolders[folder]
}
