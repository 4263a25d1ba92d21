package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// patience is the number of steps after which an enabled goroutine that was not chosen is
// chosen next, where nothing else decides.
var patience = 256

// crowd is the number of enabled goroutines from which on a step does not look at all of them.
var crowd = 64

// manyTurns is how many steps each goroutine of a crowd can have made when another one takes
// precedence over a mover that has not made all of the latest steps.
var manyTurns = 64

// Patience returns the number of steps after which an enabled goroutine that was not chosen
// takes precedence, unless there has been a crowd.
func Patience() int { return patience }

// SetPatience changes patience and crowd, and manyTurns to none, for tests with short executions.
func SetPatience(n, many int) (restore func()) {
	old, few, turns := patience, crowd, manyTurns
	patience, crowd, manyTurns = n, many, 0
	return func() { patience, crowd, manyTurns = old, few, turns }
}

// turns has the latest step of every goroutine, for the latest part of a schedule.
type turns struct {
	known int     // the steps that are accounted for; 0: none
	last  []int32 // per goroutine, the number of steps up to its latest one
	line  line
	// The largest crowd so far, 0 for none, and the numbers of steps when the first one came, and
	// when a goroutine has last taken precedence.
	crowd, came, taken int
}

// First returns the goroutine to choose where nothing else decides. It returns -1 if any
// goroutine may be chosen. It prefers the goroutine that moved last, to save switches. But a
// polling loop would then starve the goroutine that it waits for. So a goroutine that was not
// chosen for long takes precedence, unless it sleeps.
//
// Every execution thus consists of a finite schedule that the engine wants and a fair rest. It
// ends if the program ends under fair scheduling. Engines are free to do this, since all of
// them leave open which continuation of a schedule is run.
func (w *Walk) First(ops []*trace.Op, sleep SleepSet) trace.ID {
	mover := w.Mover()
	if len(w.Schedule) < patience || len(ops) == 1 || w.lets(mover, ops) {
		return mover
	}
	if len(ops) > crowd {
		return w.firstInLine(ops, sleep, mover)
	}
	if w.keepsTurn(mover, ops) {
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

// keepsTurn reports whether the mover goes on whatever others have waited. In a crowd all have
// waited for long. If each made one step, all would look at a lock that one of them has just taken.
// So once there has been a crowd, a mover gives way if it has made all of the latest steps. As two
// others may take turns for ever, it also gives way once in so many steps that each goroutine of
// the crowd can have made many.
func (w *Walk) keepsTurn(mover trace.ID, ops []*trace.Op) bool {
	n, t := len(w.Schedule), &w.turns
	if n < t.came { // the schedule has become shorter
		t.crowd, t.came = 0, 0
	}
	if t.taken = min(t.taken, n); t.crowd == 0 || opOf(mover, ops) == nil {
		return false
	}
	if w.Schedule[n-patience].G != mover && n-t.taken < manyTurns*(patience+t.crowd) {
		return true
	}
	t.taken = n
	return false
}

// firstInLine is First for more than crowd goroutines.
func (w *Walk) firstInLine(ops []*trace.Op, sleep SleepSet, mover trace.ID) trace.ID {
	w.waited(mover)
	w.turns.line.join(w.Changed(ops), len(w.Schedule), w.turns.since)
	if w.turns.crowd == 0 {
		w.turns.came = len(w.Schedule)
	}
	w.turns.crowd = max(w.turns.crowd, len(ops))
	if w.keepsTurn(mover, ops) {
		return mover
	}
	op := w.turns.line.first(ops, len(w.Schedule), w.turns.since, func(op *trace.Op) bool { return sleep.Awake(op, 0) >= 0 })
	if op == nil {
		return mover
	}
	return op.G
}

// line has the goroutines of a crowd that were not chosen for long, the longest wait first. It
// is rebuilt from all goroutines at intervals that make the cost a few goroutines per step. A
// goroutine that becomes enabled joins it at its place.
type line struct {
	all   []overdue
	next  int // of all
	again int // the step at which the line is rebuilt
	// By goroutine: one more than the since of its latest entry from next on, 0 if it has none. A
	// step may change as many operations as there are goroutines, most of which are in line.
	in []int
	// less orders the goroutines that have not moved at all. If nil, they are ordered by
	// number.
	less func(g, h trace.ID) bool
}

// overdue is a goroutine, with the number of steps up to its latest one as far as known.
type overdue struct {
	since int
	g     trace.ID
}

func (l *line) clear() {
	for l.next < len(l.all) {
		l.pass()
	}
	l.all, l.next, l.again = l.all[:0], 0, 0
}

// pass passes the next entry.
func (l *line) pass() {
	if h := l.all[l.next]; l.in[h.g] == h.since+1 {
		l.in[h.g] = 0
	}
	l.next++
}

// enter notes that h is in line.
func (l *line) enter(h overdue) {
	for int(h.g) >= len(l.in) {
		l.in = append(l.in, 0)
	}
	l.in[h.g] = h.since + 1
}

// first returns the operation of the first goroutine in line that is enabled and that ofUse
// accepts. It returns nil if there is none. The schedule has n steps.
func (l *line) first(ops []*trace.Op, n int, since func(trace.ID) int, ofUse func(*trace.Op) bool) *trace.Op {
	for {
		for ; l.next < len(l.all); l.pass() {
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
				l.enter(overdue{s, op.G})
			}
		}
		slices.SortFunc(l.all, l.compare)
	}
}

// join inserts the goroutines of ops that were not chosen for long, if the line is not empty.
// The schedule has n steps.
func (l *line) join(ops []*trace.Op, n int, since func(trace.ID) int) {
	for _, op := range ops {
		if l.next == len(l.all) {
			return
		}
		h := overdue{since(op.G), op.G}
		if n-h.since < patience || int(h.g) < len(l.in) && l.in[h.g] == h.since+1 {
			continue
		}
		if at, there := slices.BinarySearchFunc(l.all[l.next:], h, l.compare); !there {
			l.all = slices.Insert(l.all, l.next+at, h)
		}
		l.enter(h)
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

// Turn returns which alternative comes first where nothing else decides. It begins with 0 and
// changes after every patience steps, so that a loop ends that needs another alternative.
func (w *Walk) Turn() int {
	if len(w.Schedule) < patience { // A division takes long.
		return 0
	}
	return len(w.Schedule) / patience
}

// waited returns the number of steps since goroutine g moved. Beyond patience the number may be
// too large.
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

// since returns the number of steps up to the latest one of g, as far as known.
func (t *turns) since(g trace.ID) int {
	if int(g) < len(t.last) {
		return int(t.last[g])
	}
	return 0
}
