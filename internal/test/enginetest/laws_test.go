package enginetest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// walk runs random executions of p, and returns the first law that it breaks.
func walk(p trace.Program, r *rand.Rand, executions int) error {
	checked := trace.CheckLaws(p)
	for range executions {
		run := checked.Start()
		for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
			op := ops[r.IntN(len(ops))]
			if _, err := run.Step(trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)}); err != nil {
				run.Close()
				return err
			}
		}
		run.Close()
	}
	return nil
}

// TestLaws holds toy programs, and the closures that they are translated to, to the
// laws.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, p := range toytest.Programs(t, 3000) {
		err := walk(toy.New(p), r, 20)
		if err == nil {
			c := toy.NewClosure(p)
			err = walk(c, r, 20)
			c.Shutdown()
		}
		var law *trace.LawError
		if errors.As(err, &law) {
			t.Errorf("program %d: %v\n%v", i, err, p)
			break
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
	}
}
