package conformance

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// answers counts questions about the races of executions.
type answers struct {
	questions int // with a lawful footprint
	together  int // answered by [search.Trail.AnswerAll]
	differ    int // of these, the answers that are not what the event has used
}

// answersOf runs one execution of x at random, and compares the answers to all questions about
// its races with those of one run for each.
func answersOf(t *testing.T, p *Program, r *rand.Rand) (sum answers) {
	x := New(p)
	defer x.Shutdown()
	trail := search.NewTrail(x, func(*trace.Execution) bool { return true })
	defer trail.Finish(false)
	known := []int32{0}
	for ops := trail.Pending(); len(ops) > 0; ops = trail.Pending() {
		known = append(known, search.KnownBelow(known[len(known)-1], ops))
		op := ops[r.IntN(len(ops))]
		ev := trail.Step(trace.Choice{G: op.G, Alt: int32(r.IntN(int(op.Alts)))})
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
		want := trail.UsesAfter(int(q.First), trail.HB.Unordered(nil, int(q.First)), nil, int(q.Second))
		if trail.Err != nil {
			t.Errorf("%v\n%v", trail.Err, p)
			return sum
		}
		if q.Known && !q.Uses.Equal(&want) || same && !want.Equal(&trail.Events[q.Second].Uses) {
			t.Errorf("events %d and %d of %v: %v, want %v\n%v", q.First, q.Second, trail.Schedule, q.Uses.List(), want.List(), p)
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
		a := answersOf(t, Generate(list[i%int64(len(list))], r), r)
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
