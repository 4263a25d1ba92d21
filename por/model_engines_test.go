package por

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// boundlessEngines are the complete engines of other packages, which the model
// judges too. Some visit traces twice, and some give executions up.
var boundlessEngines = []struct {
	trace.Engine
	once, unblocked bool
}{
	{unfold.QPOR{K: 1}, true, false},
	{unfold.QPOR{K: 2}, true, false},
	{unfold.Optimal{}, true, true},
	{unfold.Optimal{Comb: true}, true, true},
	{bpor.Classic{}, false, false},
	{bpor.Nidhugg{Complete: true}, false, false},
	{bpor.Source{Complete: true}, false, false},
	{bpor.Lazy{Slack: bpor.Enough}, true, false},
	{bpor.Optimal{Slack: bpor.Enough}, true, true},
	{bpor.Iterative{UpTo: bpor.Preemptions(boundless)}, true, false},
	{bpor.Iterative{UpTo: bpor.Delays(boundless)}, true, false},
}

// judgeOthers compares what these engines visit of m with all traces there are.
func judgeOthers(t *testing.T, m *model, want map[uint64]int) {
	t.Helper()
	for _, e := range boundlessEngines {
		got, stats := explored(t, e, m)
		missed, twice, unknown := 0, 0, 0
		for f := range want {
			switch {
			case got[f] == 0:
				missed++
			case got[f] > 1 && e.once, got[f] > want[f]:
				twice++
			}
		}
		for f := range got {
			if want[f] == 0 {
				unknown++
			}
		}
		if missed+twice+unknown > 0 || e.unblocked && stats.Blocked > 0 {
			t.Errorf("%s: %d traces, %d missed, %d visited too often, %d unknown, %d blocked executions",
				e.Name(), len(want), missed, twice, unknown, stats.Blocked)
		}
	}
}

// TestRandomModelsElsewhere is TestRandomModels for the engines of packages bpor
// and unfold.
func TestRandomModelsElsewhere(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 50
	}
	for seed, done := uint64(0), 0; done < n; seed++ {
		m := randomModel(rand.New(rand.NewPCG(seed, 3)))
		want := bruteForce(m, 600)
		if want == nil {
			continue
		}
		done++
		if judgeOthers(t, m, want); t.Failed() {
			t.Fatalf("program %d", seed)
		}
	}
}

// TestPaperModelsElsewhere holds those that visit every trace once to the papers'
// counts, as far as they are small.
func TestPaperModelsElsewhere(t *testing.T) {
	for _, c := range paperCounts() {
		if c.want > 64 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for _, e := range boundlessEngines {
				if !e.once {
					continue
				}
				if _, stats := explored(t, e, c.m); stats.Executions != c.want {
					t.Errorf("%s: %d executions, want %d", e.Name(), stats.Executions, c.want)
				}
			}
		})
	}
}
