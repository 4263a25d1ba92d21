// Package oplist has what the machine knows of the operations that are pending: a list of them by
// goroutine, and which objects events have used since the list was last brought up to date.
package oplist

import (
	"math"

	"github.com/gopor/gopor/sched/trace"
)

// Insert adds op to ops, which are in order of goroutines. Its goroutine must have none there.
func Insert(ops []*trace.Op, op *trace.Op) []*trace.Op {
	ops = append(ops, op)
	if n := len(ops) - 1; n > 0 && ops[n-1].G > op.G {
		at := placeOf(op.G, ops[:n])
		copy(ops[at+1:], ops[at:n])
		ops[at] = op
	}
	return ops
}

// Remove takes the operation of goroutine g, which must be there, off ops.
func Remove(ops []*trace.Op, g trace.ID) []*trace.Op {
	at, n := placeOf(g, ops), len(ops)-1
	copy(ops[at:], ops[at+1:])
	return ops[:n]
}

// placeOf returns where the operation of a goroutine is among ops, or would be.
func placeOf(id trace.ID, ops []*trace.Op) int {
	low, high := 0, len(ops)
	for low < high {
		if mid := int(uint(low+high) >> 1); ops[mid].G < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// Used is which objects operations use: a bit for each object that they only read, and one for each
// that they may change. Some objects share a bit. The zero Used is of operations without accesses.
type Used struct{ reads, changes uint64 }

// Add adds what an operation uses.
func (u *Used) Add(op *trace.Op) {
	for _, a := range op.Accesses() {
		switch bit := uint64(1) << (uint32(a.Obj) & 63); {
		case a.Obj == trace.Everything:
			u.changes = math.MaxUint64
		case reads(a.Mode):
			u.reads |= bit
		default:
			u.changes |= bit
		}
	}
}

// AddAll adds that everything may have changed.
func (u *Used) AddAll() { u.changes = math.MaxUint64 }

// KnownApart reports whether op is known to depend on no operation of u. That is not known of an
// operation without accesses, nor of one that uses everything.
func (u *Used) KnownApart(op *trace.Op) bool {
	var own Used
	own.Add(op)
	return own != (Used{}) && own.changes != math.MaxUint64 && own.changes&(u.changes|u.reads)|own.reads&u.changes == 0
}

// KnownLacks reports whether op is known to have one access, to an object that u does not have.
func (u *Used) KnownLacks(op *trace.Op) bool {
	as := op.Accesses()
	return len(as) == 1 && as[0].Obj != trace.Everything && (u.changes|u.reads)>>(uint32(as[0].Obj)&63)&1 == 0
}

// OnlyReads reports whether all accesses of op are reads.
func OnlyReads(op *trace.Op) bool {
	for _, a := range op.Accesses() {
		if !reads(a.Mode) {
			return false
		}
	}
	return true
}

// reads reports whether accesses of a mode leave each other, and what depends on them, as they are.
func reads(m trace.Mode) bool {
	return (1<<trace.ModeRead|1<<trace.ModeReadBytes|1<<trace.ModeScan|1<<trace.ModeLook)>>(m&63)&1 == 1
}
