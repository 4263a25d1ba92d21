package por

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// entriesOf returns the steps of goroutines that take turns at one object.
func entriesOf(n int, names ...string) []sched.Entry {
	var out []sched.Entry
	for i := range n {
		out = append(out, sched.Entry{Step: i, Name: names[i%len(names)], Kind: trace.OpSend, Obj: "chan 1", Value: "5"})
	}
	return out
}

// tableOf returns the schedule in the report of a record.
func tableOf(entries []sched.Entry, t *trial.Trial, l layout) string {
	s := &session{}
	rep := &FailureReport{Entries: entries, All: []trace.Failure{t.Primary}, Execution: 1, Steps: t.Primary.Step + 1}
	if l.width == 0 {
		l.width = defaultWidth
	}
	return s.diagnose(rep, t, naming.New(), "").table(l, screenLines)
}

func TestReportColumns(t *testing.T) {
	entries := append([]sched.Entry{
		{Step: -1, Name: "main", Remark: sched.RemarkGo, Value: "g1"},
		{Step: -1, Name: "g1", Remark: sched.RemarkEnd},
	}, entriesOf(3, "main", "g1")...)
	entries[3].Waits = true
	entries[4].File, entries[4].Line = "/nowhere/x.go", 7
	got := tableOf(entries, &trial.Trial{Preempted: []int{1}, Primary: trace.Failure{Kind: trace.FailPanic, Step: 1, Msg: "oh"}}, layout{full: true})
	want := `
found in execution 1: 0 preemptions (the fewest found), 2 steps:

  step  main             g1
        go g1
     0  send chan 1 = 5
     1*                  send chan 1 = 5, waits
        ==> panic: oh
        (and 1 step after that)
  * a preemption: the goroutine before could have gone on
`
	want = strings.Replace(want, " (the fewest found)", "", 1)
	if got != want[1:] {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = tableOf(entries, &trial.Trial{Primary: trace.Failure{Kind: trace.FailDeadlock, Step: 1}}, layout{})
	if !strings.Contains(got, "     2  send chan 1 = 5                          x.go:7\n") {
		t.Errorf("a deadlock shows at the end, got\n%s", got)
	}
}

func TestReportFolds(t *testing.T) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("g%d", i))
	}
	got := tableOf(entriesOf(12, names...), &trial.Trial{Primary: trace.Failure{Kind: trace.FailPanic, Step: 11}}, layout{})
	want := "     0  g0   send chan 1 = 5\n     1  g1   send chan 1 = 5\n"
	if !strings.Contains(got, want) || strings.Contains(got, "  step") {
		t.Errorf("got\n%s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if len(line) > defaultWidth {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// TestReportLeavesOut checks that what is left out of a long schedule is counted, and is
// never what the headline is about.
func TestReportLeavesOut(t *testing.T) {
	effort.Computes(t)
	for _, failed := range []int{0, 17, 5_000, 9_999} {
		at := &trial.Trial{Primary: trace.Failure{Kind: trace.FailPanic, Step: failed, Msg: "oh"}}
		got := tableOf(entriesOf(10_000, "main", "g1"), at, layout{})
		if n := lines(got); n > screenLines {
			t.Errorf("%d lines", n)
		}
		if !strings.Contains(got, fmt.Sprintf("\n%6d  ", failed)) || !strings.Contains(got, "==> panic: oh") {
			t.Errorf("step %d is missing in\n%s", failed, got)
		}
		if after := 9_999 - failed; after > 0 && !strings.Contains(got, "(and "+format.Counted(int64(after), "step")+" after that)") {
			t.Errorf("what comes after step %d is not counted in\n%s", failed, got)
		}
		if failed > 100 && !strings.Contains(got, "rows left out ...") || failed > 100 && !strings.Contains(got, seeAll) {
			t.Errorf("nothing is left out in\n%s", got)
		}
	}
	all := entriesOf(10_000, "main", "g1")
	at := &trial.Trial{Primary: trace.Failure{Kind: trace.FailPanic, Step: 9_999, Msg: "oh"}}
	if got := tableOf(all, at, layout{full: true}); lines(got) != 10_000+4 {
		t.Errorf("%d lines, when all is to be shown", lines(got))
	}
}

// TestReportCountsOmitted checks that rows which the entries lack already count.
func TestReportCountsOmitted(t *testing.T) {
	all := entriesOf(10_000, "main", "g1")
	at := &trial.Trial{Primary: trace.Failure{Kind: trace.FailPanic, Step: 9_999, Msg: "oh"}}
	want := tableOf(all, at, layout{})
	some := append(append([]sched.Entry(nil), all[:100]...), all[5000:]...)
	some[100].Omitted = 4900
	if got := tableOf(some, at, layout{}); got != strings.Replace(want, "10,000 steps:", "5,100 of 10,000 steps matter:", 1) { // what matters is not known of the others
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	few := append(append([]sched.Entry(nil), all[:3]...), all[9_998:]...)
	few[3].Omitted = 9_995
	got := tableOf(few, &trial.Trial{Primary: trace.Failure{Kind: trace.FailPanic, Step: 9_998}}, layout{})
	for _, part := range []string{"     2  send", "... 9,995 rows left out ...", "  9998  send", "(and 1 step after that)"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

// TestReportOfLongExecution fails in the middle of a long execution.
func TestReportOfLongExecution(t *testing.T) {
	effort.Computes(t)
	for name, fail := range map[string]func(tb testing.TB){
		"panic":     func(testing.TB) { sched.Go(func() { panic("oh") }) },
		"assertion": func(tb testing.TB) { tb.Error("oh") },
	} {
		o := &reportTB{TB: t}
		t.Run(name, func(t *testing.T) {
			Check(o, func(tb testing.TB) {
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
				if !strings.Contains(o.report, part) {
					t.Errorf("%q is missing in\n%s", part, o.report)
				}
			}
		})
	}
}

// reportTB is a test that keeps its error to itself.
type reportTB struct {
	testing.TB
	report string
}

func (tb *reportTB) Error(args ...any)                 { tb.report += fmt.Sprint(args...) }
func (tb *reportTB) Errorf(format string, args ...any) { tb.report += fmt.Sprintf(format, args...) }
func (tb *reportTB) Fatal(args ...any)                 { tb.Error(args...) }
func (tb *reportTB) Fatalf(format string, args ...any) { tb.Errorf(format, args...) }
func (tb *reportTB) FailNow()                          {}
func (tb *reportTB) Failed() bool                      { return false }

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
	expect("packageOf", packageOf, map[string]string{
		"example.org/a/bank.TestX.func1":   "example.org/a/bank",
		"example.org/a/bank_test.TestX":    "example.org/a/bank",
		"gopkg.in/yaml%2ev3.TestX":         "gopkg.in/yaml.v3",
		"command-line-arguments.TestX":     ".",
		"bank.TestX":                       "bank",
		"example.org/a/bank.(*S).TestX-fm": "example.org/a/bank",
	})
	expect("RunPattern", share.RunPattern, map[string]string{"TestX": "^TestX$", "TestX/a+b": `^TestX$/^a\+b$`})
	if got := testPackage(); got != "github.com/gopor/gopor/por" {
		t.Errorf("testPackage() = %q", got)
	}
}

func TestMargins(t *testing.T) {
	for _, left := range []time.Duration{-time.Second, 0, time.Millisecond, time.Second, time.Minute, 10 * time.Minute} {
		soft, hard := margins(left)
		if soft <= 0 || hard < soft || left > 0 && hard >= left {
			t.Errorf("margins(%v) = %v, %v", left, soft, hard)
		}
		s := &session{softEnd: soft, hardEnd: hard} // who still goes on has half of what is left
		if last := hard + (left-hard)/2; left >= time.Second && (!s.late(hard) || s.overdue(hard) || s.overdue(last-left/100) || !s.overdue(last+left/100)) {
			t.Errorf("of %v: late at %v, overdue not at %v", left, hard, last)
		}
	}
	if soft, _ := margins(10 * time.Minute); soft < 9*time.Minute {
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
