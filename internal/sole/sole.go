// Package sole has executions that are alone: while one of these goes on, no other one of the
// process does.
package sole

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Presence is the execution of a program as others see it.
type Presence struct {
	live   atomic.Uint64  // the epoch of the execution that goes on, or 0
	Driver atomic.Uintptr // the goroutine that runs it
	Alone  bool           // executions have to be alone
	Likes  bool           // executions are to be alone until a second search goes on
	holds  atomic.Bool    // this one is: it holds turns
	open   atomic.Bool    // see Open
	listed bool           // in turns.all
	Waits  atomic.Int64   // since when it waits for its turn, in nanoseconds; 0 if it does not
	Waited atomic.Int64   // nanoseconds, so far
	_      [80]byte       // every execution changes it: two would share a line of caches
}

// Turns is held by an execution that is alone.
var Turns struct {
	sync.Mutex
	Taken    atomic.Bool                 // one execution is alone, or waits to be: no other begins
	all      atomic.Pointer[[]*Presence] // never changed once set
	left     chan struct{}               // has an element when an execution may have ended since
	ended    atomic.Int64                // ended executions that another may have waited for
	Everyone atomic.Bool                 // every execution is to be alone, see Exclusive
	Several  atomic.Bool                 // searches have gone on at the same time
}

func init() { Turns.left = make(chan struct{}, 1) }

// GoesOn reports whether an execution goes on of which the epoch has these bits below mask.
func GoesOn(epoch, mask uint64) bool {
	if all := Turns.all.Load(); all != nil {
		for _, p := range *all {
			if live := p.live.Load(); live&mask == epoch && live != 0 {
				return true
			}
		}
	}
	return false
}

// Drives reports whether the goroutine of that number runs an execution: what it does
// between the steps is this module's own business. Later, the number may be another one's.
func Drives(gp uintptr) bool {
	if all := Turns.all.Load(); all != nil {
		for _, p := range *all {
			if p.Driver.Load() == gp && p.live.Load() != 0 {
				return true
			}
		}
	}
	return false
}

// Enter begins an execution, when its turn has come. It is run by the goroutine with the number me.
// Within reports whether that is part of another execution.
func (p *Presence) Enter(epoch uint64, me uintptr, within func() bool) {
	if !p.listed {
		p.List()
	}
	if p.Driver.Load() != me {
		p.Driver.Store(me)
	}
	alone := p.Alone || Turns.Everyone.Load()
	if !alone && (!p.Likes || Turns.Several.Load()) {
		p.live.Store(epoch)
		if !Turns.Taken.Load() || within() || p.Nested() {
			return
		}
		p.Leave()
	} else if within() || p.Nested() {
		p.live.Store(epoch)
		return
	}
	if !Turns.TryLock() {
		Turns.Several.Store(true)
		p.wait(Turns.Lock)
	}
	if !alone && (!p.Likes || Turns.Several.Load()) {
		p.live.Store(epoch)
		Turns.Unlock()
		return
	}
	if !Turns.Taken.Load() {
		Turns.Taken.Store(true)
	}
	if !p.isAlone() {
		Turns.Several.Store(true)
		if !alone {
			p.live.Store(epoch)
			Turns.Taken.Store(false)
			Turns.Unlock()
			return
		}
		p.wait(func() {
			for !p.isAlone() {
				<-Turns.left
			}
		})
	}
	p.live.Store(epoch)
	p.holds.Store(true)
}

// wait calls f, which waits for others.
func (p *Presence) wait(f func()) {
	begin := time.Now()
	p.Waits.Store(begin.UnixNano())
	f()
	p.Waited.Add(int64(time.Since(begin)))
	p.Waits.Store(0)
}

// isAlone reports whether no other execution goes on.
func (p *Presence) isAlone() bool {
	for _, q := range *Turns.all.Load() {
		if q != p && q.live.Load() != 0 {
			return false
		}
	}
	return true
}

// Nested reports whether the goroutine that runs p is running another execution. Then p must not
// wait for executions that may wait for that one. Nor must it if it is part of an execution.
func (p *Presence) Nested() bool {
	me := p.Driver.Load()
	for _, q := range *Turns.all.Load() {
		if q != p && q.live.Load() != 0 && q.Driver.Load() == me {
			return true
		}
	}
	return false
}

// HasTurn reports whether no other execution begins before this one ends, but for those within it.
func (p *Presence) HasTurn() bool { return p.holds.Load() }

// GoesOn reports whether others see an execution of p.
func (p *Presence) GoesOn() bool { return p.live.Load() != 0 }

// Leave ends the execution.
func (p *Presence) Leave() {
	p.live.Store(0)
	if p.holds.Load() && p.holds.CompareAndSwap(true, false) {
		Turns.ended.Add(1)
		if !Turns.Everyone.Load() {
			Turns.Taken.Store(false)
		}
		Turns.Unlock()
	} else if Turns.Taken.Load() {
		Turns.ended.Add(1)
		select {
		case Turns.left <- struct{}{}:
		default:
		}
	}
}

// Progress returns a number that grows while executions end that p waits for.
func (p *Presence) Progress() int64 {
	if p.Waits.Load() == 0 {
		return 0
	}
	return Turns.ended.Load()
}

// List makes p known to others.
func (p *Presence) List() {
	p.listed = true
	change(func(all []*Presence) []*Presence { return append(slices.Clone(all), p) })
}

// Resign is called when there are to be no more executions.
func (p *Presence) Resign() {
	if p.listed {
		p.listed = false
		change(func(all []*Presence) []*Presence {
			return slices.DeleteFunc(slices.Clone(all), func(q *Presence) bool { return q == p })
		})
	}
}

func change(f func([]*Presence) []*Presence) {
	for {
		old := Turns.all.Load()
		var all []*Presence
		if old != nil {
			all = *old
		}
		if all = f(all); Turns.all.CompareAndSwap(old, &all) {
			return
		}
	}
}

// AnyOpen reports whether an execution goes on that has called Open. Every execution says so of
// itself: a count would be a line of caches that all of them change.
func AnyOpen() bool {
	if all := Turns.all.Load(); all != nil {
		for _, p := range *all {
			if p.open.Load() {
				return true
			}
		}
	}
	return false
}

// Open says, after Enter, that an execution begins. What uncontrolled goroutines do may matter to
// it.
func (p *Presence) Open() { p.open.Store(true) }

// Shut says that the execution is over, or that its end is no longer waited for. It reports whether
// it was the last one that was open.
func (p *Presence) Shut() bool { return p.open.CompareAndSwap(true, false) && !AnyOpen() }
