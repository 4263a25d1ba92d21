package machine

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/sole"
)

// alone returns a machine in its first execution, which is alone.
func alone(t *testing.T) (*Machine, *Presence) {
	m, p := executed(t)
	m.Marks.Bare = true
	return m, p
}

// gives gives the Mutex of k to an owner, or to nobody.
func (m *Machine) gives(k *mutexKey, owner int) *MutexState {
	s, _ := Find(m, k)
	s.Owner = -1
	if owner >= 0 {
		s.Owner = MainID
	}
	Keep(m, k, s)
	return s
}

// TestBare looks at the words of a lock, and at copies of it, while it is used.
func TestBare(t *testing.T) {
	m, p := alone(t)
	var k, other mutexKey
	for execution := range 3 {
		s := found(t, m, &k, true)
		if k.words != (words{}) {
			t.Errorf("met: %+v", k.words)
		}
		free := mutexKey{words: k.words}
		m.gives(&k, 1)
		m.gives(&other, 1)
		if !k.isOf(m) || k.words != other.words {
			t.Errorf("locked: %+v and %+v", k.words, other.words)
		}
		locked := mutexKey{words: k.words}
		m.gives(&k, -1)
		if m.gives(&other, -1); k.words != (words{}) || found(t, m, &k, false) != s || s.copied {
			t.Errorf("unlocked: %+v, %+v", k.words, s)
		}
		if c := found(t, m, &free, true); c.Owner >= 0 || c == s {
			t.Errorf("a copy of what was free: %+v", c)
		}
		if c := found(t, m, &locked, false); c.Owner != Outsider || !c.copied || c == s || m.gives(&locked, -1) != c || locked.words != (words{}) {
			t.Errorf("a copy of what was locked: %+v, %+v", c, locked.words)
		}
		m.gives(&k, 1)
		if execution > 0 {
			if m.ClearMarks(); k.words != (words{}) {
				t.Errorf("over: %+v", k.words)
			}
		} // else the next execution finds the mark
		begin(m, p)
	}
	m.Marks.Bare = false
	begin(m, p)
	m.gives(&k, 1)
	if c := (mutexKey{words: k.words}); found(t, m, &c, false).Owner != Outsider || m.gives(&k, -1) == nil || !k.isOf(m) {
		t.Errorf("beside others: %+v, and a copy %+v", k.words, c.words)
	}
	m.Marks.Bare = true
	begin(m, p)
	rw, readers := new(Key[RwState]), new(RwState)
	for range 3 {
		readers, _ = Find(m, rw)
		readers.Readers = append(readers.Readers, MainID)
		Keep(m, rw, readers)
	}
	c := Key[RwState]{words: rw.words}
	if s, fresh := Find(m, &c); fresh || len(s.Readers) != 3 || s == readers {
		t.Errorf("a copy of what has three readers: %+v", s)
	}
}

// TestBareChanged has the program change words, and others use them.
func TestBareChanged(t *testing.T) {
	m, p := alone(t)
	defer opened(t).Shut()
	var k, from mutexKey
	m.gives(&from, 1)
	left := from.words
	begin(m, p)
	changed := func(what string, was int, now words, fresh bool) {
		t.Helper()
		s := m.gives(&k, was)
		k.words = now
		if found(t, m, &k, fresh) == s {
			t.Errorf("%s: it is what it was", what)
		}
	}
	changed("set to zero", 1, words{}, true)
	changed("a copy of what an earlier execution has left locked", 1, left, true)
	m.gives(&from, 1)
	changed("a copy of a locked one", -1, from.words, false)
	changed("locked outside, as a copy", -1, words{state: 1}, true)
	k = mutexKey{}
	s := found(t, m, &k, true)
	if k.words = (words{}); found(t, m, &k, false) != s {
		t.Error("what is zero was set to zero")
	}
	m.gives(&k, 1)
	if k.words = from.words; found(t, m, &k, false) != s || s.copied {
		t.Error("what is locked was overwritten by what is locked")
	}

	// Outsiders find the lock free, or take the mark away.
	for _, held := range []int{-1, 1} {
		k := new(mutexKey)
		s := m.gives(k, held)
		Outside(unsafe.Pointer(k), true, true)
		if k.Evict(); k.words != (words{}) || !m.LeadsTo(unsafe.Pointer(k)) {
			t.Errorf("%+v", k.words)
		}
		atomic.StoreInt32(&k.state, 1)
		if found(t, m, k, false) != s || m.gives(k, 1) != s || m.gives(k, -1) != s || k.words != (words{state: 1}) {
			t.Errorf("held by %d: another state, or %+v", held, k.words)
		}
		atomic.StoreInt32(&k.state, 0)
		if found(t, m, k, false) != s || m.gives(k, 1) != s || k.marked() {
			t.Errorf("held by %d: another state afterwards, or %+v", held, k.words)
		}
	}
	var locking mutexKey
	s = found(t, m, &locking, true)
	Outside(unsafe.Pointer(&locking), true, true)
	atomic.StoreInt32(&locking.state, 1) // nobody has looked
	if m.gives(&locking, 1); locking.words != (words{state: 1}) || found(t, m, &locking, false) != s {
		t.Errorf("%+v", locking.words)
	}
	var taken mutexKey
	s = m.gives(&taken, 1)
	Outside(unsafe.Pointer(&taken), true, true)
	taken.Evict()
	atomic.StoreInt32(&taken.state, 1)
	s.Owner = -1
	if Keep(m, &taken, s); taken.words != (words{state: 1}) {
		t.Errorf("unlocked, it has taken %+v from an outsider", taken.words)
	}
	var evicted mutexKey // and nobody has it outside any more
	s = m.gives(&evicted, 1)
	if evicted.Evict(); found(t, m, &evicted, false) != s {
		t.Error("another state")
	}
	var waiting mutexKey
	s = found(t, m, &waiting, true)
	waiting.Natively(func() {
		if m.gives(&waiting, 1); waiting.marked() {
			t.Error("marked while it was used outside")
		}
	})
	if found(t, m, &waiting, false) != s {
		t.Error("another state")
	}
}

// TestBareNested has an execution within another one use what that uses.
func TestBareNested(t *testing.T) {
	m, _ := alone(t)
	inner, q := executed(t)
	shared := 0
	inner.Exec = sharing{told: func() { shared++ }}
	var k mutexKey
	s := m.gives(&k, -1)
	begin(inner, q)
	if found(t, inner, &k, true) == s || !k.isOf(inner) || shared != 0 {
		t.Error("the state of another execution")
	}
	if found(t, m, &k, false) != s || !k.isOf(inner) {
		t.Error("another state after the inner execution has used it")
	}
	q.Leave()
	if m.gives(&k, 1) != s || !k.isOf(m) {
		t.Errorf("the mark has stayed: %+v", k.words)
	}
	begin(inner, q)
	if found(t, inner, &k, true); !k.isOf(m) || shared != 1 {
		t.Error("a mark was taken away that is in use")
	}
	if found(t, m, &k, false) != s {
		t.Error("another state")
	}
}

// TestBareAdopted has locks that begin as they were left outside: their copies begin as they are, not as they were.
func TestBareAdopted(t *testing.T) {
	m, _ := alone(t)
	k := new(Key[WgState])
	s, _ := Find(m, k)
	s.Count = 2
	Adopt(m, k, s)
	for n := 2; n >= 0; n-- {
		s.Count = int64(n)
		Keep(m, k, s)
		c := Key[WgState]{words: k.words}
		of, fresh := Find(m, &c)
		if fresh || of.Count != int64(n) || of == s {
			t.Errorf("count %d: copied as %d, fresh: %v", n, of.Count, fresh)
		}
		of.Count = 0
		Keep(m, &c, of)
		second := Key[WgState]{words: c.words}
		if of, fresh := Find(m, &second); fresh || of.Count != 0 {
			t.Errorf("a copy of the copy: %d, fresh: %v", of.Count, fresh)
		}
	}
	if again, fresh := Find(m, k); again != s || fresh {
		t.Error("another state")
	}
}

// TestTurnsLiked has executions begin that like to be alone: they are until two searches meet.
func TestTurnsLiked(t *testing.T) {
	defer Turns.Several.Store(false)
	m, p := NewMachine(Config{}), &Presence{sole.Presence{Likes: true}}
	defer p.Resign()
	for range 2 {
		if begin(m, p); !p.HasTurn() {
			t.Error("not alone")
		}
		p.Leave()
	}
	begin(m, p)
	n, q := NewMachine(Config{}), &Presence{sole.Presence{Likes: true}}
	entered := make(chan bool)
	go func() { begin(n, q); entered <- q.HasTurn() }()
	for q.Waits.Load() == 0 && !Turns.Several.Load() {
	}
	p.Leave()
	if <-entered || !Turns.Several.Load() {
		t.Error("alone, after another one has come")
	}
	if begin(m, p); p.HasTurn() || Turns.Taken.Load() {
		t.Error("alone beside another one")
	}
	p.Leave()
	q.Leave()
	q.Resign()
}

// TestMostBare has more locks than are kept alive for being as natively.
func TestMostBare(t *testing.T) {
	defer func(n int) { mostBare = n }(mostBare)
	mostBare = 2
	m, p := alone(t)
	for range 2 {
		var ks [4]mutexKey
		for i := range ks {
			s := m.gives(&ks[i], 1)
			if m.gives(&ks[i], -1); ks[i].marked() != (i >= mostBare) || found(t, m, &ks[i], false) != s {
				t.Errorf("lock %d: %+v", i, ks[i].words)
			}
		}
		begin(m, p)
	}
}
