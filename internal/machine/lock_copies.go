package machine

import "sync/atomic"

// This file is about copies of primitives that are in use. As in package sync a copy of a lock is a
// lock of its own, which begins as the other one was when it was copied. So the words of a key say
// what a copy would begin as. An operation that changes the state keeps them up to date, see Keep.

// keeping is the state of a primitive of which there may be copies.
type keeping interface {
	Object
	// held returns what a copy would begin as, from 0 to mostHeld: 0 if that is the initial state.
	held() uint32
	// hold is called after reset, for a copy.
	hold(held uint32)
}

// Kept is what a key of S leads to, of which there may be copies.
type Kept[S any] interface {
	StateOf[S]
	keeping
}

// mostHeld stands for itself and all that is more.
const mostHeld = heldMask >> heldAt

// Keep notes in the words of k what a copy of them would begin as, which is s, if they lead
// to it.
func Keep[S any, P Kept[S]](m *Machine, k *Key[S], s *S) {
	if m.Parallel == nil {
		if h := P(s).Head(); h.bare {
			m.keepBare(&k.words, h, P(s).held())
		} else {
			k.keep(m, P(s).held())
		}
		return
	}
	mu := m.hold(P(s))
	k.keep(m, P(s).held())
	letGo(mu)
}

func (w *words) keep(m *Machine, held uint32) {
	was := uint32(atomic.LoadInt32(&w.state))
	if now := was&^heldMask | held<<heldAt; now != was && w.isOf(m) {
		// If this fails, the mark was taken away this moment.
		atomic.CompareAndSwapInt32(&w.state, int32(was), int32(now))
	}
}

// heldBy returns what k, which was not met yet, begins as, and whether it is a copy of one that is
// in use. It panics if there may be no copies.
func heldBy[S any, P StateOf[S]](m *Machine, k *Key[S]) (held uint32, isCopy bool) {
	if !k.isOf(m) {
		return 0, false
	}
	if _, ok := any(P(nil)).(keeping); !ok {
		panic(copied[S, P](m, k))
	}
	held = uint32(atomic.LoadInt32(&k.state)) & heldMask >> heldAt
	if co := Callers.Find(); held == mostHeld && co != nil {
		m.Exec.Assume(co.G, AssumeCount, "a copy of a "+P(new(S)).Kind()+" that is in use more often than is counted")
	}
	return held, true
}

// takeAs is Take for a primitive that begins as a copy of one that was in use, if it is one.
func takeAs[S any, P StateOf[S]](m *Machine, held uint32, isCopy bool) *S {
	s := Take[S, P](m)
	h := P(s).Head()
	h.bare = false
	if h.copied = isCopy; held != 0 {
		any(P(s)).(keeping).hold(held)
	}
	return s
}

// copied says what is wrong with k, which has a mark of the running execution that leads to another
// key.
func copied[S any, P StateOf[S]](m *Machine, k *Key[S]) string {
	s := new(S)
	if i := k.place(); i < len(m.Marks.places) {
		s = (*S)(m.Marks.places[i].state)
	}
	return "sched: a " + P(s).Kind() + " was copied after its first use"
}

func (s *MutexState) held() uint32 {
	if s.Owner >= 0 {
		return 1
	}
	return 0
}

func (s *MutexState) hold(uint32) { s.Owner = Outsider }

// held returns one more than there are readers, if there are any.
func (s *RwState) held() uint32 {
	switch n := len(s.Readers); {
	case s.Writer >= 0:
		return 1
	case n > 0:
		return uint32(min(n+1, mostHeld))
	}
	return 0
}

func (s *RwState) hold(held uint32) {
	if held == 1 {
		s.Writer = Outsider
		return
	}
	for range held - 1 {
		s.Share(Outsider)
	}
}

func (s *WgState) held() uint32 { return uint32(min(s.Count, mostHeld)) }

func (s *WgState) hold(held uint32) { s.Count = int64(held) }

// held tells a Once with a function that runs from one that is done. A copy of the former waits for
// ever.
func (s *OnceState) held() uint32 {
	switch {
	case s.Done:
		return 2
	case s.Entered:
		return 1
	}
	return 0
}

func (s *OnceState) hold(held uint32) { s.Entered, s.Done = true, held == 2 }
