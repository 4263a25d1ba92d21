package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// entriesOf returns the steps of goroutines that take turns at one object.
func entriesOf(n int, names ...string) []exec.Entry {
	var out []exec.Entry
	for i := range n {
		out = append(out, exec.Entry{Step: i, Name: names[i%len(names)], Kind: trace.OpSend, Obj: "chan 1", Value: "5"})
	}
	return out
}

// apart returns the same steps, each on a line of its own, so that none are rounds of a loop.
func apart(entries []exec.Entry) []exec.Entry {
	for i := range entries {
		entries[i].File, entries[i].Line = "/nowhere/x.go", i
	}
	return entries
}

// tableOf returns the schedule in the report of a record.
func tableOf(entries []exec.Entry, f trace.Failure, l Layout, preempted ...int) string {
	c := Case{Failure: f, All: []trace.Failure{f}, Entries: entries, Preempted: preempted}
	if l.Width == 0 {
		l.Width = tableWidth
	}
	d := c.Diagnose()
	d.Execution, d.Length = 1, f.Step+1
	return d.table(l, screenLines)
}

// tableWidth is how many characters a line has in these tests.
const tableWidth = 100

func TestReportColumns(t *testing.T) {
	entries := append([]exec.Entry{
		{Step: -1, Name: "main", Remark: exec.RemarkGo, Value: "g1"},
		{Step: -1, Name: "g1", Remark: exec.RemarkEnd},
	}, entriesOf(3, "main", "g1")...)
	entries[3].Waits = true
	entries[4].File, entries[4].Line = "/nowhere/x.go", 7
	got := tableOf(entries, trace.Failure{Kind: trace.FailPanic, Step: 1, Msg: "oh"}, Layout{Full: true}, 1)
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
	got = tableOf(entries, trace.Failure{Kind: trace.FailDeadlock, Step: 1}, Layout{})
	if !strings.Contains(got, "     2  send chan 1 = 5                          x.go:7\n") {
		t.Errorf("a deadlock shows at the end, got\n%s", got)
	}
}

func TestReportFolds(t *testing.T) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("g%d", i))
	}
	got := tableOf(entriesOf(12, names...), trace.Failure{Kind: trace.FailPanic, Step: 11}, Layout{})
	want := "     0  g0   send chan 1 = 5\n     1  g1   send chan 1 = 5\n"
	if !strings.Contains(got, want) || strings.Contains(got, "  step") {
		t.Errorf("got\n%s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if len(line) > tableWidth {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// TestReportLeavesOut checks that what is left out of a long schedule is counted, and is
// never what the headline is about.
func TestReportLeavesOut(t *testing.T) {
	effort.Computes(t)
	for _, failed := range []int{0, 17, 5_000, 9_999} {
		at := trace.Failure{Kind: trace.FailPanic, Step: failed, Msg: "oh"}
		got := tableOf(apart(entriesOf(10_000, "main", "g1")), at, Layout{})
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
	at := trace.Failure{Kind: trace.FailPanic, Step: 9_999, Msg: "oh"}
	if got := tableOf(all, at, Layout{Full: true}); lines(got) != 10_000+4 {
		t.Errorf("%d lines, when all is to be shown", lines(got))
	}
}

// TestReportCountsOmitted checks that rows which the entries lack already count.
func TestReportCountsOmitted(t *testing.T) {
	all := apart(entriesOf(10_000, "main", "g1"))
	at := trace.Failure{Kind: trace.FailPanic, Step: 9_999, Msg: "oh"}
	want := tableOf(all, at, Layout{})
	some := append(append([]exec.Entry(nil), all[:100]...), all[5000:]...)
	some[100].Omitted = 4900
	if got := tableOf(some, at, Layout{}); got != strings.Replace(want, "10,000 steps:", "5,100 of 10,000 steps matter:", 1) { // what matters is not known of the others
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	few := append(append([]exec.Entry(nil), all[:3]...), all[9_998:]...)
	few[3].Omitted = 9_995
	got := tableOf(few, trace.Failure{Kind: trace.FailPanic, Step: 9_998}, Layout{})
	for _, part := range []string{"     2  send", "... 9,995 rows left out ...", "  9998  send", "(and 1 step after that)"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

func TestAnnotation(t *testing.T) {
	d := &Diagnosis{Headline: "50 % off: a, b", Bug: "wrong result", Test: "TestX/a,b", Cause: "why", At: Frame{File: "/home/ci/work/p/a_test.go", Line: 7}}
	t.Setenv("GITHUB_ACTIONS", "")
	if got := d.Annotation(); got != "" {
		t.Errorf("elsewhere: %s", got)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKSPACE", "/home/ci/work")
	want := "::error file=p/a_test.go,line=7,title=TestX/a%2Cb (wrong result)::50 %25 off: a, b%0Awhy"
	if got := d.Annotation(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestMeetings says which locks of the standard library a table has: those by which goroutines meet
// that have nothing else in common.
func TestMeetings(t *testing.T) {
	step := func(g, object string, kind trace.Kind, library bool) Step {
		return Step{Number: 1, Goroutine: g, Object: object, Library: library, kind: kind}
	}
	own := []Step{
		step("main", "wg", trace.OpWGAdd, false), step("main", "wg", trace.OpWGWait, false),
		step("g1", "wg", trace.OpWGDone, false), step("g2", "wg", trace.OpWGDone, false),
		step("g1", "l", trace.OpLoad, false), step("g2", "l", trace.OpLoad, false),
	}
	locks := []Step{
		step("g1", "outMu", trace.OpLock, true), step("g1", "outMu", trace.OpUnlock, true), step("g1", "outMu", trace.OpLock, true),
		step("g2", "outMu", trace.OpLock, true), step("main", "outMu", trace.OpLock, true), step("g9", "outMu", trace.OpLock, true),
	}
	shown := func(own []Step) string {
		d := Diagnosis{Steps: append(append([]Step(nil), own...), locks...)}
		var all []ranked
		for i := range d.Steps {
			all = append(all, ranked{index: i, rank: 3})
		}
		text := ""
		for _, r := range d.outsideLibrary(all) {
			if r.index >= len(own) {
				text += fmt.Sprint(r.index-len(own), " ")
			}
		}
		return text
	}
	for _, test := range []struct {
		name string
		own  []Step
		want string
	}{
		{"nothing else", own, "2 3 "},
		{"one changes what the other reads", append(own, step("g1", "n", trace.OpStore, false), step("g2", "n", trace.OpLoad, false)), ""},
		{"something else each", append(own, step("g1", "n", trace.OpStore, false), step("g2", "m", trace.OpStore, false)), "2 3 "},
		{"a socket", append(own, step("g1", "conn 1", trace.OpNetRead, false)), ""},
		{"a lock of their own", append(own, step("g1", "mu", trace.OpLock, false), step("g2", "mu", trace.OpLock, false)), ""},
	} {
		if got := shown(test.own); got != test.want {
			t.Errorf("%s: got locks %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFaultShown leaves out of a long table what it may, and not the fault.
func TestFaultShown(t *testing.T) {
	entries := entriesOf(300, "main", "g1")
	entries[7] = exec.Entry{Step: 7, Name: "g1", Kind: trace.OpFault, Obj: "conn 1", Value: "is reset"}
	got := tableOf(entries, trace.Failure{Kind: trace.FailPanic, Step: 299, Msg: "oh"}, Layout{})
	if !strings.Contains(got, "is reset") || !strings.Contains(got, "left out") {
		t.Errorf("got\n%s", got)
	}
}
