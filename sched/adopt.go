package sched

import (
	"github.com/gopor/gopor/internal/machine"
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
	meet(m *machine.Machine) (o machine.Object, fresh bool)
}

func (m *Mutex) place() *atomic.Uint64      { return &m.k.Epoch }
func (rw *RWMutex) place() *atomic.Uint64   { return &rw.k.Epoch }
func (wg *WaitGroup) place() *atomic.Uint64 { return &wg.k.Epoch }
func (o *Once) place() *atomic.Uint64       { return &o.k.Epoch }
func (m *Map) place() *atomic.Uint64        { return &m.k.Epoch }

func (m *Mutex) meet(mc *machine.Machine) (machine.Object, bool)      { return machine.Find(mc, &m.k) }
func (rw *RWMutex) meet(mc *machine.Machine) (machine.Object, bool)   { return machine.Find(mc, &rw.k) }
func (wg *WaitGroup) meet(mc *machine.Machine) (machine.Object, bool) { return machine.Find(mc, &wg.k) }
func (o *Once) meet(mc *machine.Machine) (machine.Object, bool)       { return machine.Find(mc, &o.k) }
func (m *Map) meet(mc *machine.Machine) (machine.Object, bool)        { return machine.Find(mc, &m.k) }

// Fresh reports whether the calling goroutine is the first of its execution to use
// p. When the execution is being unwound nobody is.
//
// It is taken for a read of the memory that p is in, by an atomic operation: it
// races with an assignment to a variable that has p in it.
func Fresh(p Primitive) bool {
	co := machine.Callers.Find()
	if co == nil || co.M.Closing {
		return false
	}
	o, fresh := p.meet(co.M)
	co.G.Use(unsafe.Pointer(p.place()), o, !fresh, machine.AtomicRead)
	return fresh
}

// adopt returns the state of the primitive with that key in the execution of the
// calling goroutine.
func adopt[S any, P machine.StateOf[S]](k *machine.Key[S]) *S {
	s, _ := machine.Find[S, P](machine.Enter("Adopt").M, k)
	return s
}

// AdoptMutex lets m be locked already.
func AdoptMutex(m *Mutex) {
	adopt(&m.k).Owner = machine.Outsider
}

// AdoptRWMutex lets rw be locked already, for writing, or by a number of readers.
func AdoptRWMutex(rw *RWMutex, writer bool, readers int) {
	s := adopt(&rw.k)
	if writer {
		s.Writer = machine.Outsider
	}
	for range readers {
		s.Readers = append(s.Readers, machine.Outsider)
	}
}

// AdoptWaitGroup lets the counter be n.
func AdoptWaitGroup(wg *WaitGroup, n int) {
	adopt(&wg.k).Count = int64(n)
}

// AdoptOnce lets o be done already.
func AdoptOnce(o *Once) {
	s := adopt(&o.k)
	s.Entered, s.Done = true, true
}

// AdoptMap lets m hold those keys and values. Range comes upon them in the order
// in which they are given.
func AdoptMap(m *Map, pairs [][2]any) {
	s, machine := adopt(&m.k), machine.Enter("AdoptMap").M
	for i, p := range pairs {
		k := s.Add(machine, p[0])
		k.V, k.Present = p[1], true
		k.By, k.Seq = machine.Clock, int32(i)
	}
}
