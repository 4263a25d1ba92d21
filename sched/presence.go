package sched

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// presence is a Closure as others see it.
type presence struct {
	live   atomic.Uint64  // the epoch of the execution that goes on, or 0
	driver atomic.Uintptr // the goroutine that runs it
	alone  bool           // executions have to be alone
	holds  atomic.Bool    // ... and this one is: it holds turns
	listed bool           // in turns.all
	waits  atomic.Int64   // since when it waits for its turn, in nanoseconds; 0 if it does not
	waited atomic.Int64   // nanoseconds, so far
}

// turns is held by an execution that is alone.
var turns struct {
	sync.Mutex
	taken    atomic.Bool                 // somebody is alone or waits for that: nobody else may begin
	all      atomic.Pointer[[]*presence] // never changed once set
	left     chan struct{}               // has an element when somebody may have left since
	ended    atomic.Int64                // executions that somebody may have waited for
	everyone atomic.Bool                 // is to be alone, see Exclusive
}

func init() { turns.left = make(chan struct{}, 1) }

// goesOn reports whether the execution of that epoch does.
func goesOn(epoch uint64) bool {
	if all := turns.all.Load(); all != nil {
		for _, p := range *all {
			if p.live.Load() == epoch {
				return true
			}
		}
	}
	return false
}

// enter begins an execution, when its turn has come.
func (p *presence) enter(epoch uint64) {
	if !p.listed {
		p.list()
	}
	if me := getg(); p.driver.Load() != me {
		p.driver.Store(me)
	}
	alone := p.alone || turns.everyone.Load()
	if !alone {
		p.live.Store(epoch)
		if !turns.taken.Load() || callers.find() != nil || p.nested() {
			return
		}
		p.leave()
	} else if callers.find() != nil || p.nested() {
		p.live.Store(epoch)
		return
	}
	if !turns.TryLock() {
		p.wait(turns.Lock)
	}
	if !alone {
		p.live.Store(epoch)
		turns.Unlock()
		return
	}
	if !turns.taken.Load() {
		turns.taken.Store(true)
	}
	if !p.isAlone() {
		p.wait(func() {
			for !p.isAlone() {
				<-turns.left
			}
		})
	}
	p.live.Store(epoch)
	p.holds.Store(true)
}

// wait calls f, which waits for others.
func (p *presence) wait(f func()) {
	begin := time.Now()
	p.waits.Store(begin.UnixNano())
	f()
	p.waited.Add(int64(time.Since(begin)))
	p.waits.Store(0)
}

// isAlone reports whether no other execution goes on.
func (p *presence) isAlone() bool {
	for _, q := range *turns.all.Load() {
		if q != p && q.live.Load() != 0 {
			return false
		}
	}
	return true
}

// nested reports whether the goroutine that runs p is running another execution. It
// must not wait then, as it must not if it is part of one, for those who may wait for
// that one.
func (p *presence) nested() bool {
	me := p.driver.Load()
	for _, q := range *turns.all.Load() {
		if q != p && q.live.Load() != 0 && q.driver.Load() == me {
			return true
		}
	}
	return false
}

// leave ends the execution.
func (p *presence) leave() {
	p.live.Store(0)
	if p.holds.Load() && p.holds.CompareAndSwap(true, false) {
		turns.ended.Add(1)
		if !turns.everyone.Load() {
			turns.taken.Store(false)
		}
		turns.Unlock()
	} else if turns.taken.Load() {
		turns.ended.Add(1)
		select {
		case turns.left <- struct{}{}:
		default:
		}
	}
}

// progress returns a number that grows while executions end that p waits for.
func (p *presence) progress() int64 {
	if p.waits.Load() == 0 {
		return 0
	}
	return turns.ended.Load()
}

// list makes p known to others.
func (p *presence) list() {
	p.listed = true
	change(func(all []*presence) []*presence { return append(slices.Clone(all), p) })
}

// resign is called when there are to be no more executions.
func (p *presence) resign() {
	if p.listed {
		p.listed = false
		change(func(all []*presence) []*presence {
			return slices.DeleteFunc(slices.Clone(all), func(q *presence) bool { return q == p })
		})
	}
}

func change(f func([]*presence) []*presence) {
	for {
		old := turns.all.Load()
		var all []*presence
		if old != nil {
			all = *old
		}
		if all = f(all); turns.all.CompareAndSwap(old, &all) {
			return
		}
	}
}
