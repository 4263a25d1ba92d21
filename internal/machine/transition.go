package machine

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/sole"
)

// This file has words change hands: between executions, and between these and uses of a primitive
// of package sync outside of them. Words are never marked while they are in use as a semaphore, and
// marks never get into such a use.

// transition guards the words of some keys when they change hands.
type transition struct {
	sync.Mutex
	native  map[*words]int      // how many may be using the semaphore
	evicted map[*words]eviction // marks that were taken away while their execution went on
	_       [40]byte
}

// transitions has one for every key, by the page that it is in. Go's allocator gives a page to one
// processor at a time. So executions that go on at the same time seldom use the same transition,
// which would have to go from one processor's cache to the other's.
var transitions [256]transition

// pageBits is the logarithm of the size of a page.
const pageBits = 13

// eviction is what a mark has said.
type eviction struct {
	epoch uint64
	place int
}

// evictions counts them, since no execution went on.
var evictions atomic.Int32

func transitionOf(w *words) *transition {
	return &transitions[uint64(uintptr(unsafe.Pointer(w)))>>pageBits*0x9e3779b97f4a7c15>>56]
}

// claim marks words for the next place of the running execution, unless they are in use. If that
// has marked them already, they are a copy.
func (m *Machine) claim(w *words, i int) (ours, others bool) {
	if i >= mostPlaces {
		m.crowd()
		return false, false
	}
	t := transitionOf(w)
	t.Lock()
	defer t.Unlock()
	was := atomic.LoadInt32(&w.state)
	switch {
	case was < 0 && !w.isOf(m) && sole.GoesOn(w.epoch(), epochMask):
		return false, true
	case was > 0 || was == 0 && t.native[w] > 0:
		return false, false
	case !atomic.CompareAndSwapInt32(&w.state, was, int32(m.Marks.word^uint32(i)<<1)):
		return false, false // it was locked this moment
	}
	atomic.StoreUint32(&w.sema, uint32(m.Epoch>>epochBits))
	return true, false
}

// Evict takes the mark of an execution away: the primitive is about to be used outside. If the
// execution goes on, it keeps the state.
func (k *Key[S]) Evict() {
	if k.marked() {
		k.words.evict()
	}
}

func (w *words) evict() {
	t := transitionOf(w)
	t.Lock()
	t.evict(w)
	t.Unlock()
}

func (t *transition) evict(w *words) {
	if !w.marked() {
		return
	}
	if epoch := w.epoch(); sole.GoesOn(epoch, epochMask) {
		if t.evicted == nil {
			t.evicted = make(map[*words]eviction)
		}
		t.evicted[w] = eviction{epoch, w.place()}
		evictions.Add(1)
	}
	w.clear()
}

// Natively calls f, which uses the primitive outside of executions and may wait for its semaphore.
// Until it returns no execution marks the words.
func (k *Key[S]) Natively(f func()) {
	k.enter()
	defer k.leave()
	f()
}

func (w *words) enter() {
	t := transitionOf(w)
	t.Lock()
	defer t.Unlock()
	if t.native == nil {
		t.native = make(map[*words]int)
	}
	t.native[w]++
	t.evict(w)
}

func (w *words) leave() {
	t := transitionOf(w)
	t.Lock()
	defer t.Unlock()
	if t.native[w]--; t.native[w] == 0 {
		delete(t.native, w)
	}
}

// evictedOf returns the place of the words in the execution of an epoch, if their mark was taken
// away while it went on.
func evictedOf(w *words, epoch uint64) (place int, ok bool) {
	if evictions.Load() == 0 {
		return 0, false
	}
	t := transitionOf(w)
	t.Lock()
	defer t.Unlock()
	e, ok := t.evicted[w]
	return e.place, ok && e.epoch == epoch&epochMask
}

// forgetEvictions is called when no execution goes on.
func forgetEvictions() {
	if evictions.Swap(0) == 0 {
		return
	}
	for i := range transitions {
		t := &transitions[i]
		t.Lock()
		clear(t.evicted)
		t.Unlock()
	}
}
