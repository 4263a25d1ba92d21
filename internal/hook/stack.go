package hook

import "github.com/gopor/gopor/internal/machine"

// NumberGoroutines says, before there are executions, that Waiting may be called.
func NumberGoroutines() { machine.Callers.Numbered.Store(true) }

// Waiting returns what the goroutines of the calling one's execution that have not ended are
// doing, by the runtime's numbers for them.
func Waiting() map[uint64]string {
	all := make(map[uint64]string)
	for _, co := range machine.Callers.Of(machine.Enter("Stack").M) {
		all[co.Number] = co.G.Waiting()
	}
	return all
}
