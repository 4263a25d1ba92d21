package conformance

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/gopor/gopor/sched"
)

// property holds random programs to a property that one execution shows or not.
func property(t *testing.T, n int64, list []*Family, holds func(*Family, *Instance, *rand.Rand) error) {
	n, source := seeds(t, n)
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

// unlawful are pending operations that are known to break the law of footprints, with
// the reason, by family or "" for all.
var unlawful = map[string]map[sched.Kind]string{
	"": {sched.OpMap: "Clear touches the whole map as long as something is in it, and nothing of a key that a pending operation writes"},
	"tickers-any": {
		sched.OpFire:   "a ticker touches everything while a receiver waits, and what ends a select that waits there does not",
		sched.OpRecv:   "a receive touches everything if its ticker fires once more then, and what stops the ticker does not",
		sched.OpSelect: "as a receive",
	},
}

// TestFootprints holds every primitive to the law of footprints, in every mode.
func TestFootprints(t *testing.T) {
	property(t, 20000, families(t, unrepaired), func(f *Family, x *Instance, r *rand.Rand) error {
		err := Covered(x, r)
		var v *Violation
		if errors.As(err, &v) && (unlawful[""][v.Pending] != "" || unlawful[f.Name][v.Pending] != "") {
			return nil
		}
		return err
	})
}

// TestIndependence performs what is called independent in both orders.
func TestIndependence(t *testing.T) {
	property(t, 6000, families(t, unrepaired), func(_ *Family, x *Instance, r *rand.Rand) error { return Commute(x, r) })
}
