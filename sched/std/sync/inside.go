package sync

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// The types of this package have the layout of those of package sync, and of those of package
// sched. Outside of executions a primitive is used as one of the former, and in executions as
// one of the latter. The methods below do the conversions.

// words is the key of a primitive's state. It is where package sync has a Mutex or a semaphore,
// or else apart from the primitive of package sync.
type words struct {
	state int32
	sema  uint32
}

// noCopy makes go vet report copies of a struct that contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

func (m *Mutex) real() *sync.Mutex { return (*sync.Mutex)(unsafe.Pointer(m)) }
func (m *Mutex) ctl() *sched.Mutex { return (*sched.Mutex)(unsafe.Pointer(m)) }

func (m *Mutex) key() *machine.Key[machine.MutexState] {
	return (*machine.Key[machine.MutexState])(unsafe.Pointer(&m.mu))
}

func (rw *RWMutex) real() *sync.RWMutex { return (*sync.RWMutex)(unsafe.Pointer(rw)) }
func (rw *RWMutex) ctl() *sched.RWMutex { return (*sched.RWMutex)(unsafe.Pointer(rw)) }

func (rw *RWMutex) key() *machine.Key[machine.RwState] {
	return (*machine.Key[machine.RwState])(unsafe.Pointer(&rw.w.mu))
}

func (wg *WaitGroup) real() *sync.WaitGroup { return (*sync.WaitGroup)(unsafe.Pointer(wg)) }
func (wg *WaitGroup) ctl() *sched.WaitGroup { return (*sched.WaitGroup)(unsafe.Pointer(wg)) }

func (wg *WaitGroup) key() *machine.Key[machine.WgState] {
	return (*machine.Key[machine.WgState])(unsafe.Pointer(&wg.sema))
}

func (o *Once) real() *sync.Once { return (*sync.Once)(unsafe.Pointer(o)) }
func (o *Once) ctl() *sched.Once { return (*sched.Once)(unsafe.Pointer(o)) }

func (o *Once) key() *machine.Key[machine.OnceState] {
	return (*machine.Key[machine.OnceState])(unsafe.Pointer(&o.m.mu))
}

func (m *Map) ctl() *sched.Map { return (*sched.Map)(unsafe.Pointer(m)) }

func (m *Map) key() *machine.Key[machine.MapState] {
	return (*machine.Key[machine.MapState])(unsafe.Pointer(&m.words))
}

func (p *Pool) ctl() *sched.Pool { return (*sched.Pool)(unsafe.Pointer(p)) }

func (p *Pool) key() *machine.Key[machine.PoolState] {
	return (*machine.Key[machine.PoolState])(unsafe.Pointer(&p.words))
}

func (c *Cond) ctl() *sched.Cond { return (*sched.Cond)(unsafe.Pointer(c)) }

func (c *Cond) key() *machine.Key[machine.CondState] {
	return (*machine.Key[machine.CondState])(unsafe.Pointer(&c.words))
}

// made returns the target of p. At first it sets p to the result of mk.
func made[T any](p *atomic.Pointer[T], mk func() *T) *T {
	if p.Load() == nil {
		p.CompareAndSwap(nil, mk())
	}
	return p.Load()
}

// The conversions are sound if the sizes are the same. For primitives that package sync uses in
// place, the fields must be the same, too: see init.
const (
	_ = -(unsafe.Sizeof(Mutex{}) ^ unsafe.Sizeof(sync.Mutex{}) | unsafe.Sizeof(Mutex{}) ^ unsafe.Sizeof(sched.Mutex{}))
	_ = -(unsafe.Sizeof(RWMutex{}) ^ unsafe.Sizeof(sync.RWMutex{}) | unsafe.Sizeof(RWMutex{}) ^ unsafe.Sizeof(sched.RWMutex{}))
	_ = -(unsafe.Sizeof(WaitGroup{}) ^ unsafe.Sizeof(sync.WaitGroup{}) | unsafe.Sizeof(WaitGroup{}) ^ unsafe.Sizeof(sched.WaitGroup{}))
	_ = -(unsafe.Sizeof(Once{}) ^ unsafe.Sizeof(sync.Once{}) | unsafe.Sizeof(Once{}) ^ unsafe.Sizeof(sched.Once{}))
	_ = -(unsafe.Sizeof(Map{}) ^ unsafe.Sizeof(sync.Map{}) | unsafe.Sizeof(Map{}) ^ unsafe.Sizeof(sched.Map{}))
	_ = -(unsafe.Sizeof(Pool{}) ^ unsafe.Sizeof(sync.Pool{}) | unsafe.Sizeof(Pool{}) ^ unsafe.Sizeof(sched.Pool{}))
	_ = -(unsafe.Sizeof(Cond{}) ^ unsafe.Sizeof(sync.Cond{}) | unsafe.Sizeof(Cond{}) ^ unsafe.Sizeof(sched.Cond{}))
	_ = -(unsafe.Offsetof(Pool{}.New) ^ unsafe.Offsetof(sync.Pool{}.New) | unsafe.Offsetof(Pool{}.New) ^ unsafe.Offsetof(sched.Pool{}.New))
	_ = -(unsafe.Sizeof(words{}) ^ unsafe.Sizeof(machine.Key[machine.MutexState]{}))
)

// init checks that the primitives of package sync, used in place, change the expected fields,
// and do not change a word of their keys while they are unlocked.
func init() {
	var (
		m    Mutex
		rw   RWMutex
		wg   WaitGroup
		once Once
	)
	m.real().Lock()
	locked := m.mu == words{state: 1}
	m.real().Unlock()
	rw.real().RLock()
	reading := rw.readerCount.Load() == 1 && rw.w.mu == words{}
	rw.real().RUnlock()
	rw.real().Lock()
	writing := rw.readerCount.Load() < 0 && rw.w.mu == words{state: 1}
	wg.real().Add(3)
	counting := wg.count() == 3 && wg.sema == words{}
	doing := false
	once.real().Do(func() { doing = !once.done.Load() && once.m.mu == words{state: 1} })
	if !locked || m.mu != (words{}) || !reading || !writing || !counting || !doing || !once.done.Load() || once.m.mu != (words{}) {
		panic(fmt.Sprintf("sched/std/sync: the types of package sync of %s are not laid out as expected", runtime.Version()))
	}
}
