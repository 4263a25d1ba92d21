package oracle

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
)

func exact(p *toy.Program, limits Limits) error {
	r, err := Enumerate(toy.New(p), limits)
	if err != nil {
		return err
	}
	return r.Check()
}

// TestExact is the exact test of happens-before on random programs.
func TestExact(t *testing.T) {
	limits := Limits{Executions: 2000, Depth: 16}
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	var all, big, failed int64
	for i, p := range toytest.Programs(t, 3000) {
		all++
		err := exact(p, limits)
		if errors.Is(err, ErrTooBig) {
			big++
			continue
		}
		if err == nil {
			continue
		}
		q := toy.Shrink(p, func(q *toy.Program) bool {
			err := exact(q, limits)
			return err != nil && !errors.Is(err, ErrTooBig)
		})
		t.Errorf("program %d: %v\n%v", i, exact(q, limits), q)
		if failed++; failed >= most {
			break
		}
	}
	t.Logf("%d programs, %d of them too big", all, big)
}
