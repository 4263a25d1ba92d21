package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/vector"
)

// This file is about synchronisation without operations: the one inside the standard library. It
// orders accesses of memory and nothing else.

// Acquire lets the calling goroutine know all that other goroutines knew when they released p, and
// reports whether that is anything new to it.
func Acquire(p unsafe.Pointer) (new bool) {
	co := Callers.Find()
	if co == nil || co.Serving || co.M.Closing || co.M.Memory.Races == nil {
		return false
	}
	t := &co.M.Memory.carried
	t.Turn(co.M.Epoch)
	if clock := t.Find(p); clock != nil {
		return co.M.Memory.Races.learnAll(co.G, *clock)
	}
	return false
}

// Reserves reports whether the caller has a part of its own in the pools of the standard library.
func (co *Caller) Reserves() bool { return co != nil && co.G != nil && !co.Serving && !co.M.Closing }

// Hold says that the calling goroutine has taken n more locks inside the standard library. As long
// as it has one, its accesses of memory are not operations. The search does not explore which
// goroutine comes first to such a lock, and no other goroutine is to meet it taken.
func Hold(n int) {
	co := Callers.Find()
	if co == nil || co.G == nil {
		return
	}
	g := co.G
	switch {
	case co.Serving || g.M.Parallel != nil:
	case g.Library.Held == 0:
		g.InLibrary().since = g.seq
	case g.seq != g.Library.since:
		g.Cross()
	}
	g.InLibrary().Held += n
}

// Cross says that g has performed operations while it had such a lock.
func (g *Goroutine) Cross() {
	if m := g.M; m.Model&ModelLock == 0 && !m.Closing {
		m.Outside.Crossed = true
		m.Exec.Crossed()
	}
}

// Locking says that the calling goroutine has taken n more of those locks as operations, see
// [ModelLock].
func Locking(n int) {
	if co := Callers.Find(); co != nil && co.G != nil {
		co.G.InLibrary().Locked += n
	}
}

// LibraryLock is how an assumption calls a lock inside the standard library.
const LibraryLock = "a lock of the standard library's"

// LibraryState is how an assumption calls what the standard library keeps, and some of its
// functions look at and others change.
const LibraryState = "what the standard library keeps"

// Touch says that the calling goroutine looks at what the standard library keeps at p, or changes
// it, where that is not an operation. If others have done so that nothing orders with it, and one
// of the two changes it, the execution might end otherwise in another order.
func Touch(p unsafe.Pointer, changes bool) {
	co := Callers.Find()
	if co == nil || co.G == nil || co.Serving || co.M.Closing {
		return
	}
	if co.M.Keys != nil && changes {
		co.M.Keys.lacks(LibraryState)
	}
	mm, t := co.M.Memory.Races, &co.M.Memory.carried
	if mm == nil {
		return
	}
	t.Turn(co.M.Epoch)
	changed, looked := unsafe.Add(p, 2), unsafe.Add(p, 3) // others stand for locks
	apart := false
	if clock := t.Find(changed); clock != nil {
		apart = !mm.knowsAll(co.G, *clock)
	}
	place := looked
	if changes {
		if clock := t.Find(looked); clock != nil {
			apart = apart || !mm.knowsAll(co.G, *clock)
		}
		place = changed
	}
	clock, fresh := t.At(place)
	if fresh {
		*clock = vector.Clock{}
	}
	*clock = mm.merge(*clock, co.G)
	if apart {
		assume(co, LibraryState)
	}
}

// Ordered says that such a lock has ordered the calling goroutine after another one that nothing
// else has ordered with it. In another order, which is not explored, the execution might end
// otherwise.
func Ordered() {
	co := Callers.Find()
	if co != nil && co.G != nil && !co.Serving && !co.M.Closing {
		assume(co, LibraryLock)
	}
}

func assume(co *Caller, what string) {
	co.Serving = true
	co.M.Exec.Assume(co.G, AssumeModel, what)
	co.Serving = false
}

// Released reports whether a goroutine has released p in the execution of the caller.
func Released(p unsafe.Pointer) bool {
	co := Callers.Find()
	if co == nil || co.M.Memory.Races == nil {
		return false
	}
	co.M.Memory.carried.Turn(co.M.Epoch)
	return co.M.Memory.carried.Find(p) != nil
}

// Release lets goroutines that acquire p later know all that the calling goroutine knows now.
func Release(p unsafe.Pointer) {
	co := Callers.Find()
	if co == nil || co.Serving || co.M.Closing {
		return
	}
	if co.M.Keys != nil { // what it guards is part of no state
		co.M.Keys.lacks("memory that the standard library guards by itself")
	}
	if co.M.Memory.Races == nil {
		return
	}
	mm, t := co.M.Memory.Races, &co.M.Memory.carried
	t.Turn(co.M.Epoch)
	clock, fresh := t.At(p)
	if fresh {
		*clock = vector.Clock{}
	}
	*clock = mm.merge(*clock, co.G)
}
