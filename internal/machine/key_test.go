package machine

import (
	"fmt"
	"sync/atomic"
	"testing"
	"unsafe"
)

type mutexKey = Key[MutexState]

// executed returns a machine in its first execution, which others take for one that goes on.
func executed(t *testing.T) (*Machine, *Presence) {
	m, p := NewMachine(Config{}), new(Presence)
	m.Exec = sharing{told: func() {}}
	begin(m, p)
	t.Cleanup(func() { p.Leave(); p.Resign() })
	return m, p
}

func begin(m *Machine, p *Presence) {
	m.Reset()
	p.Enter(m.Epoch)
}

func found(t *testing.T, m *Machine, k *mutexKey, fresh bool) *MutexState {
	t.Helper()
	s, got := Find(m, k)
	if again, f := Find(m, k); got != fresh || again != s || f {
		t.Errorf("fresh: %v, want %v; and then: %v, another one: %v", got, fresh, f, again != s)
	}
	return s
}

func caught(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// TestKeys finds primitives in some hundred executions, each of which meets them anew, with and without a place
// for all of them.
func TestKeys(t *testing.T) {
	defer func(n int) { mostPlaces = n }(mostPlaces)
	for _, mostPlaces = range []int{mostPlaces, 3} {
		m, p := executed(t)
		var keys [5]mutexKey
		for range 3 << epochBits {
			begin(m, p)
			states := make(map[*MutexState]bool)
			for range 2 {
				for i := range keys {
					states[found(t, m, &keys[i], len(states) == i)] = true
				}
			}
			made := new(mutexKey)
			if s := Create(m.Goroutines[MainID], made); Own(m, made) != s || states[s] || len(states) != len(keys) {
				t.Error("one state for two")
			}
		}
		if len(m.Marks.places) != min(mostPlaces, len(keys)+1) {
			t.Errorf("%d places", len(m.Marks.places))
		}
	}
}

// TestKeyChanges is of what the program, and others, do to keys between their uses.
func TestKeyChanges(t *testing.T) {
	m, p := executed(t)
	other, q := executed(t)
	begin(other, q)
	var k, c mutexKey
	s := found(t, m, &k, true)
	c.words = k.words
	if got := caught(func() { Own(m, &c) }); got != "sched: a Mutex was copied after its first use" {
		t.Error(got)
	}
	if got := caught(func() { Own(other, &k) }); got != "sched: a Mutex of one run is used by a goroutine of another run" {
		t.Error(got)
	}
	if found(t, other, &k, true) == s || found(t, m, &k, false) != s {
		t.Error("two executions share a state")
	}
	k.words = words{}
	if found(t, m, &k, true) == s {
		t.Error("set to zero, it is what it was")
	}
	var cond, of Key[CondState]
	Find(m, &of)
	cond.words = of.words
	if got := caught(func() { Find(m, &cond) }); got != "sched: a Cond was copied after its first use" {
		t.Error(got)
	}
	begin(m, p)
	if got := caught(func() { Own(m, &k) }); got != "sched: a Mutex of an earlier execution is used: make it in the closure" {
		t.Error(got)
	}
	c.words = k.words
	found(t, m, &c, true) // a copy of what an earlier execution has used
	found(t, m, &k, true)
}

// TestKeyCopies copies what is locked, and what is not, with and without a place for the copy.
func TestKeyCopies(t *testing.T) {
	defer func(n int) { mostPlaces = n }(mostPlaces)
	for _, mostPlaces = range []int{mostPlaces, 1} {
		m, _ := executed(t)
		var k, locked, free mutexKey
		s := found(t, m, &k, true)
		free.words = k.words
		s.Owner = MainID
		Keep(m, &k, s)
		locked.words = k.words
		s.Owner = -1
		Keep(m, &k, s)
		if s := found(t, m, &free, false); s.Owner >= 0 || s.copied != true {
			t.Errorf("a copy of what is free: %+v", s)
		}
		if s := found(t, m, &locked, false); s.Owner != Outsider {
			t.Errorf("a copy of what is locked: %+v", s)
		}
		if found(t, m, &k, false) != s || s.copied {
			t.Error("the original has changed")
		}
		other, _ := executed(t)
		word := k.words
		if s := found(t, other, &k, true); k.words != word {
			t.Errorf("another execution has taken the mark, for %+v", s)
		}
		if k.keep(other, 1); k.words != word {
			t.Error("another execution has changed the mark")
		}
	}
}

// sharing is an executor that only calls a function when objects are shared.
type sharing struct {
	NoExecutor
	told func()
}

func (s sharing) Shared() { s.told() }

// assuming is an executor that only takes down what is assumed.
type assuming struct {
	NoExecutor
	all []string
}

func (a *assuming) Assume(_ *Goroutine, k AssumptionKind, what string) {
	a.all = append(a.all, fmt.Sprint(k == AssumeCount, " ", what))
}

// TestCrowd meets, and makes, more primitives than there are places for: every execution that does says so, once.
func TestCrowd(t *testing.T) {
	defer func(n int) { mostPlaces = n }(mostPlaces)
	mostPlaces = 2
	for _, made := range []bool{false, true} {
		m, p := executed(t)
		ex := new(assuming)
		m.Exec = ex
		co := &Caller{M: m, G: m.Goroutines[MainID]}
		Callers.Add(co)
		for execution := range 3 {
			begin(m, p)
			for n := range 4 {
				if k := new(mutexKey); made {
					Create(co.G, k)
				} else {
					Find(m, k)
				}
				if want := execution + max(0, min(1, n-1)); len(ex.all) != want {
					t.Fatalf("made: %v, execution %d, %d primitives: %q", made, execution, n+1, ex.all)
				}
			}
		}
		if want := "true more than 2 primitives, which are told apart by their addresses alone"; ex.all[0] != want {
			t.Errorf("got %q, want %q", ex.all[0], want)
		}
		Callers.Remove(co)
	}
}

// TestEvict takes the mark of an execution away: it goes on with its state, and does not mark the words again.
func TestEvict(t *testing.T) {
	m, _ := executed(t)
	open := opened(t)
	var k, busy, entered mutexKey
	s := found(t, m, &k, true)
	at := unsafe.Pointer(&k)
	Outside(at, true, true)
	if k.Evict(); k.words != (words{}) || !m.LeadsTo(at) {
		t.Errorf("%+v, %v", k.words, m.LeadsTo(at))
	}
	if found(t, m, &k, false) != s || k.words != (words{}) || !m.LeadsTo(at) {
		t.Errorf("another state, or %+v", k.words)
	}
	atomic.StoreInt32(&busy.state, 1)
	s = found(t, m, &busy, true)
	if busy.words != (words{state: 1}) || !m.LeadsTo(unsafe.Pointer(&busy)) {
		t.Errorf("%+v", busy.words)
	}
	if busy.words = (words{}); found(t, m, &busy, true) == s || !busy.marked() {
		t.Error("what was overwritten is what it was")
	}
	entered.Natively(func() { s = found(t, m, &entered, true) })
	if entered.marked() || found(t, m, &entered, false) != s {
		t.Error("marked while it was used outside")
	}
	var later mutexKey
	found(t, m, &later, true)
	later.Natively(func() {
		if later.marked() {
			t.Error("used outside while it is marked")
		}
	})
	open.Shut()
	for i := range transitions {
		if len(transitions[i].native)+len(transitions[i].evicted) != 0 || evictions.Load() != 0 {
			t.Error("something is left")
		}
	}
	if m.LeadsTo(unsafe.Pointer(new(mutexKey))) {
		t.Error("an execution has used what is new")
	}
}

// TestEpochs has no two executions of one epoch.
func TestEpochs(t *testing.T) {
	seen := make(map[uint64]bool)
	machines := [...]*Machine{NewMachine(Config{}), NewMachine(Config{}), NewMachine(Config{})}
	for range 3 << epochBits {
		for _, m := range machines {
			if m.Reset(); seen[m.Epoch&epochMask] || m.Epoch == 0 {
				t.Fatalf("epoch %x comes again", m.Epoch)
			}
			seen[m.Epoch] = true
		}
	}
	if n := machines[0].Executions(); n != 3<<epochBits {
		t.Errorf("%d executions", n)
	}
}
