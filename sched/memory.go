package sched

import (
	"slices"
	"unsafe"
)

// This file is about memory of the program's own, which is known by address:
// plain accesses of it, which rewritten code announces, and the objects that
// accesses and atomic operations depend on each other by. The address of what
// is used stays alive as long as the execution, so it is not used again for
// something else.

// ReadMemory says that the caller is about to read the size bytes at p, or has
// just done so, by plain code. How that is treated is a matter of
// [Options.Races]. A goroutine that is not controlled may call it to no effect.
func ReadMemory(p unsafe.Pointer, size uintptr) {
	if co := coroutines.find(); co != nil {
		co.useMemory(p, size, OpRead)
	}
}

// WriteMemory says that the caller is about to write the size bytes at p, or has
// just done so, by plain code; see [ReadMemory].
func WriteMemory(p unsafe.Pointer, size uintptr) {
	if co := coroutines.find(); co != nil {
		co.useMemory(p, size, OpWrite)
	}
}

func (co *coroutine) useMemory(p unsafe.Pointer, size uintptr, kind Kind) {
	c, g := co.c, co.g
	if c.closing || p == nil || size == 0 {
		return
	}
	switch c.opt.Races {
	case RaceExplore:
		g.request(kind, g.memory(p, size, formPlain))
	case RaceFail:
		c.checkMemory(g, p, size, kind)
	}
}

// checkMemory looks for a race of a plain access with earlier ones.
func (c *Closure) checkMemory(g *goroutine, p unsafe.Pointer, size uintptr, kind Kind) {
	var pc uintptr
	if c.opt.Record {
		pc = g.callerPC()
		c.record.remark(c, g, Entry{Op: kind.String(), Obj: c.nameMemory(p, size)}, pc)
	}
	if g.alone() {
		return
	}
	c.sawVars = true
	if c.m.mm == nil {
		c.missed = true
		return
	}
	how := plainRead
	if kind == OpWrite {
		how = plainWrite
	}
	c.checkRange(g, p, size, how, pc)
}

// alone reports whether nobody but g has been started yet. Whatever it does
// then comes before all that others will do.
func (g *goroutine) alone() bool { return g.id == mainID && g.nkids == 0 }

// nameMemory returns how a recorded execution calls the memory at p.
func (c *Closure) nameMemory(p unsafe.Pointer, size uintptr) string {
	if !c.opt.Record {
		return "memory"
	}
	return c.record.name(c.objects.touch(c.m, nil, p, min(size, smallParts))[0])
}

// memoryOp is what an operation does to memory. Every goroutine has one, so that
// a request takes no allocation; the object of the request is the first part.
type memoryOp struct {
	p     unsafe.Pointer
	size  uintptr
	parts []*part // what it touches
	form  memoryForm

	old, new unsafe.Pointer // arguments and result of formPointer
	equal    func() bool    // what formCode does
	do       func() any
	value    any // ... and its result, for reports
}

// memoryForm says what an operation works on.
type memoryForm uint8

const (
	formPlain   memoryForm = iota // whatever the caller does when it is granted
	formNumber                    // a number of four or eight bytes
	formPointer                   // an unsafe.Pointer, which the garbage collector has to see
	formCode                      // whatever the functions of the memoryOp work on
)

// memory prepares a request to the size bytes at p and returns its object.
func (g *goroutine) memory(p unsafe.Pointer, size uintptr, form memoryForm) object {
	o := &g.mem
	o.p, o.size, o.form = p, size, form
	o.parts = g.c.objects.touch(g.c.m, o.parts[:0], p, size)
	return o.parts[0]
}

// part is memory that is always used together, as far as the execution knows: an
// object.
type part struct {
	header
	at   uintptr // where it lies, if it is in one piece
	size uintptr // 0 if not
}

func (q *part) reset()                {}
func (q *part) kind() string          { return "memory" }
func (q *part) blame(*Machine) string { return "" }

func (q *part) describe(m *Machine, g *goroutine) bool {
	mode, static := ModeWrite, true
	switch g.op.Kind {
	case OpRead, OpLoad:
		mode = ModeRead
	case OpCAS:
		static = false
		if !g.mem.matches(g) {
			mode = ModeRead
		}
	}
	if len(g.mem.parts) > mostParts {
		g.op.touch1(Everything, ModeAll)
		return static
	}
	var buf [8]Access
	accesses := buf[:0]
	for _, q := range g.mem.parts {
		accesses = append(accesses, Access{Obj: q.id, Mode: mode})
	}
	g.op.SetAccesses(accesses...)
	return static
}

func (q *part) perform(m *Machine, g *goroutine, alt int32) {
	o := &g.mem
	if o.form == formPlain {
		return
	}
	reads, writes := g.op.Kind != OpStore, g.op.Kind != OpLoad
	if g.op.Kind == OpCAS {
		g.ok = o.matches(g)
		writes = g.ok
	}
	o.perform(g, writes)
	if m.mm != nil {
		o.synchronize(m.mm, g, reads, writes)
	}
}

// synchronize does what the Go memory model makes of an atomic operation. By
// plain accesses it is taken for one itself, after what it observes and before
// whoever observes it.
func (o *memoryOp) synchronize(mm *memoryModel, g *goroutine, reads, writes bool) {
	how := atomicRead
	if writes {
		how = atomicWrite
	}
	if reads {
		for _, q := range o.parts {
			mm.acquire(&q.header, g)
		}
	}
	if !g.alone() {
		g.c.checkRange(g, o.p, o.size, how, g.op.PC)
	}
	if writes {
		for _, q := range o.parts {
			mm.publish(&q.header, g)
		}
	}
}

const (
	smallParts = 8   // bytes of the parts that a small access is divided into
	firstParts = 64  // into how many parts a large one divides new memory
	mostParts  = 256 // an access that touches more depends on everything
)

// memoryObjects divides the memory that an execution uses into parts. An access
// touches every part that it has a byte of, and what has not been used before
// becomes a part of its own; so accesses that overlap depend on each other, and
// those of variables that are always used as a whole depend on nothing else.
// Wherever the variables happen to lie, the parts are the same. A few bytes that
// are first used together remain one part, also if their fields are used apart
// later: then there are more traces than need be.
type memoryObjects struct {
	blocks addrTable[block]
	parts  []*part // of all executions
	used   int     // parts of this one
}

// block is a word of memory: the part that each byte belongs to, if any.
type block [8]*part

// touch adds to parts those of the size bytes at p.
func (t *memoryObjects) touch(m *Machine, parts []*part, p unsafe.Pointer, size uintptr) []*part {
	if t.blocks.epoch != m.epoch {
		t.blocks.turn(m.epoch)
		t.used = 0
	}
	if size <= smallParts {
		if b := t.blocks.find(wordOf(p)); b != nil {
			if q := b[uintptr(p)&7]; q != nil && q.at == uintptr(p) && q.size == size {
				return append(parts, q)
			}
		}
		return t.divide(m, parts, p, size)
	}
	chunk := max(smallParts, (size/firstParts+7)&^7)
	for done := uintptr(0); done < size; done += chunk {
		parts = t.divide(m, parts, unsafe.Add(p, done), min(chunk, size-done))
	}
	return parts
}

// divide adds the parts of the size bytes at p, making one of those bytes that
// belong to none.
func (t *memoryObjects) divide(m *Machine, parts []*part, p unsafe.Pointer, size uintptr) []*part {
	var fresh *part
	others := false
	for i := uintptr(0); i < size; i++ {
		at := unsafe.Add(p, i)
		b, isNew := t.blocks.at(wordOf(at))
		if isNew {
			*b = block{}
		}
		q := &b[uintptr(at)&7]
		if *q == nil {
			if fresh == nil {
				fresh = t.part(m)
			}
			*q = fresh
		}
		others = others || *q != fresh
		if len(parts) == 0 || parts[len(parts)-1] != *q && !slices.Contains(parts, *q) {
			parts = append(parts, *q)
		}
	}
	if fresh != nil && !others {
		fresh.at, fresh.size = uintptr(p), size
	}
	return parts
}

// wordOf returns the address of the word (eight aligned bytes) that p is in,
// which belongs to the same object of the garbage collector.
func wordOf(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -int(uintptr(p)&7)) }

// part returns a new part.
func (t *memoryObjects) part(m *Machine) *part {
	if t.used == len(t.parts) {
		t.parts = append(t.parts, new(part))
	}
	q := t.parts[t.used]
	t.used++
	q.at, q.size = 0, 0
	m.bind(q)
	return q
}

func (t *memoryObjects) clear() {
	t.blocks.clear()
	t.parts, t.used = nil, 0
}
