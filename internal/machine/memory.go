package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/addrtable"
	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/internal/sole"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/vector"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about memory of the program's own, which is known by address. It has the plain
// accesses, which rewritten code announces, and the objects by which accesses and atomic operations
// depend on each other. The address of what is used stays alive as long as the execution, so it is
// not used again for something else.

// UseMemory is for a plain access of memory by the calling goroutine, which may be of
// any kind.
func UseMemory(p unsafe.Pointer, size uintptr, kind trace.Kind) {
	gp := stack.Descriptor()
	if stack.Has(gp, p) {
		return
	}
	co := Callers.of(gp)
	if co == nil {
		if sole.AnyOpen() && !sole.Drives(gp) {
			Outside(p, false, kind != trace.OpRead)
		}
		return
	}
	if co.Serving || co.M.Closing || p == nil || size == 0 {
		return
	}
	if !co.M.Memory.plain.Load() && co.M.Races == RaceFail && !co.M.Memory.Watching && !co.M.Record {
		co.M.Memory.plain.Store(true) // before the look at Glance, which others set first
	}
	if co.M.Memory.Glance.Load() {
		co.M.Exec.Glanced(co.G)
	}
	if co.M.knows(co.G, p, size, kind) || co.G.usesAlone(p, kind) {
		return
	}
	co.Serving = true // what the executor accesses is not an access of the program
	co.M.Exec.Use(co.G, p, size, kind)
	co.Serving = false
}

// usesAlone is for an access by g, and reports whether that is all that there is to it: g is alone,
// so nothing races with the access.
func (g *Goroutine) usesAlone(p unsafe.Pointer, kind trace.Kind) bool {
	m := g.M
	if !g.Alone() || m.Races == RaceExplore || m.Memory.Watching || m.Record || OutsiderMayHave(p) {
		return false
	}
	if kind == trace.OpWrite {
		g.Acts()
	}
	return true
}

// ReadRange is UseMemory for a read by a goroutine that is pinned. What the compiler believes to be
// on its stack may not be there yet. A collection is not to look at that, as it might if the
// goroutine were preempted. Work that takes no lock and lets no other goroutine go on is done while
// it is pinned. For the rest it is let go.
func ReadRange(p unsafe.Pointer, size uintptr) {
	for {
		co, racing, does := pinnedRead(p, size)
		procUnpin()
		switch does {
		case doesGlance:
			co.M.Exec.Glanced(co.G)
			procPin()
			continue
		case doesMore:
			UseMemory(p, size, trace.OpRead)
		case doesRace:
			co.Serving = true
			co.M.reportRace(co.G, p, racing, PlainRead, 0)
			co.Serving = false
		}
		return
	}
}

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

const (
	doesNothing = iota // it is done
	doesMore           // nothing was done
	doesGlance         // nothing was done, and the executor wants to be told first
	doesRace           // the read was recorded, and races
)

func pinnedRead(p unsafe.Pointer, size uintptr) (co *Caller, racing stamp, does int) {
	gp := stack.Descriptor()
	if stack.Has(gp, p) {
		return nil, racing, doesNothing
	}
	co = Callers.look(gp)
	if co == nil && (!sole.AnyOpen() || sole.Drives(gp)) {
		return nil, racing, doesNothing
	}
	if co == nil || co.Serving || co.M.Closing || p == nil || size == 0 {
		return nil, racing, doesMore
	}
	if co.M.Memory.Glance.Load() {
		return co, racing, doesGlance
	}
	m, g := co.M, co.G
	if m.Races == RaceExplore || m.Memory.Watching || m.Record || m.Memory.Places || m.Memory.Races == nil || g.Alone() && Outsiders.Uses.Load() != 0 {
		return nil, racing, doesMore
	}
	co.Entered++
	if m.Races != RaceFail || g.Alone() || m.knows(g, p, size, trace.OpRead) {
		return co, racing, doesNothing
	}
	m.Memory.Seen = true
	racing, raced := m.findRace(g, p, size, PlainRead, 0)
	if raced {
		does = doesRace
	}
	return co, racing, does
}

// knows reports whether an access by g is like one that is known of, and the executor does not want
// to hear of it. Most accesses are such, so this one is quick.
func (m *Machine) knows(g *Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind) bool {
	if m.Memory.Races == nil || m.Memory.Watching || m.Record || m.Memory.Shadow.pages.Epoch != m.Epoch {
		return false
	}
	how := PlainRead
	if kind == trace.OpWrite {
		how = PlainWrite
	}
	return m.Memory.Shadow.again(g.view.epoch, p, size, how)
}

// Alone reports whether no goroutine but g has been started yet. What g does then comes before all
// that others will do.
func (g *Goroutine) Alone() bool { return g.ID == MainID && g.Made.Children == 0 }

// NameMemory returns how reports call the memory at p.
func (m *Machine) NameMemory(p unsafe.Pointer) string {
	if name := m.Exec.NameAt(p); name != "" {
		return name
	}
	return "memory"
}

// memoryOp is what an operation does to memory. Every goroutine has one, so that
// a request takes no allocation; the object of the request is the first block.
type memoryOp struct {
	P      unsafe.Pointer
	size   uintptr
	pieces []piece // what it touches, the first one only if that is too much
	form   memoryForm
	unused bool // the program does not use the result, see [Goroutine.Unused]

	old, new unsafe.Pointer // arguments and result of formPointer
	Equal    func() bool    // what formCode does
	Do       func() any
	value    any // the result of Do, for reports
}

// memoryForm says what an operation works on.
type memoryForm uint8

const (
	FormPlain   memoryForm = iota // whatever the caller does when it is granted
	formNumber                    // a number of four or eight bytes
	formPointer                   // an unsafe.Pointer, which the garbage collector has to see
	FormCode                      // whatever the functions of the memoryOp work on
)

// Memory prepares a request to the size bytes at p and returns its object.
func (g *Goroutine) Memory(p unsafe.Pointer, size uintptr, form memoryForm) Object {
	o := g.Req.Mem
	if o == nil {
		o = new(memoryOp)
		g.Req.Mem = o
	}
	o.P, o.size, o.form, o.unused = p, size, form, false
	o.pieces = g.M.Memory.blocks.touch(g.M, o.pieces[:0], p, size)
	return o.pieces[0].Block
}

// mostBytes is the largest access that is looked at byte by byte. A larger one
// depends on everything: its size alone says so.
const mostBytes = 1 << 16

// Block is a few bytes of memory that were first used together, an object. What an operation
// touches of it is a set of bytes. So operations depend on each other if they have bytes in common.
// How bytes are divided into blocks depends on which goroutine came first, and makes no difference.
// Nor does it matter where blocks lie: variables that are allocated apart may be neighbours in one
// execution and not in another.
type Block struct {
	header
	at      uintptr
	size    uintptr
	writes  []written
	carried []carried
	forms   uint8          // how it was used, bits of memoryForms, while states are named
	start   unsafe.Pointer // the address of the memory, while states are named
}

// blockBytes is the largest block: its bytes are bits of [trace.Access].Idx.
const blockBytes = 32

// piece is some bytes of a block.
type piece struct {
	*Block
	mask uint32
}

// written is the latest write of some bytes of a block.
type written struct {
	mask uint32
	at   byteRange // all that the operation wrote
}

// carried is what atomic operations on some bytes of a block carry.
type carried struct {
	mask  uint32
	known snapshot
	added vector.Clock // what has come to that since, by operations that learn nothing
}

func (b *Block) reset()                { b.writes, b.carried, b.forms, b.start = b.writes[:0], b.carried[:0], 0, nil }
func (b *Block) Kind() string          { return "memory" }
func (b *Block) blame(*Machine) string { return "" }

// piece returns the bytes of b from address p up to address end, or the end of b.
func (b *Block) piece(p, end uintptr) piece {
	n := min(end, b.at+b.size) - p
	return piece{b, uint32(1<<n-1) << (p - b.at)}
}

func (b *Block) describe(m *Machine, g *Goroutine) bool {
	o, mode, static := g.Req.Mem, trace.ModeWriteBytes, true
	switch g.Op.Kind {
	case trace.OpRead, trace.OpLoad:
		mode = trace.ModeReadBytes
	case trace.OpCAS:
		static = false
		if !o.matches(g) && !o.torn() {
			mode = trace.ModeReadBytes
		}
	case trace.OpAdd, trace.OpAnd, trace.OpOr:
		if o.unused {
			mode = o.commuting(g.Op.Kind)
		}
	}
	if o.size > mostBytes {
		g.Op.Touch(trace.Everything, trace.ModeAll)
		return static
	}
	var few [2]trace.Access
	var accesses []trace.Access
	if n := len(o.pieces); n > len(few) {
		accesses = make([]trace.Access, n)
	} else {
		accesses = few[:n]
	}
	for i := range o.pieces {
		x := &o.pieces[i]
		accesses[i] = trace.Access{Obj: x.ID, Idx: int32(x.mask), Mode: mode}
	}
	g.Op.ShareAccesses(accesses)
	return static
}

// commuting returns the mode of an operation with a result that the program does not use. Numbers
// of another size carry between other bits, and are not wholly written by it.
func (o *memoryOp) commuting(kind trace.Kind) trace.Mode {
	switch {
	case o.size != 4 && o.size != 8 || uintptr(o.P)%o.size != 0:
		return trace.ModeWriteBytes
	case kind == trace.OpAnd && o.size == 4:
		return trace.ModeAnd4Bytes
	case kind == trace.OpAnd:
		return trace.ModeAnd8Bytes
	case kind == trace.OpOr && o.size == 4:
		return trace.ModeOr4Bytes
	case kind == trace.OpOr:
		return trace.ModeOr8Bytes
	case o.size == 4:
		return trace.ModeAdd4Bytes
	}
	return trace.ModeAdd8Bytes
}

// torn reports whether some byte was last written by an operation that did not write all that o
// touches. If that has made a CompareAndSwap fail, it still is not a mere read. What reads the
// other bytes depends on it as it did before, but does not depend on the operation that wrote.
func (o *memoryOp) torn() bool {
	all := cells.At(o.P, o.size)
	for i := range o.pieces {
		x := &o.pieces[i]
		for _, w := range x.writes {
			if w.mask&x.mask != 0 && !w.at.Contains(all) {
				return true
			}
		}
	}
	return false
}

// noteWrite notes that o has written.
func (o *memoryOp) noteWrite() {
	at := cells.At(o.P, o.size)
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

func (b *Block) perform(m *Machine, g *Goroutine, alt int32) {
	o := g.Req.Mem
	reads, writes := g.Op.Kind != trace.OpStore && !o.unused, g.Op.Kind != trace.OpLoad && g.Op.Kind != trace.OpRead
	if g.Op.Kind == trace.OpCAS {
		g.Reply.Ok = o.matches(g)
		writes = g.Reply.Ok
	}
	if writes {
		o.noteWrite()
	}
	if o.form == FormPlain {
		return
	}
	if m.Memory.Watching {
		m.Exec.Watch(g, o.P, o.size, reads, writes)
	}
	o.perform(g, writes)
	if m.Memory.Races != nil {
		o.synchronize(m.Memory.Races, g, reads, writes)
	}
	if m.Keys != nil {
		m.Keys.atomic(b.ID, g, reads, writes)
	}
}

// synchronize does what the Go memory model makes of an atomic operation. To plain accesses it
// counts as an access itself, after the operations that it observes and before those that observe
// it.
func (o *memoryOp) synchronize(mm *memoryModel, g *Goroutine, reads, writes bool) {
	how := AtomicRead
	if writes {
		how = AtomicWrite
	}
	if reads {
		for _, x := range o.pieces {
			x.acquire(mm, g)
		}
	}
	if !g.Alone() {
		g.M.CheckRange(g, o.P, o.size, how, g.Op.PC)
	}
	if writes {
		if o.unused {
			for _, x := range o.pieces {
				x.carryToo(mm, g)
			}
			return
		}
		now := mm.publish(g)
		for _, x := range o.pieces {
			x.carry(now)
		}
	}
}

// acquire lets g know what the bytes of x carry.
func (x piece) acquire(mm *memoryModel, g *Goroutine) {
	for i := range x.carried {
		if y := &x.carried[i]; y.mask&x.mask != 0 {
			mm.learn(g, y.known)
			if y.added != (vector.Clock{}) {
				mm.learnAll(g, y.added)
			}
		}
	}
}

// carry makes the bytes of x carry what was known at a snapshot.
func (x piece) carry(known snapshot) { *x.carries() = carried{mask: x.mask, known: known} }

// carryToo makes the bytes of x also carry what g knows.
func (x piece) carryToo(mm *memoryModel, g *Goroutine) {
	y := x.carries()
	y.added = mm.merge(y.added, g)
}

// carries returns what exactly the bytes of x carry.
func (x piece) carries() *carried {
	for i := range x.carried {
		if y := &x.carried[i]; y.mask == x.mask {
			return y
		}
	}
	x.carried = append(x.carried, carried{mask: x.mask})
	return &x.carried[len(x.carried)-1]
}

// memoryBlocks finds the blocks that an execution uses.
type memoryBlocks struct {
	words addrtable.Pointers[[8]*Block] // the block of each byte, if it has one
}

// touch adds to pieces those of the size bytes at p.
func (t *memoryBlocks) touch(m *Machine, pieces []piece, p unsafe.Pointer, size uintptr) []piece {
	t.words.Turn(m.Epoch)
	if b := t.find(p); b != nil && uintptr(p)+size <= b.at+b.size {
		return append(pieces, b.piece(uintptr(p), uintptr(p)+size)) // most often
	}
	if size > mostBytes {
		size = 1
	}
	for at, end := uintptr(p), uintptr(p)+size; at < end; {
		here := unsafe.Add(p, at-uintptr(p))
		b := t.find(here)
		if b == nil && m.named(false) {
			b = t.find(here)
		}
		if b == nil {
			b = t.block(m, here, end-at)
		}
		pieces = append(pieces, b.piece(at, end))
		at = b.at + b.size
	}
	return pieces
}

// find returns the block of the byte at p, nil if it has none.
func (t *memoryBlocks) find(p unsafe.Pointer) *Block {
	if w := t.words.Find(WordOf(p)); w != nil {
		return w[uintptr(p)&7]
	}
	return nil
}

// block makes a block of as many bytes at p as have none, up to n.
func (t *memoryBlocks) block(m *Machine, p unsafe.Pointer, n uintptr) *Block {
	b := Take[Block](m)
	m.Admit(b)
	b.at, b.size = uintptr(p), 0
	for ; b.size < min(n, blockBytes); b.size++ {
		at := unsafe.Add(p, b.size)
		w, fresh := t.words.At(WordOf(at))
		if fresh {
			*w = [8]*Block{}
		}
		if w[uintptr(at)&7] != nil {
			break
		}
		w[uintptr(at)&7] = b
	}
	return b
}

// WordOf returns the address of the word (eight aligned bytes) that p is in,
// which belongs to the same object of the garbage collector.
func WordOf(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -int(uintptr(p)&7)) }

// matches reports whether g's CompareAndSwap would set the memory now.
func (o *memoryOp) matches(g *Goroutine) bool {
	switch o.form {
	case formNumber:
		return o.fetch() == g.Req.Arg
	case formPointer:
		return *(*unsafe.Pointer)(o.P) == o.old
	}
	return o.Equal()
}

// perform performs g's operation, which changes the memory if it writes.
func (o *memoryOp) perform(g *Goroutine, writes bool) {
	switch o.form {
	case formNumber:
		now := g.compute(o.fetch(), ^uint64(0)>>(64-8*o.size))
		if writes {
			o.set(now)
		}
	case formPointer:
		p := (*unsafe.Pointer)(o.P)
		o.old = *p
		if writes {
			*p = o.new
		}
	case FormCode:
		if writes || g.Op.Kind != trace.OpCAS {
			o.value = o.Do()
		}
	}
}

// fetch reads a number.
func (o *memoryOp) fetch() uint64 {
	if o.size == 4 {
		return uint64(*(*uint32)(o.P))
	}
	return *(*uint64)(o.P)
}

// set writes a number.
func (o *memoryOp) set(bits uint64) {
	if o.size == 4 {
		*(*uint32)(o.P) = uint32(bits)
	} else {
		*(*uint64)(o.P) = bits
	}
}
