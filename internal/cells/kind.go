// Package cells has accesses of memory as data races are about them: their kinds, the bytes, and an
// access of a word in 32 bits.
package cells

import "github.com/gopor/gopor/sched/trace"

// Kind tells accesses apart by what they race with.
type Kind uint8

// The kinds of accesses.
const (
	PlainRead Kind = iota
	PlainWrite
	AtomicRead
	AtomicWrite
	ChanSend
	ChanClose
	GroupAdd
	GroupWait
)

func (k Kind) String() string {
	return [...]string{"read", "write", "atomic read", "atomic write", "send", "close", "add", "wait"}[k]
}

// Operation returns the kind of operation that an access is, OpNone for the atomic ones, of which
// there are many.
func (k Kind) Operation() trace.Kind {
	return [...]trace.Kind{trace.OpRead, trace.OpWrite, trace.OpNone, trace.OpNone, trace.OpSend, trace.OpClose, trace.OpWGAdd, trace.OpWGWait}[k]
}

// Conflicting has for every kind the set of those that race with it, if nothing
// orders them.
var Conflicting = [...]uint8{
	PlainRead:   1<<PlainWrite | 1<<AtomicWrite,
	PlainWrite:  1<<PlainRead | 1<<PlainWrite | 1<<AtomicRead | 1<<AtomicWrite,
	AtomicRead:  1 << PlainWrite,
	AtomicWrite: 1<<PlainRead | 1<<PlainWrite,
	ChanSend:    1 << ChanClose,
	ChanClose:   1 << ChanSend,
	GroupAdd:    1 << GroupWait,
	GroupWait:   1 << GroupAdd,
}

// Conflicts reports whether an access of kind k races with one of the other kind, if nothing orders
// them.
func (k Kind) Conflicts(with Kind) bool { return Conflicting[k]>>with&1 == 1 }

// Covers reports whether whatever races with an access of the other kind races
// with one of kind k that comes after it, too: then the other can be forgotten.
func (k Kind) Covers(other Kind) bool { return Conflicting[other]&^Conflicting[k] == 0 }

// writing has the kinds that may race with accesses of their own or of other such kinds. Accesses
// of the other ones race with these only, so of those there may be many.
const writing uint8 = 1<<PlainWrite | 1<<AtomicWrite | 1<<ChanClose | 1<<GroupWait

// Writes reports whether accesses of kind k may race with such accesses.
func (k Kind) Writes() bool { return writing>>k&1 == 1 }

// Kinds by where a word keeps them. Those of atomic operations race with plain accesses only, so
// they are apart: there may be many, too, and none looks at the others.
const (
	ReadKinds   = 1<<PlainRead | 1<<ChanSend | 1<<GroupAdd
	WriteKinds  = 1<<PlainWrite | 1<<ChanClose | 1<<GroupWait
	AtomicKinds = 1<<AtomicRead | 1<<AtomicWrite
)

// Covering has for every kind the set of those that it covers.
var Covering = func() (sets [len(Conflicting)]uint8) {
	for k := range sets {
		for other := range sets {
			if Kind(k).Covers(Kind(other)) {
				sets[k] |= 1 << other
			}
		}
	}
	return sets
}()
