package sched

import (
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// This file is about memory of the program's own, which is known by address:
// plain accesses of it, which rewritten code announces, and the objects that
// accesses and atomic operations depend on each other by. The address of what
// is used stays alive as long as the execution, so it is not used again for
// something else.

// use is for a plain access of memory.
func (co *caller) use(p unsafe.Pointer, size uintptr, kind trace.Kind) {
	if !co.m.closing && p != nil && size != 0 {
		co.m.ex.use(co.g, p, size, kind)
	}
}

// alone reports whether nobody but g has been started yet. Whatever it does
// then comes before all that others will do.
func (g *goroutine) alone() bool { return g.id == mainID && g.nkids == 0 }

// nameMemory returns how reports call the memory at p.
func (m *Machine) nameMemory(p unsafe.Pointer) string {
	if m.nameAt == nil {
		return "memory"
	}
	return m.nameAt(p)
}

// memoryOp is what an operation does to memory. Every goroutine has one, so that
// a request takes no allocation; the object of the request is the first block.
type memoryOp struct {
	p      unsafe.Pointer
	size   uintptr
	pieces []piece // what it touches, the first one only if that is too much
	form   memoryForm

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
	o := &g.req.mem
	o.p, o.size, o.form = p, size, form
	o.pieces = g.m.memory.touch(g.m, o.pieces[:0], p, size)
	return o.pieces[0].block
}

// mostBytes is the largest access that is looked at byte by byte. A larger one
// depends on everything: its size alone says so.
const mostBytes = 1 << 16

// block is a few bytes of memory that were first used together, an object. What
// an operation touches of it is a set of bytes: so operations depend on each other
// if they have bytes in common, and how these are divided into blocks, which
// depends on who came first, is of no importance. Nor is where they lie: variables
// that are allocated apart may be neighbours in one execution and not in another.
type block struct {
	header
	at      uintptr
	size    uintptr
	writes  []written
	carried []carried
}

// blockBytes is the largest block: its bytes are bits of [trace.Access].Idx.
const blockBytes = 32

// piece is some bytes of a block.
type piece struct {
	*block
	mask uint32
}

// written is the latest write of some bytes of a block.
type written struct {
	mask uint32
	at   byteRange // all that the operation wrote
}

// carried is the clock that atomic operations on some bytes of a block carry.
type carried struct {
	mask  uint32
	clock []int32
}

func (b *block) reset()                { b.writes, b.carried = b.writes[:0], b.carried[:0] }
func (b *block) kind() string          { return "memory" }
func (b *block) blame(*Machine) string { return "" }

// piece returns the bytes of b from address p up to address end, or the end of b.
func (b *block) piece(p, end uintptr) piece {
	n := min(end, b.at+b.size) - p
	return piece{b, uint32(1<<n-1) << (p - b.at)}
}

func (b *block) describe(m *Machine, g *goroutine) bool {
	o, mode, static := &g.req.mem, trace.ModeWriteBytes, true
	switch g.op.Kind {
	case trace.OpRead, trace.OpLoad:
		mode = trace.ModeReadBytes
	case trace.OpCAS:
		static = false
		if !o.matches(g) && !o.torn() {
			mode = trace.ModeReadBytes
		}
	}
	if o.size > mostBytes {
		g.op.Touch(trace.Everything, trace.ModeAll)
		return static
	}
	var few [2]trace.Access
	accesses := few[:]
	if n := len(o.pieces); n > len(few) {
		accesses = make([]trace.Access, n)
	} else {
		accesses = few[:n]
	}
	for i := range o.pieces {
		x := &o.pieces[i]
		accesses[i] = trace.Access{Obj: x.id, Idx: int32(x.mask), Mode: mode}
	}
	g.op.ShareAccesses(accesses)
	return static
}

// torn reports whether some byte was last written by an operation that did not
// write all that o touches. If that has made a CompareAndSwap fail, it is still
// no mere read: what reads the other bytes depends on it as it did before, but
// does not depend on the operation that wrote.
func (o *memoryOp) torn() bool {
	all := rangeAt(o.p, o.size)
	for i := range o.pieces {
		x := &o.pieces[i]
		for _, w := range x.writes {
			if w.mask&x.mask != 0 && !w.at.contains(all) {
				return true
			}
		}
	}
	return false
}

// noteWrite notes that o has written.
func (o *memoryOp) noteWrite() {
	at := rangeAt(o.p, o.size)
	for i := range o.pieces {
		x := &o.pieces[i]
		keep := x.writes[:0]
		for _, w := range x.writes {
			if w.mask &^= x.mask; w.mask != 0 {
				keep = append(keep, w)
			}
		}
		x.writes = append(keep, written{x.mask, at})
	}
}

func (b *block) perform(m *Machine, g *goroutine, alt int32) {
	o := &g.req.mem
	reads, writes := g.op.Kind != trace.OpStore, g.op.Kind != trace.OpLoad && g.op.Kind != trace.OpRead
	if g.op.Kind == trace.OpCAS {
		g.reply.ok = o.matches(g)
		writes = g.reply.ok
	}
	if writes {
		o.noteWrite()
	}
	if o.form == formPlain {
		return
	}
	if m.watching {
		m.ex.watch(g, o.p, o.size, reads, writes)
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
		for _, x := range o.pieces {
			x.acquire(mm, g)
		}
	}
	if !g.alone() {
		g.m.checkRange(g, o.p, o.size, how, g.op.PC)
	}
	if writes {
		mm.tick(g)
		for _, x := range o.pieces {
			x.publish(mm, g)
		}
	}
}

// acquire lets g know what the bytes of x carry.
func (x piece) acquire(mm *memoryModel, g *goroutine) {
	for i := range x.carried {
		if y := &x.carried[i]; y.mask&x.mask != 0 {
			joinClock(mm.clock(g), y.clock)
		}
	}
}

// publish makes the bytes of x carry what g knows now.
func (x piece) publish(mm *memoryModel, g *goroutine) {
	b, i := x.block, 0
	for i < len(b.carried) && b.carried[i].mask != x.mask {
		i++
	}
	if i == len(b.carried) {
		if i == cap(b.carried) {
			b.carried = append(b.carried, carried{})
		}
		b.carried = b.carried[:i+1] // the room of an earlier execution
		b.carried[i].mask = x.mask
	}
	b.carried[i].clock = append(b.carried[i].clock[:0], mm.clock(g)...)
}

// memoryBlocks finds the blocks that an execution uses.
type memoryBlocks struct {
	words addrTable[[8]*block] // the block of each byte, if it has one
}

// touch adds to pieces those of the size bytes at p.
func (t *memoryBlocks) touch(m *Machine, pieces []piece, p unsafe.Pointer, size uintptr) []piece {
	t.words.turn(m.epoch)
	if b := t.find(p); b != nil && uintptr(p)+size <= b.at+b.size {
		return append(pieces, b.piece(uintptr(p), uintptr(p)+size)) // most often
	}
	if size > mostBytes {
		size = 1
	}
	for at, end := uintptr(p), uintptr(p)+size; at < end; {
		here := unsafe.Add(p, at-uintptr(p))
		b := t.find(here)
		if b == nil {
			b = t.block(m, here, end-at)
		}
		pieces = append(pieces, b.piece(at, end))
		at = b.at + b.size
	}
	return pieces
}

// find returns the block of the byte at p, nil if it has none.
func (t *memoryBlocks) find(p unsafe.Pointer) *block {
	if w := t.words.find(wordOf(p)); w != nil {
		return w[uintptr(p)&7]
	}
	return nil
}

// block makes a block of as many bytes at p as have none, up to n.
func (t *memoryBlocks) block(m *Machine, p unsafe.Pointer, n uintptr) *block {
	b := take[block](m)
	m.admit(b)
	b.at, b.size = uintptr(p), 0
	for ; b.size < min(n, blockBytes); b.size++ {
		at := unsafe.Add(p, b.size)
		w, fresh := t.words.at(wordOf(at))
		if fresh {
			*w = [8]*block{}
		}
		if w[uintptr(at)&7] != nil {
			break
		}
		w[uintptr(at)&7] = b
	}
	return b
}

// wordOf returns the address of the word (eight aligned bytes) that p is in,
// which belongs to the same object of the garbage collector.
func wordOf(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -int(uintptr(p)&7)) }

// matches reports whether g's CompareAndSwap would set the memory now.
func (o *memoryOp) matches(g *goroutine) bool {
	switch o.form {
	case formNumber:
		return o.fetch() == g.req.arg
	case formPointer:
		return *(*unsafe.Pointer)(o.p) == o.old
	}
	return o.equal()
}

// perform performs g's operation, which changes the memory if it writes.
func (o *memoryOp) perform(g *goroutine, writes bool) {
	switch o.form {
	case formNumber:
		now := g.compute(o.fetch(), ^uint64(0)>>(64-8*o.size))
		if writes {
			o.set(now)
		}
	case formPointer:
		p := (*unsafe.Pointer)(o.p)
		o.old = *p
		if writes {
			*p = o.new
		}
	case formCode:
		if writes || g.op.Kind != trace.OpCAS {
			o.value = o.do()
		}
	}
}

// fetch reads a number.
func (o *memoryOp) fetch() uint64 {
	if o.size == 4 {
		return uint64(*(*uint32)(o.p))
	}
	return *(*uint64)(o.p)
}

// set writes a number.
func (o *memoryOp) set(bits uint64) {
	if o.size == 4 {
		*(*uint32)(o.p) = uint32(bits)
	} else {
		*(*uint64)(o.p) = bits
	}
}
