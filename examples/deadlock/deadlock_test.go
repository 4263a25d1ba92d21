package deadlock

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// bothWays transfers from a to b and from b to a at the same time.
func bothWays(transfer func(from, to *Account, amount int)) {
	a, b := NewAccount(1, 100), NewAccount(2, 100)
	var wg sched.WaitGroup
	wg.Go(func() { transfer(a, b, 10) })
	wg.Go(func() { transfer(b, a, 20) })
	wg.Wait()
	if sum := Total(a, b); sum != 200 {
		panic("money was made or lost")
	}
}

func TestInOrder(t *testing.T) {
	por.Check(t, func() { bothWays(TransferInOrder) }, por.Exhaustive())
}

// TestOppositeOrders expects a deadlock. The Go runtime would notice it only if
// no other goroutine of the whole program could run.
func TestOppositeOrders(t *testing.T) {
	res, err := por.Explore(func() { bothWays(Transfer) })
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 {
		t.Fatalf("the bug was not found: %s", res.Verdict)
	}
	f := res.Failures[0]
	if f.Kind != trace.FailDeadlock {
		t.Errorf("%v: %s", f.Kind, f.Msg)
	}
	if f.Preemptions != 1 {
		t.Errorf("the simplest schedule has one preemption, not %d", f.Preemptions)
	}
	if strings.Count(f.Report, "waits in lock of") < 2 {
		t.Error("the report does not say who waits for what")
	}
	t.Log(f.Report)
}
