package por

import (
	"slices"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestOrder looks for the two places whose order matters.
func TestOrder(t *testing.T) {
	entry := func(step int, g trace.ID, op, obj string, line int, callers ...sched.Call) sched.Entry {
		e := sched.Entry{Step: step, G: g, Op: op, Obj: obj, File: "/x/a.go", Line: line}
		e.Stack = append([]sched.Call{{File: "/x/a.go", Line: line}}, callers...)
		return e
	}
	entries := []sched.Entry{
		entry(0, 1, "lock", "Mutex 1", 10),
		entry(1, 1, "unlock", "Mutex 1", 11),
		entry(2, 2, "lock", "Mutex 1", 10, sched.Call{File: "/x/b.go", Line: 5}),
		entry(3, 2, "unlock", "Mutex 1", 11),
		entry(4, 1, "lock", "Mutex 1", 20, sched.Call{File: "/x/a.go", Line: 6}),
	}
	rep := FailureReport{Entries: entries, preempted: []int{2}}
	if got, want := rep.order(), []string{"/x/a.go:20: lock Mutex 1, called in line 6", "/x/a.go:10: lock Mutex 1, called in line 5 of b.go"}; !slices.Equal(got, want) {
		t.Errorf("with a preemption: %q, want %q", got, want)
	}
	rep.preempted = nil
	if got, want := rep.order(), []string{"/x/a.go:11: unlock Mutex 1", "/x/a.go:20: lock Mutex 1, called in line 6"}; !slices.Equal(got, want) {
		t.Errorf("without: %q, want %q", got, want)
	}
	rep.Entries = entries[:2]
	if got := rep.order(); got != nil {
		t.Errorf("of one goroutine: %q", got)
	}
}
