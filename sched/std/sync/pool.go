package sync

import (
	"sync"

	"github.com/gopor/gopor/sched"
)

// A Pool is a sync.Pool, and under control a sched.Pool. An execution does not
// see what was put into it outside, as if that had been collected.
type Pool struct {
	// New makes a thing when there is none to be used again. It may be nil.
	New func() any

	real sync.Pool
	ctl  sched.Pool
}

// Get takes a thing out of the pool, or returns the result of New.
func (p *Pool) Get() any {
	if controlled() {
		p.ctl.New = p.New
		return p.ctl.Get()
	}
	v := p.real.Get()
	if v == nil && p.New != nil {
		v = p.New()
	}
	return v
}

// Put adds x to the pool.
func (p *Pool) Put(x any) {
	if controlled() {
		p.ctl.Put(x)
		return
	}
	p.real.Put(x)
}
