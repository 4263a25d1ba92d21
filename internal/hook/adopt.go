package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// This file is for primitives that stand for one of the standard library, as those of the
// packages below sched/std do. The original may have been used before the execution began, by
// code that is not controlled. Every execution then begins with the state that this code has
// left.
//
// A user of such a primitive calls [Fresh] first. If that returns true, a function of this file
// sets the state in which the execution finds the primitive. This is not an event.

// ToldDate is the assumption of an execution in which the date may distinguish states that are
// treated as one.
const ToldDate = machine.ToldDate

// Fresh reports whether the calling goroutine is the first of its execution to use the
// primitive with the key k. It returns false while the execution is being unwound.
//
// The use counts as an atomic operation on the memory of k, which it writes if writes is set,
// and reads otherwise. So it races with an assignment to a variable that has the primitive in
// it. If it writes, it also races with a copy of such a variable.
func Fresh[S any, P machine.StateOf[S]](k *machine.Key[S], writes bool) bool {
	co := machine.Callers.Look()
	if co == nil || co.M.Closing {
		return false
	}
	s, fresh := machine.Find[S, P](co.M, k)
	if fresh {
		co.Entered++
	}
	does := machine.AtomicRead
	if writes {
		does = machine.AtomicWrite
	}
	co.G.Use(unsafe.Pointer(k), P(s), !fresh, does)
	return fresh
}

// Wrote notes that the calling goroutine has just used the primitive with the key k, and has
// written the memory of k.
func Wrote[S any, P machine.StateOf[S]](k *machine.Key[S]) {
	if g, s, _ := Meet[S, P](k); g != nil {
		g.Use(unsafe.Pointer(k), P(s), true, machine.AtomicWrite)
	}
}

// Meet is Fresh for a use that the caller announces itself, by methods of the state s such as
// [machine.OnceState.Touch]. It also returns the calling goroutine, which is nil while the
// execution is being unwound.
func Meet[S any, P machine.StateOf[S]](k *machine.Key[S]) (g *machine.Goroutine, s *S, fresh bool) {
	co := machine.Callers.Look()
	if co == nil || co.M.Closing {
		return nil, nil, false
	}
	s, fresh = machine.Find[S, P](co.M, k)
	if fresh {
		co.Entered++
	}
	return co.G, s, fresh
}

// adopt returns the state of the primitive with the key k in the execution of the calling
// goroutine.
func adopt[S any, P machine.StateOf[S]](k *machine.Key[S]) *S {
	s, _ := machine.Find[S, P](machine.Enter("Adopt").M, k)
	return s
}

// set calls f with the state of the primitive with the key k, which f sets.
func set[S any, P machine.Kept[S]](k *machine.Key[S], f func(s *S)) {
	s := adopt[S, P](k)
	f(s)
	machine.Adopt[S, P](machine.Enter("Adopt").M, k, s)
}

// AdoptMutex makes a Mutex locked.
func AdoptMutex(k *machine.Key[machine.MutexState]) {
	set(k, func(s *machine.MutexState) { s.Owner = machine.Outsider })
}

// AdoptRWMutex makes an RWMutex locked, for writing or by a number of readers.
func AdoptRWMutex(k *machine.Key[machine.RwState], writer bool, readers int) {
	set(k, func(s *machine.RwState) {
		if writer {
			s.Writer = machine.Outsider
		}
		for range readers {
			s.Share(machine.Outsider)
		}
	})
}

// AdoptWaitGroup sets the counter of a WaitGroup to n.
func AdoptWaitGroup(k *machine.Key[machine.WgState], n int) {
	set(k, func(s *machine.WgState) { s.Count = int64(n) })
}

// AdoptOnce makes a Once done.
func AdoptOnce(k *machine.Key[machine.OnceState]) {
	set(k, func(s *machine.OnceState) { s.Entered, s.Done = true, true })
}

// AdoptMap sets the keys and values of a Map. Range visits them in the given order.
func AdoptMap(k *machine.Key[machine.MapState], pairs [][2]any) {
	s, m := adopt(k), machine.Enter("AdoptMap").M
	s.Begun()
	for i, p := range pairs {
		k := s.Add(m, p[0])
		k.V, k.Present = p[1], true
		k.By, k.Seq = m.Clock.G, int32(i)
	}
}

// OnCancel registers f for c, a context of package sched that can be cancelled. The function f
// is called when c is cancelled, as part of that event, or at once if it has been. It must not
// use primitives.
func OnCancel(c interface{ Value(key any) any }, f func(err, cause error)) {
	g := machine.Enter("OnCancel")
	k, ok := c.Value(&machine.ContextKey).(*machine.Key[machine.ContextState])
	if !ok {
		panic("sched: OnCancel of a context that cannot be cancelled")
	}
	s := machine.Own(g.M, k)
	s.Heard = f
	if s.Err != nil {
		f(s.Err, s.Cause)
	}
}
