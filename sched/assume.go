package sched

import (
	"fmt"

	"github.com/gopor/gopor/internal/machine"
)

// AssumptionKind says what kind of thing the result of a search takes for granted.
type AssumptionKind uint8

// What a search may have to take for granted. A program that never met any of them
// has none.
const (
	// AssumeClock: the order in which timers fire, or how much time code takes, was
	// fixed by the time mode; or states were taken for one that differ by the date alone, and
	// a time was told later.
	AssumeClock AssumptionKind = AssumptionKind(machine.AssumeClock)
	// AssumeMapOrder: maps were ranged over in one order out of several, or loops did not
	// meet entries that were made meanwhile.
	AssumeMapOrder AssumptionKind = AssumptionKind(machine.AssumeMapOrder)
	// AssumeRandom: random numbers came from a fixed source.
	AssumeRandom AssumptionKind = AssumptionKind(machine.AssumeRandom)
	// AssumeModel: a primitive was used with a model that leaves something out which the
	// language allows, such as a Pool that drops what it holds, or an unfair Gosched.
	AssumeModel AssumptionKind = AssumptionKind(machine.AssumeModel)
	// AssumeSource: a value came from where it may differ from run to run: an
	// address, a hash seed, the clock of the machine, the environment, a file.
	AssumeSource AssumptionKind = AssumptionKind(machine.AssumeSource)
	// AssumeVariable: a variable that outlives executions was changed by them, and
	// could not be put back.
	AssumeVariable AssumptionKind = AssumptionKind(machine.AssumeVariable)
	// AssumeCode: code ran that is not under control: an uncontrolled goroutine, a package that is
	// not rewritten, assembly.
	AssumeCode AssumptionKind = AssumptionKind(machine.AssumeCode)
	// AssumeCount: more was in use at a time than is counted: primitives, or users of one of which
	// a copy was made.
	AssumeCount AssumptionKind = AssumptionKind(machine.AssumeCount)
)

// String returns the kind in words.
func (k AssumptionKind) String() string {
	names := [...]string{"", "clock", "map order", "random numbers", "model", "source", "variable", "code", "count"}
	if k > 0 && int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("assumption(%d)", uint8(k))
}

// Assume notes that the result of the search takes something for granted, at the
// first frame of the calling goroutine's stack that is the user's. Outside of
// executions it does nothing.
func Assume(k AssumptionKind, what string) {
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		co.M.Exec.Assume(co.G, machine.AssumptionKind(k), what)
	}
}
