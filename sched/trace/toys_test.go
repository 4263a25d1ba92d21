package trace_test

import (
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// TestSleepSets holds the engine of the example to what it says of itself.
func TestSleepSets(t *testing.T) {
	enginetest.Random(t, []enginetest.Subject{{Engine: SleepSets{}, Promise: enginetest.SleepSets}}, 200)
}

// TestPeterson explores the transition system of the example with engines of every kind.
func TestPeterson(t *testing.T) {
	all, err := oracle.Enumerate(Peterson{Rounds: 2}, oracle.Limits{})
	if err != nil || len(all.Classes) != 276 {
		t.Fatalf("%v, %d traces", err, len(all.Classes))
	}
	for _, e := range []trace.Engine{engine.DPOR{}, engine.Source{}, engine.Optimal{}, unfold.QPOR{K: 2}, unfold.Optimal{}, bpor.Optimal{Slack: bpor.Enough}, SleepSets{}} {
		res, err := por.ExploreProgram(trace.CheckLaws(Peterson{Rounds: 2}), por.Engine(e))
		if err != nil || res.Stats.Executions != 276 || len(res.Failures) > 0 {
			t.Errorf("%s: %v, %v", e.Name(), err, res)
		}
		res, err = por.ExploreProgram(trace.CheckLaws(Peterson{Rounds: 1, Hasty: true}), por.Engine(e))
		if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailAssertion {
			t.Errorf("%s, the first lines exchanged: %v, %v", e.Name(), err, res)
		}
	}
}
