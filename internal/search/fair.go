package search

import (
	"github.com/gopor/gopor/sched/trace"
)

// patience is the number of steps after which a goroutine that could go on, and
// did not, is the next one to do so where nothing else decides.
var patience = 256

// SetPatience changes that number, for tests with short executions.
func SetPatience(n int) (restore func()) {
	old := patience
	patience = n
	return func() { patience = old }
}

// turns knows who has moved when in the latest steps of a schedule.
type turns struct {
	known int     // the steps that are accounted for; 0: none
	last  []int32 // per goroutine, the number of steps up to its latest one
}

// First returns the goroutine to go on where nothing else decides, -1 if any
// may. It is the one that moved last, for the sake of few switches. But a loop
// that polls would then keep those waiting for ever that it waits for. So one
// that had no turn for long takes precedence, unless it sleeps.
//
// Every execution is thus a finite schedule that the engine wants and a fair
// rest, and ends if the program does when it is treated fairly. The engines are
// free to do this: which continuation of a schedule is run is left open in all
// of them.
func (w *Walk) First(ops []*trace.Op, sleep SleepSet) trace.ID {
	mover := w.Mover()
	if len(w.Schedule) < patience || len(ops) == 1 {
		return mover
	}
	first, longest := mover, patience
	for _, op := range ops {
		if waited := w.waited(op.G); waited >= longest && sleep.Awake(op, 0) >= 0 {
			first, longest = op.G, waited+1
		}
	}
	return first
}

// Turn returns which alternative comes first where nothing else decides: number 0
// to begin with. A loop that ends only if it takes another one ends all the same.
func (w *Walk) Turn() int { return len(w.Schedule) / patience }

// waited returns the number of steps since goroutine g has moved. Beyond patience
// it may be too large.
func (w *Walk) waited(g trace.ID) int {
	n, t := len(w.Schedule), &w.turns
	if t.known == 0 {
		clear(t.last)
		t.known = n - patience
	}
	for ; t.known < n; t.known++ {
		m := w.Schedule[t.known].G
		for int(m) >= len(t.last) {
			t.last = append(t.last, 0)
		}
		t.last[m] = int32(t.known) + 1
	}
	if int(g) < len(t.last) {
		n -= int(t.last[g])
	}
	return n
}
