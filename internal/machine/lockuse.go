package machine

import (
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// This file says what an operation on a primitive does to the memory that the primitive is in. Code
// of the program's own may read that memory: it copies, compares or prints a struct, and reads the
// lock in it as well. By the Go memory model that is a data race with an operation that writes the
// lock, unless synchronisation orders the two.
//
// What an operation writes is taken from package sync. The race detector sees as much of Mutex,
// Once, Map and package sync/atomic. It does not see what RWMutex, WaitGroup and Pool write, since
// they tell it to look away, nor what the runtime writes for a Cond. These are data races all the
// same: a copy may be half locked.
//
// None of this is an operation, or orders anything. Where no data race has to be found nothing is
// noted.

// firstUse is the operation that has written the memory of a primitive first. Later ones only read
// it, as long as they know of the first: without that they may be the first in another schedule.
type firstUse struct {
	is   bool
	g    trace.ID
	time int32 // of g's clock
}

// longAgo is a first use before the execution, of which all know.
var longAgo = firstUse{is: true, g: MainID, time: -1}

// by returns what another use, by g, does.
func (f *firstUse) by(g *Goroutine) accessKind {
	switch {
	case !f.is:
		*f = firstUse{true, g.ID, g.view.time}
	case g.M.Memory.Races.knows(g, f.g, f.time):
		return AtomicRead
	}
	return AtomicWrite
}

// Begun says that the Map was used before the execution.
func (s *MapState) Begun() { s.first = longAgo }

// Touch notes what g's use of the Map at p does. Load, Store and the like write the entries, which
// have memory of their own; clears says that the use is a Clear, which replaces all that the Map
// leads to.
func (s *MapState) Touch(g *Goroutine, p unsafe.Pointer, clears bool) {
	if g.M.Memory.Races == nil {
		return
	}
	kind := s.first.by(g)
	if clears {
		kind = AtomicWrite
	}
	g.Use(p, s, true, kind)
}

// Touch notes what g's use of the Cond at p does. A Wait changes the list of those that wait.
func (s *CondState) Touch(g *Goroutine, p unsafe.Pointer, waits bool) {
	if g.M.Memory.Races == nil {
		return
	}
	kind := s.first.by(g)
	if waits {
		kind = AtomicWrite
	}
	g.Use(p, s, true, kind)
}

// Touched notes what g's Signal or Broadcast of the Cond at p has done: one that wakes others
// changes the list.
func (s *CondState) Touched(g *Goroutine, p unsafe.Pointer) {
	if g.Reply.Ok {
		g.Use(p, s, true, AtomicWrite)
	}
}

// Touch notes what a Do of the Once at p, by g, does before its function is called, if it is. A Do
// that knows that the function has returned only looks at that. Any other takes the lock of the
// Once, or would in another schedule.
func (s *OnceState) Touch(g *Goroutine, p unsafe.Pointer) {
	mm, kind := g.M.Memory.Races, AtomicWrite
	if mm == nil {
		return
	}
	if s.Done && mm.has(g, mm.carried(s.ID)) {
		kind = AtomicRead
	}
	g.Use(p, s, true, kind)
}

// Touched notes that g gives the lock of the Once at p back, after its call of the function has
// returned. Callers that find the Once done before that do not wait for it.
func (s *OnceState) Touched(g *Goroutine, p unsafe.Pointer) {
	if !g.M.Closing {
		g.Use(p, s, true, AtomicWrite)
	}
}

// TouchByWait notes what a Wait for the WaitGroup at p, by g, does: it writes down that one more
// waits, unless it knows that there is nothing to wait for.
func (s *WgState) TouchByWait(g *Goroutine, p unsafe.Pointer) {
	mm, kind := g.M.Memory.Races, AtomicRead
	if mm == nil {
		return
	}
	if s.Count > 0 || !mm.hasAll(g, s.unseen(g)) {
		kind = AtomicWrite
	}
	g.Use(p, s, true, kind)
}

// TouchByTry notes what a TryLock of the RWMutex at p, by g, has done. One that has failed because
// of readers has locked out other writers for a moment.
func (s *RwState) TouchByTry(g *Goroutine, p unsafe.Pointer, ok bool) {
	if g.M.Memory.Races == nil {
		return
	}
	kind := AtomicWrite
	if !ok && s.Writer >= 0 {
		kind = AtomicRead
	}
	g.Use(p, s, true, kind)
}

// has reports whether g knows all that was known at a snapshot.
func (mm *memoryModel) has(g *Goroutine, s snapshot) bool {
	return s.time == 0 || s.g == g.ID || mm.clocks.At(g.view.clock, int32(s.g)) >= s.time
}

// hasAll reports whether g knows of all those events.
func (mm *memoryModel) hasAll(g *Goroutine, events []int32) bool {
	for _, ev := range events {
		if !mm.has(g, mm.snaps[ev]) {
			return false
		}
	}
	return true
}
