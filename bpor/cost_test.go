package bpor

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched/trace"
)

// TestCostGrows: what a linearisation costs that grows, shrinks and changes is what it costs from the beginning.
func TestCostGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	changed, dear := 0, 0
	for i := range 400 {
		p := toy.New(toy.Generate(r.IntN))
		bound := []Bound{Preemptions(i / 2 % 3), Delays(i / 2 % 3)}[i%2]
		l := &linear{bound: bound, hb: trace.NewTracker(trace.Dependence), costs: []int{0}}
		var schedule trace.Schedule
		for range 10 {
			n := 0
			if len(schedule) > 0 {
				n = r.IntN(len(schedule))
			}
			run := p.Start()
			for _, c := range schedule[:n] {
				if _, err := run.Step(c); err != nil {
					t.Fatal(err)
				}
			}
			schedule = schedule[:n]
			l.hb.Pop(n)
			for {
				ops := run.Pending()
				if len(ops) == 0 {
					break
				}
				op := ops[r.IntN(len(ops))]
				c := trace.Choice{G: op.G, Alt: int32(r.IntN(int(op.Alts)))}
				ev, err := run.Step(c)
				if err != nil {
					t.Fatal(err)
				}
				l.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
				l.push(len(schedule), ev)
				schedule = append(schedule, c)
				if got, want := l.cost(), l.count(); got != want {
					t.Fatalf("program %d, %v: %d, and not %d", i, bound, got, want)
				}
				taken := l.taken
				l.within(1)
				if got, want := l.cost(), l.count(); got != want {
					t.Fatalf("program %d, %v, within: %d, and not %d", i, bound, got, want)
				}
				if l.taken != taken {
					changed++
				}
				if l.cost() > bound.max {
					dear++
				}
			}
			run.Close()
		}
	}
	if changed == 0 || dear == 0 {
		t.Errorf("changed %d times, too dear %d times", changed, dear)
	}
}
