package search

import (
	"math/rand/v2"
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
