package conformance

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// answers counts questions about the races of executions.
type answers struct {
	questions int // with a lawful footprint
	together  int // answered by [search.Trail.AnswerAll]
	differ    int // of these, the answers that are not what the event has used
}

// answersOf runs one execution of x, and compares the answers to all questions about its races
// with those of one run for each.
func answersOf(t *testing.T, x trace.Program, choose func(ops []*trace.Op) trace.Choice) (sum answers) {
	trail := search.NewTrail(x, func(*trace.Execution) bool { return true })
	defer trail.Finish(false)
	known := []int32{0}
	for ops := trail.Pending(); len(ops) > 0; ops = trail.Pending() {
		known = append(known, search.KnownBelow(known[len(known)-1], ops))
		ev := trail.Step(choose(ops))
		if ev == nil {
			return // by a data race, which ends it
		}
		trail.Track(ev)
	}
	var qs []*search.Question
	for k := range trail.Events {
		if e := &trail.Events[k]; e.Lawful() {
			for _, first := range trail.HB.Races(k) {
				qs = append(qs, &search.Question{First: first, Second: int32(k)})
			}
		}
	}
	trail.AnswerAll(slices.Clone(qs), func(k int) int32 { return known[k+1] })
	for _, q := range qs {
		sum.questions++
		same := trail.SameBefore(int(q.First), int(q.Second))
		if !q.Known && !same {
			continue
		}
		sum.together++
		want := trail.UsesAfter(int(q.First), trail.HB.Unordered(nil, int(q.First)), int(q.Second))
		if trail.Err != nil {
			t.Error(trail.Err)
			return sum
		}
		if q.Known && !q.Uses.Equal(&want) || same && !want.Equal(&trail.Events[q.Second].Uses) {
			t.Errorf("events %d and %d of %v: %v, want %v", q.First, q.Second, trail.Schedule, q.Uses.List(), want.List())
			return sum
		}
		if !want.Equal(&trail.Events[q.Second].Uses) {
			sum.differ++
		}
	}
	return sum
}

// TestAnswers: answers that are given together are those that are given one by one.
func TestAnswers(t *testing.T) {
	n, source := toytest.Seeds(t, 6000)
	list := families(t)
	var mu sync.Mutex
	var sum answers
	parallel(n, func() struct{} { return struct{}{} }, func(_ struct{}, i int64) bool {
		r := source(i)
		p := Generate(list[i%int64(len(list))], r)
		x := New(p)
		defer x.Shutdown()
		a := answersOf(t, x, func(ops []*trace.Op) trace.Choice {
			op := ops[r.IntN(len(ops))]
			return trace.Choice{G: op.G, Alt: int32(r.IntN(int(op.Alts)))}
		})
		if t.Failed() {
			t.Logf("program %d: %v", i, p)
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		sum.questions += a.questions
		sum.together += a.together
		sum.differ += a.differ
		return true
	})
	t.Logf("%+v", sum)
	if n >= 1000 && (sum.together < sum.questions/2 || sum.differ == 0) {
		t.Errorf("%+v: too few to tell", sum)
	}
}

// TestAnswersOfCorpus is TestAnswers for the programs in testdata.
func TestAnswersOfCorpus(t *testing.T) {
	for name, p := range corpus(t) {
		x := New(p)
		for i := range uint64(200) {
			r := rand.New(rand.NewPCG(5, i))
			answersOf(t, x, func(ops []*trace.Op) trace.Choice {
				op := ops[r.IntN(len(ops))]
				return trace.Choice{G: op.G, Alt: int32(r.IntN(int(op.Alts)))}
			})
		}
		if x.Shutdown(); t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestAnswersRenumbered: the run that answers together comes to map m before map n, unlike the
// execution. So it does not tell which map the last Delete would change if the other did not come
// before it. Nor does it answer what the first Delete would use, which comes after all of n's.
func TestAnswersRenumbered(t *testing.T) {
	x := exec.New(func() {
		var x, y, z sched.Int64
		var m, n sched.Map
		sched.Go(func() { y.Store(1); m.Store(1, 1); x.CompareAndSwap(0, 1) })
		sched.Go(func() { x.CompareAndSwap(0, 1); n.Store(1, 1); m.Delete(1) })
		sched.Go(func() { z.Store(1); m.Delete(1) })
	}, exec.Options{})
	defer x.Shutdown()
	order := []trace.ID{3, 3, 2, 2, 2, 3, 4, 4}
	a := answersOf(t, x, func(ops []*trace.Op) trace.Choice {
		g := order[0]
		order = order[1:]
		return trace.Choice{G: g}
	})
	if a.questions != 3 || a.together != 1 {
		t.Errorf("%+v", a)
	}
}
