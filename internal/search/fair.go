package search

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// patience is the number of steps after which a goroutine that could go on, and
// did not, is the next one to do so where nothing else decides.
var patience = 256

// crowd is the number of goroutines that can go on from which on they are not all looked at
// in every step.
var crowd = 64

// SetPatience changes these numbers, for tests with short executions.
func SetPatience(n, many int) (restore func()) {
	old, few := patience, crowd
	patience, crowd = n, many
	return func() { patience, crowd = old, few }
}

// turns knows who has moved when in the latest steps of a schedule.
type turns struct {
	known int     // the steps that are accounted for; 0: none
	last  []int32 // per goroutine, the number of steps up to its latest one
	line  []overdue
	next  int // of line
	again int // when everybody is looked at again
}

// overdue is a goroutine of a crowd that had no turn for long, and how many steps there were up
// to its latest one, as far as is known.
type overdue struct {
	since int
	g     trace.ID
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
	if len(ops) > crowd {
		return w.firstInLine(ops, sleep, mover)
	}
	first, longest := mover, patience
	for _, op := range ops {
		if waited := w.waited(op.G); waited >= longest && sleep.Awake(op, 0) >= 0 {
			first, longest = op.G, waited+1
		}
	}
	return first
}

// firstInLine is First in a crowd. Everybody is looked at once in so many steps that it comes to
// a few a step. Those that had no turn for long then form a line, the longest wait first, which
// who can go on again joins at its place.
func (w *Walk) firstInLine(ops []*trace.Op, sleep SleepSet, mover trace.ID) trace.ID {
	t := &w.turns
	w.waited(mover)
	for _, op := range w.Changed(ops) {
		t.join(op.G, len(w.Schedule))
	}
	for {
		for ; t.next < len(t.line); t.next++ {
			h := t.line[t.next]
			if op := opOf(h.g, ops); op != nil && t.since(h.g) == h.since && sleep.Awake(op, 0) >= 0 {
				return h.g
			}
		}
		if len(w.Schedule) < t.again {
			return mover
		}
		t.again = len(w.Schedule) + 1 + len(ops)/8
		t.line, t.next = t.line[:0], 0
		for _, op := range ops {
			if since := t.since(op.G); len(w.Schedule)-since >= patience {
				t.line = append(t.line, overdue{since, op.G})
			}
		}
		slices.SortFunc(t.line, overdue.compare)
	}
}

// join lets g join the line, if there is one and it had no turn in n steps for long.
func (t *turns) join(g trace.ID, n int) {
	h := overdue{t.since(g), g}
	if n-h.since < patience || t.next == len(t.line) {
		return
	}
	at, there := slices.BinarySearchFunc(t.line[t.next:], h, overdue.compare)
	if !there {
		t.line = slices.Insert(t.line, t.next+at, h)
	}
}

func (h overdue) compare(k overdue) int {
	return cmp.Or(cmp.Compare(h.since, k.since), cmp.Compare(h.g, k.g))
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
		t.line, t.next, t.again = t.line[:0], 0, 0
		t.known = n - patience
	}
	for ; t.known < n; t.known++ {
		m := w.Schedule[t.known].G
		for int(m) >= len(t.last) {
			t.last = append(t.last, 0)
		}
		t.last[m] = int32(t.known) + 1
	}
	return n - t.since(g)
}

// since returns the number of steps up to g's latest one, as far as is known.
func (t *turns) since(g trace.ID) int {
	if int(g) < len(t.last) {
		return int(t.last[g])
	}
	return 0
}
