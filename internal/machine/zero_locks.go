package machine

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/sole"
)

// This file is about executions that are alone. There the words of a lock say what they say
// natively, as far as they can. A lock that is not held has words of zero. So it equals another one
// if the program compares, prints or encodes what it is in. The state of a lock is found by its
// address. Words have a mark only while a copy would begin otherwise. The mark says that and leads
// nowhere, so locks that are held in the same way are equal, too.
//
// Where several executions go on at the same time, each has to come upon the marks of the others,
// so marks stay. Marks also stay on primitives after the first mostBare: whatever is found by its
// address is kept alive, with all that it is in.

// The places in marks that lead nowhere.
const (
	begunBare = placeMask>>1 - 1 // of what was in use before the execution
	heldBare  = placeMask >> 1
)

// mostBare is how many primitives of an execution have words as natively.
var mostBare = 1 << 14

// canBeBare reports whether a copy of a primitive with a key of S begins in the state of the
// original. Without marks, copies of other primitives would go unnoticed.
func canBeBare[S any, P StateOf[S]]() bool {
	_, ok := any(P(nil)).(keeping)
	return ok
}

// meetBare is meet for what has words as natively.
func meetBare[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	held, isCopy := heldBy[S, P](m, k)
	ours, others := m.lay(&k.words)
	if others {
		m.Exec.Shared()
	}
	s = takeAs[S, P](m, held, isCopy)
	h := P(s).Head()
	h.bare, h.word = ours, min(0, atomic.LoadInt32(&k.state))
	h.begun = isCopy && k.place() == begunBare
	m.putElsewhere(&k.words, P(s))
	m.Admit(P(s))
	if ours {
		m.Store.bare = append(m.Store.bare, bareKey{&k.words, h})
	}
	return s, !isCopy
}

// bareKey is a key with words as natively, and the head of its state.
type bareKey struct {
	w *words
	h *header
}

// ClearMarks is called when the execution is over: of what it has locked and not unlocked nothing
// is left.
func (m *Machine) ClearMarks() {
	for _, k := range m.Store.bare {
		if k.h.bare && k.h.word != 0 {
			m.change(k.w, k.h, 0)
		}
	}
	m.Store.bare = m.Store.bare[:0]
}

// lay sets words to zero that have the mark of an execution which is over. The words are ours
// unless they are in use outside, or by another execution that goes on. The latter is what others
// says.
func (m *Machine) lay(w *words) (ours, others bool) {
	if v := atomic.LoadInt32(&w.state); v >= 0 {
		return v == 0, false
	}
	t := transitionOf(w)
	t.Lock()
	defer t.Unlock()
	switch {
	case !w.marked():
		return false, false // the mark was taken away this moment
	case w.isOf(m):
		return true, false // a copy
	case sole.GoesOn(w.epoch(), epochMask):
		return false, true
	}
	w.clear()
	return true, false
}

// clear takes the mark away. The caller holds the lock of the transition.
func (w *words) clear() {
	atomic.StoreUint32(&w.sema, 0)
	atomic.StoreInt32(&w.state, 0)
}

// keepBare is Keep for what has words as natively.
func (m *Machine) keepBare(w *words, h *header, held uint32) {
	word := int32(0)
	switch {
	case h.begun:
		word = int32(m.Marks.word ^ begunBare<<1 | held<<heldAt)
	case held != 0:
		word = int32(m.Marks.word ^ heldBare<<1 | held<<heldAt)
	}
	if word != h.word {
		m.change(w, h, word)
	}
}

// change puts word into the words, unless others have them, or the program has changed them: that
// is looked into when they are next met.
func (m *Machine) change(w *words, h *header, word int32) {
	t := transitionOf(w)
	t.Lock()
	switch {
	case t.native[w] > 0: // they may be in use as a semaphore at any time
	case word == 0:
		if atomic.LoadInt32(&w.state) == h.word {
			w.clear()
			h.word = 0
		}
	case atomic.CompareAndSwapInt32(&w.state, h.word, word):
		atomic.StoreUint32(&w.sema, uint32(m.Epoch>>epochBits))
		h.word = word
	}
	t.Unlock()
}

// stillBare reports whether words that are not as the execution has left them are those of h all
// the same.
func (m *Machine) stillBare(w *words, h *header) bool {
	v := atomic.LoadInt32(&w.state)
	_, evicted := evictedOf(w, m.Epoch)
	switch {
	case v >= 0 && (evicted || v > 0 && OutsiderMayHave(unsafe.Pointer(w))):
		h.bare = false // from now on they are in use outside of the execution
		return true
	case v < 0 && !w.isOf(m) && h.word == 0:
		m.lay(w) // they have a mark of an execution within this one, or one that was copied
		return true
	}
	return false // they are a copy of others, or were set to zero
}

// Adopt is Keep for s that begins as the primitive was left outside.
func Adopt[S any, P Kept[S]](m *Machine, k *Key[S], s *S) {
	P(s).Head().begun = true
	Keep[S, P](m, k, s)
}
