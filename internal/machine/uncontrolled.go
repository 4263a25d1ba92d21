package machine

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/sole"
	"github.com/gopor/gopor/internal/stack"
)

// OutsiderUse is something that an uncontrolled goroutine did.
type OutsiderUse struct {
	P         unsafe.Pointer
	Primitive bool        // P is its key; else it is memory or a channel
	Wrote     atomic.Bool // it was more than a read of memory
	Met       atomic.Bool // an execution has read it, of which nothing else remembers that
	Pcs       [16]uintptr
	N         int
}

// Outsiders has a hash table with linear probing. What finds no place in it is counted: the
// execution cannot tell whether that was its business.
var Outsiders struct {
	Uses  atomic.Int32   // entries of the table
	Lost  atomic.Int32   // uses that found it full
	aside atomic.Uintptr // the goroutine of which no word is left, see Aside
	// Has a bit for every entry, which is set before, and all bits once a use is lost. Most places
	// are found not to be in the table by one look here.
	sieve [64]atomic.Uint64
	Table [256]atomic.Pointer[OutsiderUse]
}

// Outside leaves word of what the calling goroutine does, which is not controlled. Of
// what it does again nothing is left.
func Outside(p unsafe.Pointer, primitive, writes bool) {
	if p == nil || !sole.AnyOpen() {
		return
	}
	if gp := Outsiders.aside.Load(); gp != 0 && gp == stack.Descriptor() {
		return
	}
	var u *OutsiderUse
	for i := range Outsiders.Table {
		slot := outsiderSlot(p, i)
		at := slot.Load()
		if at == nil {
			if u == nil {
				u = &OutsiderUse{P: p, Primitive: primitive}
				u.Wrote.Store(writes)
				u.N = runtime.Callers(2, u.Pcs[:])
				word, bit := sieveOf(p)
				word.Or(bit)
			}
			if slot.CompareAndSwap(nil, u) {
				Outsiders.Uses.Add(1)
				return
			}
			at = slot.Load()
		}
		if at != nil && at.P == p {
			if writes && !at.Wrote.Load() {
				at.Wrote.Store(true)
			}
			return
		}
	}
	for i := range Outsiders.sieve { // what is lost may be anywhere
		if Outsiders.sieve[i].Load() != math.MaxUint64 {
			Outsiders.sieve[i].Store(math.MaxUint64)
		}
	}
	Outsiders.Lost.Add(1)
}

// OutsiderAt returns what an outsider did with what is at p, nil if nothing.
func OutsiderAt(p unsafe.Pointer) *OutsiderUse {
	if !sieved(p) {
		return nil
	}
	return outsiderIn(p)
}

// sieved reports whether an outsider may have used what is at p.
func sieved(p unsafe.Pointer) bool {
	word, bit := sieveOf(p)
	return word.Load()&bit != 0
}

// sieveOf returns the bit that is set if the table may have an entry of p.
func sieveOf(p unsafe.Pointer) (word *atomic.Uint64, bit uint64) {
	h := uint64(uintptr(p)) * 0x9e3779b97f4a7c15 >> 52
	return &Outsiders.sieve[h>>6], 1 << (h & 63)
}

func outsiderIn(p unsafe.Pointer) *OutsiderUse {
	for i := range Outsiders.Table {
		if u := outsiderSlot(p, i).Load(); u == nil || u.P == p {
			return u
		}
	}
	return nil
}

// Aside calls f on a goroutine that is not controlled, and no word is left of what that does:
// nothing of an execution depends on it.
func Aside(f func()) {
	if Outsiders.aside.CompareAndSwap(0, stack.Descriptor()) { // of several at once one is enough
		defer Outsiders.aside.Store(0)
	}
	f()
}

// OutsiderMayHave reports whether an outsider has used what is at p, as far as is known.
func OutsiderMayHave(p unsafe.Pointer) bool {
	return sieved(p) && (outsiderIn(p) != nil || Outsiders.Lost.Load() != 0)
}

func outsiderSlot(p unsafe.Pointer, i int) *atomic.Pointer[OutsiderUse] {
	n := len(Outsiders.Table)
	return &Outsiders.Table[(slotOf(uintptr(p)<<2, n)+i)&(n-1)]
}

// Turns is held by an execution that is alone.
var Turns = &sole.Turns

// Presence is the execution of a Closure as others see it.
type Presence struct{ sole.Presence }

// Enter begins an execution, when its turn has come.
func (p *Presence) Enter(epoch uint64) {
	p.Presence.Enter(epoch, stack.Descriptor(), func() bool { return Callers.Find() != nil })
}

// Shut says that the execution is over, or that its end is no longer waited for. When the last one
// is shut, the table is emptied.
func (p *Presence) Shut() {
	if !p.Presence.Shut() || Outsiders.Uses.Load() == 0 && evictions.Load() == 0 {
		return
	}
	forgetEvictions()
	if Outsiders.Uses.Swap(0) != 0 {
		Outsiders.Lost.Store(0)
		for i := range Outsiders.Table {
			Outsiders.Table[i].Store(nil)
		}
		for i := range Outsiders.sieve {
			Outsiders.sieve[i].Store(0)
		}
	}
}
