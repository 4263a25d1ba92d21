package sched

import (
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Pool is a set of things to be used again, like sync.Pool. Get returns what
// was Put last, which is less than Go allows: with [ModelPool] it returns any of the
// things, or none. A pool is empty at the start of every execution. All uses depend
// on each other.
//
// Searches of package por explore Pools that goroutines do not share first: Get returns what
// the calling goroutine itself has Put last. Uses by different goroutines are independent then.
type Pool struct {
	k machine.Key[machine.PoolState]
	_ [(unsafe.Offsetof(sync.Pool{}.New) - 8) / unsafe.Sizeof(uintptr(0))]uintptr

	// New makes a thing when the pool is empty. It may be nil.
	New func() any
}

// Get takes a thing out of the pool, or returns the result of New. It returns
// nil if the pool is empty and has no New.
func (p *Pool) Get() any {
	g := machine.Enter("Pool.Get")
	s, _ := machine.Find(g.M, &p.k)
	s = s.Of(g)
	v := g.AskValues(trace.OpPool, s, 0, nil, nil)
	s.Note(g, false, v)
	if v == nil && p.hasNew() {
		v = p.New()
		if g.M.Record {
			g.NoteResult("get: new")
		}
		return v
	}
	if v == nil {
		s.Miss(g)
	}
	if g.M.Record {
		g.NoteResult(v)
	}
	return v
}

func (p *Pool) hasNew() bool {
	reads(&p.New)
	return p.New != nil
}

// Put adds x to the pool. It ignores nil.
func (p *Pool) Put(x any) {
	g := machine.Leave("Pool.Put")
	if g == nil || x == nil {
		return
	}
	s, _ := machine.Find(g.M, &p.k)
	s = s.Of(g)
	g.AskValues(trace.OpPool, s, 0, x, nil)
	s.Note(g, true, x)
	if g.M.Record {
		g.NoteResult(x)
	}
}
