package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// A Pool is a sync.Pool, and under control a sched.Pool. An execution does not see values that
// were put into it outside, as if they had been collected. Every use counts as a write of the
// Pool, as the first use after a collection is.
type Pool struct {
	words
	real atomic.Pointer[sync.Pool] // nil if it was not used outside
	_    [(unsafe.Offsetof(sync.Pool{}.New)-8)/unsafe.Sizeof(uintptr(0)) - 1]uintptr

	// New makes a value when the pool has none. It may be nil.
	New func() any
}

func (p *Pool) native() *sync.Pool { return made(&p.real, func() *sync.Pool { return new(sync.Pool) }) }

// Get takes a value out of the pool, or returns the result of New.
func (p *Pool) Get() any {
	if controlled() {
		hook.Fresh(p.key(), true)
		return p.ctl().Get()
	}
	v := p.native().Get()
	if v == nil && p.New != nil {
		v = p.New()
	}
	return v
}

// Put adds x to the pool.
func (p *Pool) Put(x any) {
	if controlled() {
		if x != nil {
			hook.Fresh(p.key(), true)
		}
		p.ctl().Put(x)
		return
	}
	p.native().Put(x)
}
