package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// overdueAmong returns which of ops had no turn in the latest patience steps, and are awake.
func overdueAmong(s trace.Schedule, ops []*trace.Op, sleep SleepSet) map[trace.ID]bool {
	all := make(map[trace.ID]bool)
	for _, op := range ops {
		waited := len(s) >= patience && sleep.Awake(op, 0) >= 0
		for _, c := range s[max(0, len(s)-patience):] {
			waited = waited && c.G != op.G
		}
		if waited {
			all[op.G] = true
		}
	}
	return all
}

// TestFirst: on a walk to and fro whoever moved last goes on, but for those who are awake and had no turn for long. One of
// these takes precedence at once, in a crowd as soon as everybody is looked at again.
func TestFirst(t *testing.T) {
	for _, many := range []int{64, 1} {
		restore := SetPatience(5, many)
		r := rand.New(rand.NewPCG(1, uint64(many)))
		w, neglected, taken := Walk{}, 0, 0
		for range 20_000 {
			if r.IntN(20) == 0 {
				w.Back(r.IntN(len(w.Schedule) + 1))
			}
			var ops []*trace.Op
			var sleep SleepSet
			for g := range trace.ID(9) {
				if r.IntN(3) > 0 {
					ops = append(ops, &trace.Op{G: g, Alts: 1})
				}
				if r.IntN(4) == 0 {
					sleep = append(sleep, Sleeper{Choice: trace.Choice{G: g}})
				}
			}
			first, overdue := w.First(ops, sleep), overdueAmong(w.Schedule, ops, sleep)
			switch {
			case overdue[first]:
				neglected, taken = 0, taken+1
			case first != w.Mover():
				t.Fatalf("crowd of %d: g%d after %v, and g%d has moved last", many, first, w.Schedule, w.Mover())
			case len(overdue) > 0 && len(ops) > 1:
				if neglected++; many > len(ops) || neglected > 2 {
					t.Fatalf("crowd of %d: g%d after %v, where %v had no turn for long", many, first, w.Schedule, overdue)
				}
			}
			if len(ops) > 0 {
				if opOf(first, ops) == nil {
					first = ops[r.IntN(len(ops))].G
				}
				w.Schedule = append(w.Schedule, trace.Choice{G: first})
			}
		}
		restore()
		if taken == 0 {
			t.Errorf("crowd of %d: nobody had no turn for long", many)
		}
	}
}

// TestGuessedFirst has two goroutines that take turns, since what each of them would do after its step
// is idle until the other one has moved. A third goroutine could move all the time. In a first execution
// that is guessed the two are let go on, but not for ever.
func TestGuessedFirst(t *testing.T) {
	for _, many := range []int{64, 1} {
		restore := SetPatience(8, many)
		w := Walk{Lead: trace.Schedule{{}}, guesses: new(guesses)}
		latest, longest, taken := 0, 0, 0
		for n := range 5000 {
			ops := []*trace.Op{{G: 0, Alts: 1}, {G: 1, Alts: 1}, {G: 2, Alts: 1}}
			if m := w.Mover(); m == 0 || m == 1 {
				ops[m].Idle = 2
			}
			c, ok := SleepSet(nil).Pick(ops, w.First(ops, nil), w.Turn())
			if !ok {
				t.Fatal("nothing is chosen")
			}
			if c.G == 2 {
				longest, latest, taken = max(longest, n-latest), n, taken+1
			}
			w.Schedule = append(w.Schedule, c)
		}
		longest = max(longest, len(w.Schedule)-latest)
		if longest > 17*patience {
			t.Errorf("crowd of %d: the third goroutine is kept back for %d steps", many, longest)
		}
		if longest < 15*patience || taken > len(w.Schedule)/10 {
			t.Errorf("crowd of %d: the third goroutine moves %d times, and is kept back for no more than %d steps", many, taken, longest)
		}
		restore()
	}
}

// enabled are those who can go on again.
type enabled []*trace.Op

func (e enabled) Changed() []*trace.Op { return e }

// TestFirstInCrowd: in a crowd whoever takes precedence had no turn for the longest time, of all for whose turn it was
// time when everybody was looked at, whether they could go on then or not; and somebody does as soon as everybody is
// looked at again.
func TestFirstInCrowd(t *testing.T) {
	for _, patient := range []int{20, 100} {
		firstInCrowd(t, patient)
	}
}

func firstInCrowd(t *testing.T, patient int) {
	const many = 80
	defer SetPatience(patient, 40)()
	r := rand.New(rand.NewPCG(1, 0))
	w, neglected, taken := Walk{}, 0, 0
	looked, bound := 0, 0 // when everybody was looked at, and how many steps may pass from there
	latest := [many]int{} // by goroutine: the number of steps up to its latest one
	can := [many]bool{}
	for g := range can {
		can[g] = true
	}
	for n := range 20_000 {
		var ops, again enabled
		oldest := trace.ID(-1)
		for g := range trace.ID(many) {
			could := can[g]
			if can[g] = r.IntN(100) > 0 && (could || r.IntN(20) == 0); !can[g] {
				continue
			}
			op := &trace.Op{G: g, Alts: 1}
			if ops = append(ops, op); !could {
				again = append(again, op)
			}
			if n-latest[g] >= patient && (oldest < 0 || latest[g] < latest[oldest]) {
				oldest = g
			}
		}
		w.changing = again
		next := w.turns.line.again
		first := w.First(ops, nil)
		if next != w.turns.line.again {
			looked, bound = n, len(ops)/8
		}
		switch {
		case first == oldest && n >= patient:
			neglected, taken = 0, taken+1
		case first != w.Mover() && n-latest[first] >= patient && looked-latest[oldest] < patient:
			neglected = 0 // for whom it was time later may come later
		case first != w.Mover():
			t.Fatalf("step %d: g%d, who has moved in step %d, and not g%d, in step %d", n, first, latest[first], oldest, latest[max(0, oldest)])
		case oldest >= 0 && n >= patient:
			if neglected++; neglected > bound {
				t.Fatalf("step %d: g%d had no turn since step %d", n, oldest, latest[oldest])
			}
		default:
			neglected = 0
		}
		if opOf(first, ops) == nil || r.IntN(4) == 0 { // an engine may want something else
			first = ops[r.IntN(len(ops))].G
		}
		w.Schedule, latest[first] = append(w.Schedule, trace.Choice{G: first}), n+1
	}
	if taken < 1000 {
		t.Errorf("%d times somebody had no turn for long", taken)
	}
}

// joinByLooking is join of a line that does not know which goroutines are in it.
func joinByLooking(l *line, ops []*trace.Op, n int, since func(trace.ID) int) {
	for _, op := range ops {
		h := overdue{since(op.G), op.G}
		if l.next == len(l.all) || n-h.since < patience {
			continue
		}
		if at, there := slices.BinarySearchFunc(l.all[l.next:], h, l.compare); !there {
			l.all = slices.Insert(l.all, l.next+at, h)
		}
		l.enter(h)
	}
}

// TestLineKnows lets goroutines join a line, and leave it, and makes steps undone. The line is that
// of one which is looked through.
func TestLineKnows(t *testing.T) {
	defer SetPatience(10, 5)()
	r := rand.New(rand.NewPCG(1, 0))
	var l, slow line
	ops, since := make([]*trace.Op, 40), make([]int, 40)
	for g := range ops {
		ops[g] = &trace.Op{G: trace.ID(g), Alts: 1}
	}
	of, known := func(g trace.ID) int { return since[g] }, 0
	for n := 0; n < 50_000; n++ {
		var some []*trace.Op
		for _, op := range ops {
			if r.IntN(3) > 0 {
				some = append(some, op)
			}
		}
		for _, h := range l.all[l.next:] {
			if h.since == since[h.g] {
				known++
			}
		}
		l.join(some, n, of)
		joinByLooking(&slow, some, n, of)
		use := func(op *trace.Op) bool { return int(op.G)%7 != n%7 }
		got, want := l.first(some, n, of, use), slow.first(some, n, of, use)
		if got != want || !slices.Equal(l.all[l.next:], slow.all[slow.next:]) {
			t.Fatalf("step %d: %v comes first of %v, want %v of %v", n, got, l.all[l.next:], want, slow.all[slow.next:])
		}
		switch g := r.IntN(len(ops)); {
		case got != nil && r.IntN(3) > 0:
			since[got.G] = n + 1
		case r.IntN(200) == 0:
			l.clear()
			slow.clear()
		case r.IntN(20) == 0:
			since[g] = r.IntN(n + 1) // steps are taken back
		default:
			since[g] = n + 1
		}
	}
	if known < 100_000 {
		t.Errorf("goroutines were in line %d times", known)
	}
}

// TestCrowdTakesTurns has a crowd. A goroutine that can go on all the time goes on for patience steps, and
// all have their turns. Two that take turns with each other do not keep the others back for ever.
func TestCrowdTakesTurns(t *testing.T) {
	const many, patient = 70, 10
	for _, alternate := range []bool{false, true} {
		func() {
			defer SetPatience(patient, 64)()
			manyTurns = 4
			w := Walk{Schedule: trace.Schedule{{}}}
			had := make(map[trace.ID]int)
			changes, longest, latest := 0, 0, 0
			for range 60_000 {
				mover := w.Mover()
				var ops []*trace.Op
				for g := range trace.ID(many) {
					if !alternate || mover > 1 || g != mover {
						ops = append(ops, &trace.Op{G: g, Alts: 1})
					}
				}
				c, ok := SleepSet(nil).Pick(ops, w.First(ops, nil), 0)
				if !ok {
					t.Fatal("nothing is chosen")
				}
				g := c.G
				if g != mover {
					changes++
				}
				if g > 1 {
					longest, latest = max(longest, len(w.Schedule)-latest), len(w.Schedule)
				}
				had[g]++
				w.Schedule = append(w.Schedule, trace.Choice{G: g})
			}
			if len(had) != many {
				t.Errorf("%d goroutines have moved", len(had))
			}
			if !alternate && changes > len(w.Schedule)/patient+1 {
				t.Errorf("%d changes", changes)
			}
			if !alternate && longest > many*patient || longest > 4*(patient+many)*2 {
				t.Errorf("the others were kept back for %d steps", longest)
			}
		}()
	}
}
