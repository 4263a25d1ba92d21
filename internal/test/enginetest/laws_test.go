package enginetest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// TestLaws holds toy programs, and the closures that they are translated to, to the
// laws.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, p := range toytest.Programs(t, 3000) {
		err := oracle.Sample(trace.CheckLaws(toy.New(p)), r, 20)
		if err == nil {
			c := toy.NewClosure(p)
			err = oracle.Sample(trace.CheckLaws(c), r, 20)
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
