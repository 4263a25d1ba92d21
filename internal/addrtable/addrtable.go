// Package addrtable has tables of what an execution knows of addresses.
package addrtable

import "unsafe"

// Table maps addresses to what an execution knows of them. It forgets
// everything when the next execution begins, at no cost, and keeps its memory.
type Table[P Address, V any] struct {
	Epoch uint64
	n     int // entries of this epoch
	slots []tableSlot[P, V]
}

type tableSlot[P Address, V any] struct {
	p     P
	epoch uint64
	v     V
}

// Address is a pointer, or a place that no pointer may point to, such as the beginning of a page
// that an object is in.
type Address interface{ unsafe.Pointer | uintptr }

// Pointers is a table of pointers. What is in it is alive, so its address cannot be reused
// within the execution.
type Pointers[V any] = Table[unsafe.Pointer, V]

// Turn begins the execution of that epoch, if it has not begun.
func (t *Table[P, V]) Turn(epoch uint64) {
	if t.Epoch != epoch {
		t.Epoch, t.n = epoch, 0
	}
}

// At returns the entry of p, and whether it is new; a new one holds what an
// earlier execution has left in its place. It is valid until the next call.
func (t *Table[P, V]) At(p P) (v *V, fresh bool) {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	for i := t.slot(p); ; i = (i + 1) & (len(t.slots) - 1) {
		s := &t.slots[i]
		switch {
		case s.epoch != t.Epoch:
			s.p, s.epoch = p, t.Epoch
			t.n++
			return &s.v, true
		case s.p == p:
			return &s.v, false
		}
	}
}

// Find returns the entry of p, nil if there is none.
func (t *Table[P, V]) Find(p P) *V {
	if t.n == 0 {
		return nil
	}
	for i := t.slot(p); ; i = (i + 1) & (len(t.slots) - 1) {
		s := &t.slots[i]
		switch {
		case s.epoch != t.Epoch:
			return nil
		case s.p == p:
			return &s.v
		}
	}
}

func (t *Table[P, V]) slot(p P) int {
	return int((uint64(uintptr(p))>>3)*0x9e3779b97f4a7c15>>32) & (len(t.slots) - 1)
}

func (t *Table[P, V]) grow() {
	old := t.slots
	t.slots = make([]tableSlot[P, V], max(64, 2*len(old)))
	t.n = 0
	for i := range old {
		if s := &old[i]; s.epoch == t.Epoch {
			v, _ := t.At(s.p)
			*v = s.v
		}
	}
}

// Len returns the number of entries.
func (t *Table[P, V]) Len() int { return t.n }

// Each calls visit for the entries of an epoch.
func (t *Table[P, V]) Each(epoch uint64, visit func(P, *V)) {
	for i := range t.slots {
		if s := &t.slots[i]; t.Epoch == epoch && s.epoch == epoch {
			visit(s.p, &s.v)
		}
	}
}

// Clear gives up the memory, and what it keeps alive.
func (t *Table[P, V]) Clear() { *t = Table[P, V]{Epoch: t.Epoch} }
