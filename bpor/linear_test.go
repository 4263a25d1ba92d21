package bpor_test

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
)

// TestMinimum compares the cheapest linearisations of traces with those that the
// oracle has found among all executions.
func TestMinimum(t *testing.T) {
	traces := 0
	for i, p := range toytest.Programs(t, 1000) {
		want, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		for _, c := range want.Classes {
			traces++
			for _, m := range []struct {
				bound bpor.Bound
				want  int
			}{{bpor.Preemptions(0), c.Preemptions}, {bpor.Delays(0), c.Delays}} {
				if got, err := bpor.Minimum(toy.New(p), c.Schedule, m.bound, nil); err != nil || got != m.want {
					t.Fatalf("program %d: %v of %v: got %d, %v, want %d\n%v", i, m.bound, c.Schedule, got, err, m.want, p)
				}
			}
		}
	}
	t.Logf("%d traces", traces)
}
