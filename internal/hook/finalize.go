package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// Finalize registers the calls that the runtime would make, without control, when the object
// that p points to becomes unreachable: functions with their arguments. A finalizer replaces an
// earlier one; without calls it removes it.
func Finalize(p any, finalizer bool, calls ...any) {
	var list []unsafe.Pointer
	for i := range calls {
		list = append(list, machine.DataOf(&calls[i]))
	}
	m := machine.Enter("Finalize").M
	Serve(func() { m.Finalize(machine.DataOf(&p), finalizer, list...) })
}
