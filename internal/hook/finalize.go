package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// Finalize notes what the runtime would call, without control, when the object that p points to is not reached any
// more: a function, and what it is given. A finalizer takes the place of another one, and there is
// none if there are no calls.
func Finalize(p any, finalizer bool, calls ...any) {
	var list []unsafe.Pointer
	for i := range calls {
		list = append(list, machine.DataOf(&calls[i]))
	}
	machine.Enter("Finalize").M.Finalize(machine.DataOf(&p), finalizer, list...)
}
