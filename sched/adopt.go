package sched

import "github.com/gopor/gopor/sched/trace"

// This file is for primitives that stand for one of the standard library, as
// those of the packages below std do. What they stand for may have been used
// before the execution began, by code that is not controlled, and then every
// execution begins with what that has left.
//
// Whoever uses such a primitive asks [Fresh] first; if that is true, a function
// of this file sets the state in which the execution finds the primitive. It is
// no event.

// outsider stands for whoever has locked something before the execution began.
// It is the clock, which locks nothing.
const outsider = clockID

// Primitive is what can be adopted.
type Primitive interface{ object() object }

func (m *Mutex) object() object      { return &m.s }
func (rw *RWMutex) object() object   { return &rw.s }
func (wg *WaitGroup) object() object { return &wg.s }
func (o *Once) object() object       { return &o.s }
func (m *Map) object() object        { return &m.s }

// Fresh reports whether the calling goroutine is the first of its execution to use
// p. When the execution is being unwound nobody is.
//
// It is taken for a read of the memory that p is in, by an atomic operation: it
// races with an assignment to a variable that has p in it.
func Fresh(p Primitive) bool {
	co := coroutines.find()
	if co == nil || co.c.closing {
		return false
	}
	o := p.object()
	co.g.use(o, atomicRead)
	return co.c.m.bind(o)
}

// adopt binds o to the execution of the calling goroutine.
func adopt(o object) *Machine {
	g := enter("Adopt")
	g.c.m.bind(o)
	return g.c.m
}

// holder names who holds a lock.
func (m *Machine) holder(id trace.ID) string {
	if id == outsider {
		return "somebody since before the execution began"
	}
	return m.nameOf(m.gs[id])
}

// AdoptMutex lets m be locked already.
func AdoptMutex(m *Mutex) {
	adopt(&m.s)
	m.s.owner = outsider
}

// AdoptRWMutex lets rw be locked already, for writing, or by a number of readers.
func AdoptRWMutex(rw *RWMutex, writer bool, readers int) {
	adopt(&rw.s)
	if writer {
		rw.s.writer = outsider
	}
	for range readers {
		rw.s.readers = append(rw.s.readers, outsider)
	}
}

// AdoptWaitGroup lets the counter be n.
func AdoptWaitGroup(wg *WaitGroup, n int) {
	adopt(&wg.s)
	wg.s.count = int64(n)
}

// AdoptOnce lets o be done already.
func AdoptOnce(o *Once) {
	adopt(&o.s)
	o.s.entered, o.s.done = true, true
}

// AdoptMap lets m hold those keys and values. Range comes upon them in the order
// in which they are given.
func AdoptMap(m *Map, pairs [][2]any) {
	machine := adopt(&m.s)
	for i, p := range pairs {
		k := &keyState{of: &m.s, key: p[0]}
		m.s.keys[p[0]] = k
		machine.bind(k)
		k.v, k.present = p[1], true
		k.by, k.seq = machine.clock, int32(i)
	}
}
