package machine

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
)

// Key is all of a primitive that is in the memory of the program: it leads to the state, which
// belongs to the execution. It has the size and the alignment of a sync.Mutex, and may be one. What
// stands for a primitive of package sync is that primitive outside of executions. In it, a key
// takes the place of the words of a Mutex, or of a semaphore. An execution marks these words when
// it comes upon the primitive, unless they are in use. An execution that is alone marks the words
// of a lock only as long as the lock is held, see zero_locks.go. A use outside of executions that
// comes upon a mark takes it away.
//
// Marks stay when an execution is over: the next one puts its own in their place.
type Key[S any] struct {
	_ noCopy
	words
}

// words are a Key. If state is negative, they are marked, by an execution of the epoch that is in
// sema and state, for the place of an index that is in state. The lowest bit of state is set then,
// so a goroutine that is just about to lock the words, as those of a Mutex that is not locked,
// fails to. What a copy of them would begin as is in state, too: see lock_copies.go.
type words struct {
	state int32
	sema  uint32
}

// The bits of words that are marked. Epochs are as wide as that lets them be. A number comes up
// again after some ten thousand million executions. Then it makes a difference only for a primitive
// that was not used in between.
const (
	marked    = 1 << 31
	heldBits  = 4 // of state, next to the highest
	heldAt    = 31 - heldBits
	heldMask  = (1<<heldBits - 1) << heldAt
	epochBits = 4 // the next ones; there are 32 more in sema
	epochAt   = heldAt - epochBits
	epochMask = 1<<(32+epochBits) - 1
	placeMask = 1<<epochAt - 1 // the lowest of these is always set
)

// mostPlaces is how many primitives an execution can mark with places of their own. More are found
// by their addresses, which does not tell that one was set to zero, or copied.
var mostPlaces = begunBare

// crowd notes, once in an execution, that there are more.
func (m *Machine) crowd() {
	if co := Callers.Find(); co != nil && m.Marks.crowded != m.Epoch {
		m.Marks.crowded = m.Epoch
		m.Exec.Assume(co.G, AssumeCount, "more than "+format.Counted(int64(mostPlaces), "primitives")+", which are told apart by their addresses alone")
	}
}

// noCopy makes go vet complain about copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// place is where words lead that are marked.
type place struct {
	at    uintptr        // the words, to notice copies
	state unsafe.Pointer // of the type of the key
}

// epochs counts the epochs that machines have got, in blocks.
var epochs atomic.Uint64

// turn begins an epoch.
func (m *Machine) turn() {
	m.executions++
	if m.Epoch++; m.Epoch&(1<<epochBits-1) == 0 {
		m.Epoch = epochs.Add(1) << epochBits
	}
	m.setEpoch(m.Epoch)
}

func (m *Machine) setEpoch(epoch uint64) {
	m.Epoch, m.Marks.word = epoch, marked|uint32(epoch)<<epochAt&^(marked|heldMask)|1
	m.Marks.places = m.Marks.places[:0]
}

// Join makes m, one of those that run at the same time, part of the epoch of first.
func (m *Machine) Join(first *Machine) {
	m.Marks.places = nil
	m.setEpoch(first.Epoch)
}

// Turn begins an epoch for machines that join m.
func (m *Machine) Turn() { m.turn() }

// Executions returns how many executions there have been.
func (m *Machine) Executions() uint64 { return m.executions }

// In returns the state that k leads to in the running execution, nil if it leads to none, or
// this is to be found out.
func (k *Key[S]) In(m *Machine) *S {
	i := k.index(m)
	if uint(i) < uint(len(m.Marks.places)) {
		if p := &m.Marks.places[i]; p.at == uintptr(unsafe.Pointer(k)) {
			return (*S)(p.state)
		}
	}
	return nil
}

// Used reports whether any execution has used the primitive, or made it.
func (k *Key[S]) Used() bool { return k.marked() }

// index returns the index that the words have if m's running execution has marked them. If they are
// not marked, it is the index of no place. It may be any index if others have marked them.
func (w *words) index(m *Machine) uint32 {
	return ((uint32(atomic.LoadInt32(&w.state)) ^ m.Marks.word) &^ heldMask) >> 1
}

func (w *words) marked() bool { return atomic.LoadInt32(&w.state) < 0 }

// epoch returns the epoch of words that are marked.
func (w *words) epoch() uint64 {
	low := uint64(uint32(atomic.LoadInt32(&w.state))&^(marked|heldMask)) >> epochAt
	return uint64(atomic.LoadUint32(&w.sema))<<epochBits | low
}

// place returns the index of the place that words which are marked lead to.
func (w *words) place() int { return int(atomic.LoadInt32(&w.state)&placeMask) >> 1 }

// isOf reports whether the words have a mark of the running execution.
func (w *words) isOf(m *Machine) bool { return w.marked() && w.epoch() == m.Epoch&epochMask }

// lead marks words that are not in use.
func (w *words) lead(m *Machine, i int) {
	atomic.StoreUint32(&w.sema, uint32(m.Epoch>>epochBits))
	atomic.StoreInt32(&w.state, int32(m.Marks.word^uint32(i)<<1))
}

// Lead makes k, which is new, lead to s.
func Lead[S any, P StateOf[S]](m *Machine, k *Key[S], s *S) {
	to := &m.Marks.places
	if p := m.Parallel; p != nil {
		p.meeting.Lock()
		defer p.meeting.Unlock()
		to = &p.places
	}
	if len(*to) >= mostPlaces {
		m.crowd()
		m.putElsewhere(&k.words, P(s))
		return
	}
	k.lead(m, len(*to))
	*to = append(*to, place{uintptr(unsafe.Pointer(k)), unsafe.Pointer(s)})
}

// strayed is the state of a primitive with words that do not lead to it. They are as natively, or
// in use outside of executions or by another execution that goes on, or their mark was taken away.
type strayed struct {
	o    Object
	busy bool // they were in use outside
}

// isOf reports whether it is still the state of the primitive with these words.
func (e *strayed) isOf(m *Machine, w *words) bool {
	if h := e.o.Head(); h.bare {
		return atomic.LoadInt32(&w.state) == h.word || m.stillBare(w, h)
	}
	return !e.busy || atomic.LoadInt32(&w.state) != 0 || OutsiderMayHave(unsafe.Pointer(w))
}

func (m *Machine) putElsewhere(w *words, o Object) {
	if p := m.Parallel; p != nil {
		if p.elsewhere == nil {
			p.elsewhere = make(map[unsafe.Pointer]Object)
		}
		p.elsewhere[unsafe.Pointer(w)] = o
		return
	}
	e, _ := m.Store.elsewhere.At(unsafe.Pointer(w))
	*e = strayed{o, atomic.LoadInt32(&w.state) > 0}
}

// elsewhere returns the state of a primitive with words that do not lead to it, nil if it is not
// known.
func elsewhere[S any, P StateOf[S]](m *Machine, k *Key[S]) *S {
	if p := m.Parallel; p != nil {
		if o := p.elsewhere[unsafe.Pointer(k)]; o != nil {
			return any(o).(*S)
		}
	} else if e := m.Store.elsewhere.Find(unsafe.Pointer(k)); e != nil && e.o != nil {
		if e.isOf(m, &k.words) {
			return any(e.o).(*S)
		}
		e.o = nil // the program has set it to zero, or to something else
	}
	i, ok := evictedOf(&k.words, m.Epoch)
	if !ok || i >= len(m.Marks.places) {
		return nil
	}
	s := (*S)(m.Marks.places[i].state)
	m.putElsewhere(&k.words, P(s))
	return s
}

// LeadsTo reports whether p, where an outsider has used a primitive, is of one that the execution
// has used.
func (m *Machine) LeadsTo(p unsafe.Pointer) bool {
	w := (*words)(p)
	if i := int(w.index(m)); i < len(m.Marks.places) && m.Marks.places[i].at == uintptr(p) {
		return true
	}
	if e := m.Store.elsewhere.Find(p); e != nil && e.o != nil {
		return true
	}
	_, evicted := evictedOf(w, m.Epoch)
	return evicted
}
