package conformance

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// property holds random programs to a property that one execution shows or not.
func property(t *testing.T, n int64, list []*Family, holds func(*Family, *Instance, *rand.Rand) error) {
	n, source := toytest.Seeds(t, n)
	var mu sync.Mutex
	parallel(n, func() struct{} { return struct{}{} }, func(_ struct{}, i int64) bool {
		r := source(i)
		f := list[i%int64(len(list))]
		p := Generate(f, r)
		seed := r.Uint64()
		const tries = 10
		check := func(p *Program) (err error) {
			x := New(p)
			defer x.Shutdown()
			r := rand.New(rand.NewPCG(seed, 0))
			for k := 0; k < tries && err == nil; k++ {
				err = holds(f, x, r)
			}
			return err
		}
		if err := check(p); err != nil {
			mu.Lock()
			defer mu.Unlock()
			q := Shrink(p, func(q *Program) bool { return check(q) != nil })
			t.Errorf("program %d, %s: %v\nit shrinks to\n%v\n%v", i, f.Name, err, check(q), q)
			return false
		}
		return true
	})
}

// TestFootprints holds every primitive to the law of footprints, in every mode.
func TestFootprints(t *testing.T) {
	property(t, 20000, families(t), func(_ *Family, x *Instance, r *rand.Rand) error { return Covered(x, r) })
}

// TestIndependence performs what is called independent in both orders.
func TestIndependence(t *testing.T) {
	property(t, 6000, families(t), func(_ *Family, x *Instance, r *rand.Rand) error { return Commute(x, r) })
}

// TestLaws holds every primitive to the laws of the seam, in every mode.
func TestLaws(t *testing.T) {
	property(t, 6000, families(t), func(_ *Family, x *Instance, r *rand.Rand) error {
		return oracle.Sample(trace.CheckLaws(x), r, 1)
	})
}
