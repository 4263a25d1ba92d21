package por

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// What por test is told, and the file of the schedule, have the headline of the report.
func TestHeadlineTold(t *testing.T) {
	dir := t.TempDir()
	res, _ := savedCheck(t, dir, func(testing.TB) { buggyTransfer() })
	const want = "deadlock by lock order: g1 and g2 wait for each other"
	f := &res.Failures[0]
	if got := f.toRecord().Headline; got != want || !strings.HasPrefix(f.Report, want+"\n") {
		t.Errorf("told is %q, and the report is\n%s", got, f.Report)
	}
	kept := saved.Load(dir, "TestX")
	if len(kept) != 1 || kept[0].Headline != want || f.Diagnosis.Saved != kept[0].Name {
		t.Errorf("saved is %+v, and the diagnosis has %q", kept, f.Diagnosis.Saved)
	}
}

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

// TestNoPlace has a timer call a method of a primitive, in no place of the program's.
func TestNoPlace(t *testing.T) {
	res, err := Explore(func() {
		var mu sched.Mutex
		rung := sched.NewCond(&mu)
		sched.AfterFunc(time.Millisecond, rung.Broadcast)
		sched.Sleep(time.Millisecond)
		mu.Lock()
		rung.Wait()
	})
	if err != nil || len(res.Failures) == 0 {
		t.Fatal(res, err)
	}
	const want = "deadlock by a lost wakeup: main waits for rung, which g1.1 had woken up before"
	if got := res.Failures[0].Diagnosis.Headline; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
