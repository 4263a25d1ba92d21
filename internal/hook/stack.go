package hook

import "github.com/gopor/gopor/internal/machine"

// NumberGoroutines says, before there are executions, that Waiting may be called.
func NumberGoroutines() { machine.Callers.Numbered.Store(true) }

// A Standing describes a goroutine of an execution that has not ended.
type Standing struct {
	Number uint64  // its number in the program
	State  string  // what it is doing
	Born   uintptr // the go statement that has started it, 0 if none has
	Parent uint64  // Number of the goroutine that has started it
}

// Waiting returns the goroutines of the caller's execution that have not ended, by the
// runtime's numbers of the goroutines that they run on. Those numbers are reused in an
// arbitrary way, so the program sees other numbers.
func Waiting() map[uint64]Standing {
	all := make(map[uint64]Standing)
	m := machine.Enter("Stack").M
	m.Outside.Surveyed = m.Epoch
	for _, co := range machine.Callers.Of(m) {
		s := Standing{Number: number(co.M, co.G), State: co.G.Waiting(), Born: co.G.Origin.PC}
		if p, _ := co.G.Started(); p != nil {
			s.Parent = number(co.M, p)
		}
		all[co.Number] = s
	}
	return all
}

// number returns the number of a goroutine in the program. It is the same in every execution
// and every process, whatever the order in which goroutines are started. It is hardly ever that
// of another goroutine, and never one that the runtime gives to uncontrolled goroutines.
func number(m *machine.Machine, g *machine.Goroutine) uint64 {
	const theirs, ours = 1 << 20, 1 << 30
	return theirs + seed(m, g)%ours
}
