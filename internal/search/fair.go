package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// patience is the number of steps after which a goroutine that could go on, and
// did not, is the next one to do so where nothing else decides.
var patience = 256

// crowd is the number of goroutines that can go on from which on they are not all looked at
// in every step.
var crowd = 64

// Patience returns the number of steps after which it is somebody else's turn, who could go on and
// did not.
func Patience() int { return patience }

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
	line  line
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

// firstInLine is First in a crowd.
func (w *Walk) firstInLine(ops []*trace.Op, sleep SleepSet, mover trace.ID) trace.ID {
	w.waited(mover)
	w.turns.line.join(w.Changed(ops), len(w.Schedule), w.turns.since)
	op := w.turns.line.first(ops, len(w.Schedule), w.turns.since, func(op *trace.Op) bool { return sleep.Awake(op, 0) >= 0 })
	if op == nil {
		return mover
	}
	return op.G
}

// line is a line of those in a crowd that had no turn for long, the longest wait first. Everybody
// is looked at once in so many steps that it comes to a few a step, to form a line, and who can go
// on again joins it at its place.
type line struct {
	all   []overdue
	next  int // of all
	again int // when everybody is looked at again
	// less is the order of those that had no turn at all, nil for that of their numbers.
	less func(g, h trace.ID) bool
}

// overdue is a goroutine, and how many steps there were up to its latest one, as far as is known.
type overdue struct {
	since int
	g     trace.ID
}

func (l *line) clear() { l.all, l.next, l.again = l.all[:0], 0, 0 }

// first returns the operation of the first one that can go on and is of use, nil if there is
// none. There have been n steps.
func (l *line) first(ops []*trace.Op, n int, since func(trace.ID) int, ofUse func(*trace.Op) bool) *trace.Op {
	for {
		for ; l.next < len(l.all); l.next++ {
			h := l.all[l.next]
			if op := opOf(h.g, ops); op != nil && since(h.g) == h.since && ofUse(op) {
				return op
			}
		}
		if n < l.again {
			return nil
		}
		l.again = n + 1 + len(ops)/8
		l.all, l.next = l.all[:0], 0
		for _, op := range ops {
			if s := since(op.G); n-s >= patience {
				l.all = append(l.all, overdue{s, op.G})
			}
		}
		slices.SortFunc(l.all, l.compare)
	}
}

// join lets those of ops join the line, if there is one, that had no turn in n steps for long.
func (l *line) join(ops []*trace.Op, n int, since func(trace.ID) int) {
	for _, op := range ops {
		if l.next == len(l.all) {
			return
		}
		h := overdue{since(op.G), op.G}
		if n-h.since < patience {
			continue
		}
		if at, there := slices.BinarySearchFunc(l.all[l.next:], h, l.compare); !there {
			l.all = slices.Insert(l.all, l.next+at, h)
		}
	}
}

func (l *line) compare(h, k overdue) int {
	switch {
	case h.since != k.since || h.g == k.g:
		return h.since - k.since
	case l.less == nil && h.g < k.g || l.less != nil && l.less(h.g, k.g):
		return -1
	}
	return 1
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
		t.line.clear()
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
