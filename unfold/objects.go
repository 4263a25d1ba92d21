package unfold

import (
	"math/bits"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// objects identifies objects across executions, and knows which uses of them depend on each
// other.
//
// An object with a lasting number is its own identity. The number of a lazily numbered one (see
// trace.Access) is valid in one execution only, so it gets an identity from the operation that
// uses it. The same operation after the same past of its goroutine uses the same objects,
// whatever other goroutines do. When an execution shows that two identities are one object,
// they are united.
//
// Memory that is known by address is divided into objects in different ways in different
// executions, so each of its bytes has an identity.
type objects struct {
	lasting []int32        // by number / 2: the identity, 0 for none
	bound   []int32        // the same for lazily numbered objects of the current execution
	bytes   []int32        // the same for the bytes of memory, maxBytes to an object
	binds   []trace.Access // uses of lazily numbered objects and bytes that have an identity
	single  []trace.Access // scratch of byteByByte
	list    []object
	free    []int32
	marks   []bool // scratch of collect

	// Sets of uses are masks of bits, one for every number and mode while there are enough.
	// Since a number may mean several objects, masks say what may depend.
	bitOf   []int32           // by number and mode: 1 + the bit, 0 for none
	bits    int32             // the number of entries of bitOf that have a bit
	perhaps []mask            // by bit: the bits that may depend on it
	twins   map[int32][]int32 // numbers that may mean the same object; each lists all of them
}

// object is an identity. Number 0 means no identity.
type object struct {
	number int32 // its number in the execution that met it first
	alike  int32 // another identity of the same object, or itself
}

const maxWords = 8

// mask is a set of bits. Every event has the bit everyEvent. Events that depend on every event
// have the bit wholeProgram.
type mask [maxWords]uint64

const (
	everyEvent = iota
	wholeProgram
	firstBit
)

func (m *mask) add(bit int32) { m[bit/64] |= 1 << (bit % 64) }

// use is the use of an object by an event.
type use struct {
	object int32 // 0: everything
	idx    int32 // see trace.Access
	mode   trace.Mode
}

// uses has the uses of an event.
type uses struct {
	one  [1]use
	n    int32  // the length of one
	more *[]use // replaces one where there are more
}

func (u *uses) list() []use {
	if u.more != nil {
		return *u.more
	}
	return u.one[:u.n]
}

func (t *objects) init() {
	t.list = make([]object, 1)
	t.perhaps = make([]mask, firstBit)
	t.twins = make(map[int32][]int32)
	t.relate(everyEvent, wholeProgram)
}

func (t *objects) relate(a, b int32) {
	t.perhaps[a].add(b)
	t.perhaps[b].add(a)
}

// bit returns the bit of uses of a number in a mode.
func (t *objects) bit(number int32, mode trace.Mode) int32 {
	i := int(number)*trace.MaxModes + int(mode)
	for i >= len(t.bitOf) {
		t.bitOf = append(t.bitOf, make([]int32, trace.MaxModes)...)
	}
	if b := t.bitOf[i]; b > 0 {
		return b - 1
	}
	b := firstBit + t.bits%(64*maxWords-firstBit)
	if int(b) == len(t.perhaps) {
		t.perhaps = append(t.perhaps, mask{})
		t.relate(b, wholeProgram)
	}
	t.bits++
	t.bitOf[i] = b + 1
	t.relateTo(number, mode, b)
	for _, twin := range t.twins[number] {
		t.relateTo(twin, mode, b)
	}
	return b
}

// relateTo notes that bit b, of uses in a mode, may depend on the uses of a number.
func (t *objects) relateTo(number int32, mode trace.Mode, b int32) {
	first := int(number) * trace.MaxModes
	if first >= len(t.bitOf) {
		return
	}
	for m, other := range t.bitOf[first : first+trace.MaxModes] {
		if other > 0 && trace.Dependence.May(mode, trace.Mode(m)) {
			t.relate(b, other-1)
		}
	}
}

// words returns the number of words of a mask that are in use.
func (t *objects) words() int { return (len(t.perhaps) + 63) / 64 }

// meet reports whether a use in a may depend on a use in b.
func (t *objects) meet(a, b *mask, words int) bool {
	for w := range words {
		for m := a[w]; m != 0; m &= m - 1 {
			x := 64*w + bits.TrailingZeros64(m)
			for v := range words {
				if t.perhaps[x][v]&b[v] != 0 {
					return true
				}
			}
		}
	}
	return false
}

// maxBytes is the largest number of bytes of an object: one for every bit of a mask.
const maxBytes = 32

// byteByByte replaces accesses of memory that is known by address by one access for every byte.
// They are the same in every execution of the operation. The result is valid until the next
// call.
func (t *objects) byteByByte(as []trace.Access) []trace.Access {
	if len(as) == 0 || !trace.Dependence.Masked(as[0].Mode) {
		return as
	}
	t.single = t.single[:0]
	for _, a := range as {
		for m := uint32(a.Idx); m != 0; m &= m - 1 {
			t.single = append(t.single, trace.Access{Obj: a.Obj, Idx: int32(m & -m), Mode: a.Mode})
		}
	}
	return t.single
}

// place returns the location of the identity of an access in the current execution.
func (t *objects) place(a trace.Access) *int32 {
	list, i := &t.lasting, int(a.Obj/2)
	switch {
	case trace.Dependence.Masked(a.Mode):
		list, i = &t.bytes, i*maxBytes+bits.TrailingZeros32(uint32(a.Idx))
	case !trace.Lasting(a.Obj):
		list = &t.bound
	}
	for i >= len(*list) {
		*list = append(*list, 0)
	}
	return &(*list)[i]
}

// identity returns the identity of an access in the current execution. It makes a new one if
// there is none.
func (t *objects) identity(a trace.Access) int32 {
	place := t.place(a)
	if *place == 0 {
		o := int32(len(t.list))
		if n := len(t.free); n > 0 {
			o, t.free = t.free[n-1], t.free[:n-1]
			t.list[o] = object{a.Obj, o}
		} else {
			t.list = append(t.list, object{a.Obj, o})
		}
		t.set(a, o)
	}
	return *place
}

func (t *objects) set(a trace.Access, identity int32) {
	*t.place(a) = identity
	if !trace.Lasting(a.Obj) {
		t.binds = append(t.binds, a)
	}
}

// unbind removes the identities of all lazily numbered objects from number known on.
func (t *objects) unbind(known int32) {
	kept := t.binds[:0]
	for _, a := range t.binds {
		if a.Obj < known {
			kept = append(kept, a)
		} else {
			*t.place(a) = 0
		}
	}
	t.binds = kept
}

// bind gives an access in the current execution the identity o.
func (t *objects) bind(a trace.Access, o int32) {
	if was := *t.place(a); was == 0 {
		t.set(a, o)
	} else if was != o {
		t.unite(was, o)
	}
}

// unite notes that two identities are of one object.
func (t *objects) unite(a, b int32) {
	a, b = t.representative(a), t.representative(b)
	if a == b {
		return
	}
	t.list[b].alike = a
	if x, y := t.list[a].number, t.list[b].number; x != y {
		t.confuse(x, y)
	}
}

// confuse notes that two numbers may mean the same object.
func (t *objects) confuse(x, y int32) {
	all := t.twins[x]
	if slices.Contains(all, y) {
		return
	}
	if all == nil {
		all = []int32{x}
	}
	if more := t.twins[y]; more != nil {
		all = append(all, more...)
	} else {
		all = append(all, y)
	}
	for _, number := range all {
		t.twins[number] = all
		for m := range trace.Mode(trace.MaxModes) {
			i := int(number)*trace.MaxModes + int(m)
			if i < len(t.bitOf) && t.bitOf[i] > 0 {
				for _, twin := range all {
					t.relateTo(twin, m, t.bitOf[i]-1)
				}
			}
		}
	}
}

func (t *objects) representative(o int32) int32 {
	for t.list[o].alike != o {
		o = t.list[o].alike
	}
	return o
}

// bindAll gives the accesses as of the current execution the identities of the uses of the same
// operation.
func (t *objects) bindAll(list []use, as []trace.Access) {
	for i, a := range as {
		if a.Obj >= 0 && !trace.Lasting(a.Obj) {
			t.bind(a, list[i].object)
		}
	}
}

// usesOf returns the uses of accesses in the current execution.
func (t *objects) usesOf(as []trace.Access) (u uses) {
	if u.n = int32(len(as)); u.n > 1 {
		more := make([]use, u.n)
		u.more = &more
	}
	for i, a := range as {
		x := use{idx: a.Idx, mode: a.Mode}
		if a.Obj >= 0 {
			x.object = t.identity(a)
		}
		if trace.Dependence.Masked(a.Mode) { // a byte has the same Idx wherever it lies
			x.idx = 1 // of a byte that is the same wherever it lies
		}
		u.list()[i] = x
	}
	return u
}

// many is the number of uses from which on two events are compared object by object.
const many = 64

// dependentMany is dependent in linear time, for uses of memory byte by byte.
func (t *objects) dependentMany(a, b []use) bool {
	of := make(map[int32]use, len(a))
	for _, x := range a {
		of[t.representative(x.object)] = x
	}
	for _, y := range b {
		x, ok := of[t.representative(y.object)]
		if ok && trace.Dependence.Conflict(trace.Access{Mode: x.mode, Idx: x.idx}, trace.Access{Mode: y.mode, Idx: y.idx}) {
			return true
		}
	}
	return false
}

// dependent reports whether two events of different goroutines depend on each other.
func (t *objects) dependent(a, b []use) bool {
	if len(a) > many && len(b) > many && trace.Dependence.Masked(a[0].mode) && trace.Dependence.Masked(b[0].mode) {
		return t.dependentMany(a, b)
	}
	for _, x := range a {
		if x.object == 0 {
			return true
		}
		for _, y := range b {
			if y.object != 0 && (x.object == y.object || t.representative(x.object) == t.representative(y.object)) &&
				trace.Dependence.Conflict(trace.Access{Mode: x.mode, Idx: x.idx}, trace.Access{Mode: y.mode, Idx: y.idx}) {
				return true
			}
		}
	}
	for _, y := range b {
		if y.object == 0 {
			return true
		}
	}
	return false
}

// begin begins a collection of identities.
func (t *objects) begin() {
	t.marks = append(t.marks[:0], make([]bool, len(t.list))...)
	for _, o := range t.lasting {
		t.mark(o)
	}
	for _, a := range t.binds {
		t.mark(*t.place(a))
	}
}

// mark keeps an identity.
func (t *objects) mark(o int32) {
	for !t.marks[o] {
		t.marks[o] = true
		o = t.list[o].alike
	}
}

// collect removes the identities that were not marked.
func (t *objects) collect() {
	t.free = t.free[:0]
	for o := 1; o < len(t.list); o++ {
		if !t.marks[o] {
			t.list[o] = object{}
			t.free = append(t.free, int32(o))
		}
	}
}
