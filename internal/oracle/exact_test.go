package oracle

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gopor/gopor/internal/toy"
)

// number returns the number in an environment variable.
func number(t testing.TB, name string, without int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func exact(p *toy.Program, limits Limits) error {
	r, err := Enumerate(toy.New(p), limits)
	if err != nil {
		return err
	}
	return r.Check()
}

func TestExactRandom(t *testing.T) {
	limits := Limits{Executions: 2000, Depth: 16}
	n := number(t, "GOPOR_PROGRAMS", 3000)
	seed := uint64(number(t, "GOPOR_SEED", int64(rand.Uint64()>>33)))
	most := number(t, "GOPOR_FAILURES", 1)
	t.Logf("GOPOR_SEED=%d", seed)
	var big, failed int64
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		p := toy.Generate(rng.IntN)
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
	t.Logf("%d programs, %d too big", n, big)
}
