package oracle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// naive is happens-before by its definition: the transitive closure of program
// order, dependence and the other orders.
type naive struct {
	events []trace.Event
	before [][]bool // before[j][i]: i happens before j
	direct [][]bool // i and j depend on each other
	order  [][]bool // i is in j's Order
}

func (n *naive) push(ev *trace.Event) {
	j := len(n.events)
	n.events = append(n.events, *ev)
	before, direct, order := make([]bool, j), make([]bool, j), make([]bool, j)
	for _, i := range ev.Order {
		order[i] = true
	}
	for i := range j {
		direct[i] = trace.Dependent(&n.events[i].Op, &ev.Op)
		before[i] = direct[i] || order[i]
	}
	// Whatever is before one of those is before j.
	for i := j - 1; i >= 0; i-- {
		if before[i] {
			for k, b := range n.before[i] {
				before[k] = before[k] || b
			}
		}
	}
	n.before, n.direct, n.order = append(n.before, before), append(n.direct, direct), append(n.order, order)
}

// races returns the events that race with j, latest first: they depend on it,
// are of another goroutine, and are before it for that reason only.
func (n *naive) races(j int) (rs []int32) {
	for i := j - 1; i >= 0; i-- {
		if n.events[i].G == n.events[j].G || !n.direct[j][i] || n.order[j][i] {
			continue
		}
		between := false
		for k := i + 1; k < j; k++ {
			between = between || n.before[k][i] && n.before[j][k]
		}
		for k := range j { // what is ordered before j takes all before it along
			between = between || n.order[j][k] && k > i && n.before[k][i]
		}
		if !between {
			rs = append(rs, int32(i))
		}
	}
	return rs
}

func (n *naive) compare(t *testing.T, h *trace.Tracker) bool {
	j := len(n.events) - 1
	for i := range j {
		if n.before[j][i] != h.Before(i, j) {
			t.Errorf("event %d before event %d: %v by definition, %v by the Tracker", i, j, n.before[j][i], h.Before(i, j))
			return false
		}
	}
	if got, want := h.Races(j), n.races(j); !slices.Equal(got, want) {
		t.Errorf("event %d races with %v by definition, with %v by the Tracker", j, want, got)
		return false
	}
	return true
}

// walk performs a random execution, comparing after every step, and takes back
// some steps now and then.
func walk(t *testing.T, p trace.Program, h *trace.Tracker, rng *rand.Rand) (trace.Schedule, bool) {
	var n naive
	var s trace.Schedule
	run := p.Start()
	defer func() { run.Close() }()
	for {
		ops := run.Pending()
		if len(ops) == 0 {
			return s, true
		}
		op := ops[rng.IntN(len(ops))]
		c := trace.Choice{G: op.G, Alt: rng.Int32N(op.Alts)}
		ev, err := run.Step(c)
		if err != nil {
			t.Error(err)
			return s, false
		}
		s = append(s, c)
		n.push(ev)
		h.Push(int32(ev.G), ev.Accesses(), ev.Order)
		if !n.compare(t, h) {
			return s, false
		}
		if rng.IntN(8) == 0 {
			k := rng.IntN(len(s))
			h.Pop(k)
			s, n = s[:k], naive{n.events[:k], n.before[:k], n.direct[:k], n.order[:k]}
			run.Close()
			run = p.Start()
			if err := run.Replay(s); err != nil {
				t.Error(err)
				return s, false
			}
		}
	}
}

// TestTracker compares the Tracker with the definition of happens-before.
func TestTracker(t *testing.T) {
	h := trace.NewTracker(trace.Dependence)
	for i, p := range toytest.Programs(t, 5000) {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		for range 5 {
			h.Pop(0)
			if s, ok := walk(t, toy.New(p), h, rng); !ok {
				t.Fatalf("program %d, schedule %v:\n%v", i, s, p)
			}
		}
	}
}
