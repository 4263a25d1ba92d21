package irs

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched/trace"
)

// logged is a toy program whose state is what its goroutines have seen.
type logged struct{ *toy.Closure }

func (l logged) Start() trace.Run {
	l.Closure.Start()
	return l
}

func (l logged) AppendState(b []byte) []byte { return l.AppendLogs(b) }

// outcomes returns what the goroutines of p may see.
func outcomes(p trace.Program) (map[string]bool, error) {
	result, err := oracle.Traces(p, oracle.Limits{Executions: 5000})
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, c := range result.Classes {
		seen[c.State] = true
	}
	return seen, nil
}

// TestRandomExecutions runs random programs in parallel: under a prefix they never fail and
// see only what they see in a trace that the prefix admits, and without one only what they
// see in some trace.
func TestRandomExecutions(t *testing.T) {
	n, runs := 2000/slower, 20
	if effort.Full() {
		n, runs = 20000, 100
	}
	r := rand.New(rand.NewPCG(3, 17))
	ran, failed, kinds := 0, 0, uint64(0)
	for range n {
		p := toy.Generate(r.IntN)
		c := toy.NewClosure(p)
		res, err := VerifyProgram(context.Background(), c, Options{Sched: explored.Sched, MaxExecutions: 1 + r.Int64N(100)})
		if err != nil || res.Prefix.Unordered() != nil {
			c.Shutdown()
			continue
		}
		admitted, err := outcomes(Filter(logged{c}, res.Prefix))
		if err != nil {
			c.Shutdown()
			continue
		}
		possible, err := outcomes(logged{c})
		for range runs {
			if err := Run(disturbed(res.Prefix), c.Main); errors.As(err, new(*UnorderedError)) {
				continue // a timer that was not used
			} else if err != nil {
				t.Fatalf("%v\n%v\n%v", err, p, res.Prefix)
			}
			if s := string(c.AppendLogs(nil)); !admitted[s] {
				t.Fatalf("under %v %v an execution has seen\n%s\n%v", res.Prefix, res.Prefix.Constraints, s, p)
			}
		}
		ran++
		kinds |= res.Prefix.kinds
		for range runs {
			if err != nil {
				break
			}
			switch e := Run(disturbed(res.Prefix.Unconstrained()), c.Main); {
			case e == nil:
				if s := string(c.AppendLogs(nil)); !possible[s] {
					t.Fatalf("an execution has seen what none does\n%s\n%v", s, p)
				}
			case errors.As(e, new(*ExecutionError)) && !res.Prefix.Complete:
				failed++
			case errors.As(e, new(*UnorderedError)):
			default:
				t.Fatalf("%v\n%v", e, p)
			}
		}
		c.Shutdown()
	}
	t.Logf("%d programs were run, %d executions without constraints failed", ran, failed)
	if missing := orderable &^ (kinds | 1<<trace.OpTransfer); missing != 0 && slower == 1 {
		t.Errorf("no program that was run uses these kinds: %v", kindNames(missing))
	}
}
