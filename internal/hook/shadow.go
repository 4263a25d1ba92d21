package hook

import (
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// KnowOutside notes that uncontrolled code has come to know the native channel at p, and may
// use it.
func KnowOutside(p unsafe.Pointer) {
	g := machine.Enter("KnowOutside")
	if v := g.M.ShadowOf(p); v != nil {
		if s := Chans.State(v, g); s != nil && s.Outside == "" {
			s.Outside = "is known"
		}
	}
}

// ChanPlace identifies a channel that stands for a native one, by the address of the latter. It
// returns the name of the goroutine that has made the channel, and the number of objects that
// the goroutine had made before. It is the same in every execution in which that goroutine
// makes it. For other channels it returns nil.
func ChanPlace(p unsafe.Pointer) []int32 {
	g := machine.Enter("ChanPlace")
	s := Chans.State(g.M.ShadowOf(p), g)
	if s == nil {
		return nil
	}
	for _, by := range g.M.Goroutines {
		if i := slices.Index(by.Made.ObjectIDs[:by.Made.Objects], s.ID); i >= 0 {
			return append(g.M.Path(by), int32(i))
		}
	}
	return nil
}

// Chans has what package sched does with its channels for those that stand for native ones. Package
// sched sets it. The type of a channel's values is not known.
var Chans interface {
	// State returns the state of c in the execution of g, nil if c is not a channel.
	State(c any, g *machine.Goroutine) *machine.ChanState
	// Adopt makes c, which is new, a channel with room for n values. The execution of the calling
	// goroutine finds it closed or not, and with values in it: a slice of them, or nil. A timer is
	// a channel that may be that of one: what it does is noted as an assumption. Adopt is not an
	// event.
	Adopt(c any, n int, values any, closed, timer bool)
	// Call says what reports call c.
	Call(c any, name string)
	// OnlyClosed says that the program never sends on c, which is new: it only closes it. So
	// receives commute. While states are named it changes nothing.
	OnlyClosed(c any)
	// SendCase and RecvCase return a sched.Case. The latter calls a function with what it has
	// received.
	SendCase(c, v any) any
	RecvCase(c any, to func(v any, ok bool)) any
}

// Unwinding reports whether the calling goroutine runs the deferred calls that are left when
// its execution is over.
func Unwinding() bool {
	co := machine.Callers.Look()
	return co != nil && co.M.Closing
}

// Controlled reports whether any goroutine of the process is controlled. It costs a nanosecond.
func Controlled() bool { return live.On() }

// Shadow returns the substitute of the native object at p in the running execution. At the
// first use that is the result of mk. The calling goroutine must be controlled. The object
// stays alive as long as the execution.
func Shadow(p unsafe.Pointer, mk func() any) any {
	if co := machine.Callers.Look(); co != nil && !co.M.Closing {
		if v := co.M.ShadowOf(p); v != nil {
			return v
		}
	}
	g := machine.Enter("Shadow")
	return g.M.SetShadow(p, mk(), false) // mk may call Shadow
}

// LeftShadow is FoundShadow for a goroutine of an execution that is over.
func LeftShadow(p unsafe.Pointer) any { return machine.Callers.Look().M.ShadowOf(p) }

// SeenShadow is FoundShadow for a query that any goroutine may make. It returns nil in a
// goroutine that is not controlled, and in code of this module.
func SeenShadow(p unsafe.Pointer) any {
	if co := machine.Callers.Look(); co != nil && co.G != nil && !co.M.Closing && !co.Serving {
		return co.M.ShadowOf(p)
	}
	return nil
}

// SetShadow makes v the substitute of the native object at p in the running execution.
func SetShadow(p unsafe.Pointer, v any) {
	machine.Enter("SetShadow").M.SetShadow(p, v, true)
}

// FoundShadow returns the substitute of the native object at p in the running execution, or nil
// if there is none yet.
func FoundShadow(p unsafe.Pointer) any {
	return machine.Enter("FoundShadow").M.ShadowOf(p)
}
