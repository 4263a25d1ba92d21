package por

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/caller"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/sched"
)

// TestReportOfLongExecution fails in the middle of a long execution.
func TestReportOfLongExecution(t *testing.T) {
	effort.Computes(t)
	for name, fail := range map[string]func(tb testing.TB){
		"panic":     func(testing.TB) { sched.Go(func() { panic("oh") }) },
		"assertion": func(tb testing.TB) { tb.Error("oh") },
	} {
		o := &muted.TB{TB: t}
		t.Run(name, func(t *testing.T) {
			Check(o, func(tb testing.TB) {
				sched.Go(func() {}) // or else most operations are no steps
				var m sched.Mutex
				for i := range 40_000 {
					m.Lock()
					m.Unlock()
					if i == 20_000 {
						fail(tb)
					}
				}
			}, MaxSteps(100_000), MaxTime(time.Hour))
			for _, part := range []string{" 40001  unlock m ", "not shown: -por.full", "(and 39,998 steps after that)"} {
				if !strings.Contains(o.Report, part) {
					t.Errorf("%q is missing in\n%s", part, o.Report)
				}
			}
		})
	}
}

func TestReportNote(t *testing.T) {
	// The failure depends on state that outlives an execution. The first is run twice.
	runs := 0
	res, err := Explore(func() {
		sched.Choose(2)
		if runs++; runs == 3 {
			panic("only once")
		}
	})
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, part := range []string{"panic: only once", "did not show again when its schedule was run a second time"} {
		if !strings.Contains(res.Failures[0].Report, part) {
			t.Errorf("%q is missing in\n%s", part, res.Failures[0].Report)
		}
	}
}

func TestShortNames(t *testing.T) {
	expect := func(name string, f func(string) string, all map[string]string) {
		for x, want := range all {
			if got := f(x); got != want {
				t.Errorf("%s(%q) = %q, want %q", name, x, got, want)
			}
		}
	}
	expect("packageOf", caller.PackageOf, map[string]string{
		"example.org/a/bank.TestX.func1":   "example.org/a/bank",
		"example.org/a/bank_test.TestX":    "example.org/a/bank",
		"gopkg.in/yaml%2ev3.TestX":         "gopkg.in/yaml.v3",
		"command-line-arguments.TestX":     ".",
		"bank.TestX":                       "bank",
		"example.org/a/bank.(*S).TestX-fm": "example.org/a/bank",
	})
	expect("RunPattern", share.RunPattern, map[string]string{"TestX": "^TestX$", "TestX/a+b": `^TestX$/^a\+b$`})
	if got := caller.Tested(); got != "github.com/gopor/gopor/por" {
		t.Errorf("testPackage() = %q", got)
	}
}

func TestMargins(t *testing.T) {
	for _, left := range []time.Duration{-time.Second, 0, time.Millisecond, time.Second, time.Minute, 10 * time.Minute} {
		soft, hard := explore.Margins(left)
		if soft <= 0 || hard < soft || left > 0 && hard >= left {
			t.Errorf("margins(%v) = %v, %v", left, soft, hard)
		}
		s := &explore.Session{Request: explore.Request{SoftEnd: soft, HardEnd: hard}} // an execution that still goes on has half of what is left
		if last := hard + (left-hard)/2; left >= time.Second && (!s.Late(hard) || s.Overdue(hard) || s.Overdue(last-left/100) || !s.Overdue(last+left/100)) {
			t.Errorf("of %v: late at %v, overdue not at %v", left, hard, last)
		}
	}
	if soft, _ := explore.Margins(10 * time.Minute); soft < 9*time.Minute {
		t.Errorf("of 10m only %v are used", soft)
	}
}

// A data race is reported with the stacks of both accesses.
func TestReportRaceStacks(t *testing.T) {
	res, err := Explore(func() {
		v := sched.NewVar(0)
		h := sched.Go(func() { addOuter(v) })
		addOuter(v)
		h.Join()
	})
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%v, %+v", err, res)
	}
	report := res.Failures[0].Report
	for _, call := range []string{"addOuter ", "TestReportRaceStacks.func1 ", "TestReportRaceStacks.func1.1 "} {
		want := 1
		if call == "addOuter " {
			want = 2
		}
		if got := strings.Count(report, " por."+call); got != want {
			t.Errorf("%d calls by %s, want %d\n%s", got, call, want, report)
		}
	}
}

//go:noinline
func addOuter(v *sched.Var[int]) { addInner(v) }

//go:noinline
func addInner(v *sched.Var[int]) { v.Store(1) }

// TestStacksAreOwn looks at the stacks of a goroutine that runs where another one, which
// has ended by Goexit, has left its deferred calls.
func TestStacksAreOwn(t *testing.T) {
	report := func(f func()) string {
		res, err := Explore(func() {
			sched.Go(leavesFrames).Join()
			f()
		})
		if err != nil || len(res.Failures) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Failures[0].Report
	}
	for name, text := range map[string]string{
		"panic": report(func() { sched.Go(func() { panic("oh") }).Join() }),
		"fatal": report(func() { sched.Go(func() { new(sched.Mutex).Unlock() }).Join() }),
		"race": report(func() {
			var x sched.Var[int]
			h := sched.Go(func() { x.Store(1) })
			x.Store(2)
			h.Join()
		}),
	} {
		if !strings.Contains(text, "report_test.go") || strings.Contains(text, "por.leavesFrames ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func leavesFrames() { runtime.Goexit() }
