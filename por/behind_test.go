package por_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// kept may have a channel when an execution is over.
var kept *sched.Chan[int]

// waitsForKept has two executions alike in what they leave behind. In one of them kept still reaches the channel.
func waitsForKept(testing.TB) {
	own := sched.NewChan[int](0)
	kept = own
	var stored sched.Int32
	sched.Go(func() {
		if stored.Load() == 1 {
			kept = nil
		}
		own.Recv()
	})
	stored.Store(1)
}

// A leak is found in one of executions that are alike, as long as there is time to look through the memory.
func TestLeakOfAlike(t *testing.T) {
	if x := check(t, waitsForKept); !strings.Contains(strings.Join(x.errors, "\n"), "goroutine leak") {
		t.Errorf("%q", x.errors)
	}
}

// TestNoTimeForLeaks has searches without time to tell leaks while they go on: they tell them when they are over,
// and say it where there are too many to tell.
func TestNoTimeForLeaks(t *testing.T) {
	effort.Computes(t)
	defer por.NoTimeForLeaks()()
	// late runs f beside a store, and has f know whether it comes after it.
	late := func(n int, f func(late bool)) {
		var stored sched.Int32
		for range n {
			sched.Go(func() { f(stored.Load() == 1) })
		}
		stored.Store(1)
	}
	for _, test := range []struct {
		name             string
		f                func(testing.TB)
		fails, says, not string
	}{
		{name: "leak in one", fails: "goroutine leak", f: func(testing.TB) {
			late(1, func(late bool) {
				if late {
					sched.NewChan[int](0).Recv()
				}
			})
		}},
		{name: "leak in one, others leave what is reached", fails: "goroutine leak", f: func(testing.TB) {
			late(1, func(late bool) {
				if late {
					sched.NewChan[int](0).Recv()
				}
				served.Recv()
			})
		}},
		{name: "reached", says: "(exhaustive", not: "not known", f: func(testing.TB) {
			late(1, func(late bool) {
				if late {
					served.Recv()
				}
			})
		}},
		{name: "reached in some that are alike", says: "NOT exhaustive: goroutines left behind are judged by those of other executions", f: func(testing.TB) {
			late(2, func(late bool) {
				if late {
					served.Recv()
				}
			})
		}},
		{name: "kept in one of those that are alike", fails: "goroutine leak", f: waitsForKept},
		{name: "reached in too many ways", says: "goroutines left behind of which it is not known whether they are leaked", not: "(exhaustive", f: func(testing.TB) {
			var stored sched.Int32
			wait := func() {
				if stored.Load() == 1 {
					served.Recv()
				}
			}
			sched.Go(func() { wait() })
			sched.Go(func() { wait() })
			sched.Go(func() { wait() })
			sched.Go(func() { wait() })
			sched.Go(func() { wait() })
			stored.Store(1)
		}},
	} {
		x := check(t, test.f)
		errors := strings.Join(x.errors, "\n")
		if (errors == "") != (test.fails == "") || !strings.Contains(errors, test.fails) {
			t.Errorf("%s: failures are %q, want %q", test.name, errors, test.fails)
		}
		if strings.Contains(errors, "in every schedule") {
			t.Errorf("%s: %q says so of executions that others have decided", test.name, errors)
		}
		if text := strings.Join(x.logs, "\n"); !strings.Contains(text, test.says) || test.not != "" && strings.Contains(text, test.not) {
			t.Errorf("%s: says %q, want %q and not %q", test.name, text, test.says, test.not)
		}
	}
}

// keptOnce and keptRuns are for TestLeakHidden.
var (
	keptOnce *sched.Chan[int]
	keptRuns int
)

// TestLeakHidden: a leak that does not show when its execution is run again, and shows after that,
// is a failure as others. Here a variable hides it, as a stale word on a stack may.
func TestLeakHidden(t *testing.T) {
	keptRuns = 0
	x := check(t, func() {
		c := sched.NewChan[int](0)
		keptOnce = nil
		if keptRuns++; keptRuns > 1 && keptRuns < 5 {
			keptOnce = c
		}
		sched.Go(func() { c.Recv() })
	})
	if all := strings.Join(x.errors, "\n"); !strings.Contains(all, "goroutine leak") || strings.Contains(all, "did not show again") {
		t.Errorf("after %d runs: %q", keptRuns, x.errors)
	}
}
