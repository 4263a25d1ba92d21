package sched

import (
	"sync/atomic"
	"unsafe"
)

// This file is for primitives that stand for one of the standard library, as
// those of the packages below std do. What they stand for may have been used
// before the execution began, by code that is not controlled, and then every
// execution begins with what that has left.
//
// Whoever uses such a primitive asks [Fresh] first; if that is true, a function
// of this file sets the state in which the execution finds the primitive. It is
// no event.

// Primitive is what can be adopted.
type Primitive interface {
	// place is where the primitive is in memory, meet finds its state.
	place() *atomic.Uint64
	meet(m *Machine) (o object, fresh bool)
}

func (m *Mutex) place() *atomic.Uint64      { return &m.k.epoch }
func (rw *RWMutex) place() *atomic.Uint64   { return &rw.k.epoch }
func (wg *WaitGroup) place() *atomic.Uint64 { return &wg.k.epoch }
func (o *Once) place() *atomic.Uint64       { return &o.k.epoch }
func (m *Map) place() *atomic.Uint64        { return &m.k.epoch }

func (m *Mutex) meet(mc *Machine) (object, bool)      { return find(mc, &m.k) }
func (rw *RWMutex) meet(mc *Machine) (object, bool)   { return find(mc, &rw.k) }
func (wg *WaitGroup) meet(mc *Machine) (object, bool) { return find(mc, &wg.k) }
func (o *Once) meet(mc *Machine) (object, bool)       { return find(mc, &o.k) }
func (m *Map) meet(mc *Machine) (object, bool)        { return find(mc, &m.k) }

// Fresh reports whether the calling goroutine is the first of its execution to use
// p. When the execution is being unwound nobody is.
//
// It is taken for a read of the memory that p is in, by an atomic operation: it
// races with an assignment to a variable that has p in it.
func Fresh(p Primitive) bool {
	co := callers.find()
	if co == nil || co.m.closing {
		return false
	}
	o, fresh := p.meet(co.m)
	co.g.use(unsafe.Pointer(p.place()), o, !fresh, atomicRead)
	return fresh
}

// adopt returns the state of the primitive with that key in the execution of the
// calling goroutine.
func adopt[S any, P stateOf[S]](k *key[S]) *S {
	s, _ := find[S, P](enter("Adopt").m, k)
	return s
}

// AdoptMutex lets m be locked already.
func AdoptMutex(m *Mutex) {
	adopt(&m.k).owner = outsider
}

// AdoptRWMutex lets rw be locked already, for writing, or by a number of readers.
func AdoptRWMutex(rw *RWMutex, writer bool, readers int) {
	s := adopt(&rw.k)
	if writer {
		s.writer = outsider
	}
	for range readers {
		s.readers = append(s.readers, outsider)
	}
}

// AdoptWaitGroup lets the counter be n.
func AdoptWaitGroup(wg *WaitGroup, n int) {
	adopt(&wg.k).count = int64(n)
}

// AdoptOnce lets o be done already.
func AdoptOnce(o *Once) {
	s := adopt(&o.k)
	s.entered, s.done = true, true
}

// AdoptMap lets m hold those keys and values. Range comes upon them in the order
// in which they are given.
func AdoptMap(m *Map, pairs [][2]any) {
	s, machine := adopt(&m.k), enter("AdoptMap").m
	for i, p := range pairs {
		k := s.add(machine, p[0])
		k.v, k.present = p[1], true
		k.by, k.seq = machine.clock, int32(i)
	}
}
