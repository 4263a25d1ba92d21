package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// This file is for primitives that stand for one of the standard library, as
// those of the packages below sched/std do. What they stand for may have been used
// before the execution began, by code that is not controlled, and then every
// execution begins with what that has left.
//
// Whoever uses such a primitive asks [Fresh] first; if that is true, a function
// of this file sets the state in which the execution finds the primitive. It is
// no event.

// ToldDate is what an execution has met in which the date may make a difference to states that are taken for one.
const ToldDate = machine.ToldDate

// Fresh reports whether the calling goroutine is the first of its execution to use
// the primitive with the key k. It returns false while the execution is being unwound.
//
// The use is taken for an atomic operation on the memory that k is in, which it writes,
// or only reads: it races with an assignment to a variable that has the primitive in it,
// and if it writes with a copy of such a variable as well.
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

// Wrote says that the calling goroutine has just used the primitive with the key k, and has written the memory that k is in.
func Wrote[S any, P machine.StateOf[S]](k *machine.Key[S]) {
	if g, s, _ := Meet[S, P](k); g != nil {
		g.Use(unsafe.Pointer(k), P(s), true, machine.AtomicWrite)
	}
}

// Meet is Fresh for a use that the caller announces itself, by methods of the state s such as
// [machine.OnceState.Touch]. It returns the calling goroutine as well, nil while the execution is being unwound.
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

// adopt returns the state of the primitive with that key in the execution of the
// calling goroutine.
func adopt[S any, P machine.StateOf[S]](k *machine.Key[S]) *S {
	s, _ := machine.Find[S, P](machine.Enter("Adopt").M, k)
	return s
}

// set lets f set the state of the primitive with that key.
func set[S any, P machine.Kept[S]](k *machine.Key[S], f func(s *S)) {
	s := adopt[S, P](k)
	f(s)
	machine.Adopt[S, P](machine.Enter("Adopt").M, k, s)
}

// AdoptMutex lets a Mutex be locked already.
func AdoptMutex(k *machine.Key[machine.MutexState]) {
	set(k, func(s *machine.MutexState) { s.Owner = machine.Outsider })
}

// AdoptRWMutex lets an RWMutex be locked already, for writing, or by a number of
// readers.
func AdoptRWMutex(k *machine.Key[machine.RwState], writer bool, readers int) {
	set(k, func(s *machine.RwState) {
		if writer {
			s.Writer = machine.Outsider
		}
		for range readers {
			s.Readers = append(s.Readers, machine.Outsider)
		}
	})
}

// AdoptWaitGroup lets the counter of a WaitGroup be n.
func AdoptWaitGroup(k *machine.Key[machine.WgState], n int) {
	set(k, func(s *machine.WgState) { s.Count = int64(n) })
}

// AdoptOnce lets a Once be done already.
func AdoptOnce(k *machine.Key[machine.OnceState]) {
	set(k, func(s *machine.OnceState) { s.Entered, s.Done = true, true })
}

// AdoptMap lets a Map hold those keys and values. Range comes upon them in the order
// in which they are given.
func AdoptMap(k *machine.Key[machine.MapState], pairs [][2]any) {
	s, m := adopt(k), machine.Enter("AdoptMap").M
	s.Begun()
	for i, p := range pairs {
		k := s.Add(m, p[0])
		k.V, k.Present = p[1], true
		k.By, k.Seq = m.Clock, int32(i)
	}
}

// OnCancel calls f when c, a context of package sched that can be cancelled, is
// cancelled, as part of that event, or at once if it has been. The function must not
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
