package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched/trace"
)

// stateful shows an oracle what the steps of an execution have returned.
type stateful struct{ *Instance }

type statefulRun struct {
	trace.Run
	x *Instance
}

func (s stateful) Start() trace.Run               { return statefulRun{s.Instance.Start(), s.Instance} }
func (r statefulRun) AppendState(b []byte) []byte { return append(b, r.x.ResultsText()...) }

// TestMapRules finds, for every rule of dependence that only maps have, a program
// that shows why it is needed.
func TestMapRules(t *testing.T) {
	maps := []trace.Mode{trace.ModeKeyWrite, trace.ModeScan, trace.ModeClear}
	for i, a := range maps {
		for _, b := range maps[i:] {
			if trace.Dependence.May(a, b) && !ruleNeeded(a, b) {
				t.Errorf("no program shows that modes %d and %d depend on each other", a, b)
			}
		}
	}
}

// ruleNeeded reports whether the exact test fails without the rule that a and b depend
// on each other.
func ruleNeeded(a, b trace.Mode) bool {
	rel := new(trace.Relation)
	for x := range trace.ModeAll + 1 {
		for y := range x + 1 {
			if trace.Dependence.May(x, y) && (x != max(a, b) || y != min(a, b)) {
				rel.Add(x, y)
			}
		}
	}
	family, _ := FamilyNamed("map")
	for i := range uint64(2000) {
		x := New(Generate(family, rand.New(rand.NewPCG(3, i))))
		all, err := oracle.EnumerateWith(stateful{x}, oracle.Limits{Executions: 300}, rel)
		if err == nil {
			err = all.Check()
		}
		x.Shutdown()
		if err != nil && !errors.Is(err, oracle.ErrTooBig) {
			return true
		}
	}
	return false
}
