package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// loop returns the steps of g1 that takes a lock, sends, and gives the lock back, n times.
func loop(n int) (out []exec.Entry) {
	for i := range n {
		for line, kind := range []trace.Kind{trace.OpLock, trace.OpSend, trace.OpUnlock} {
			e := exec.Entry{Step: 3*i + line, Name: "g1", Kind: kind, Obj: "mutex 1", File: "/nowhere/x.go", Line: 10 + line}
			if kind == trace.OpSend {
				e.Obj, e.Value = "chan 1", fmt.Sprint(i)
			}
			out = append(out, e)
		}
	}
	return out
}

// used adds main's use of the objects of a loop, so that they are shared, and how it fails.
func used(out []exec.Entry) ([]exec.Entry, trace.Failure) {
	for _, object := range []string{"mutex 1", "chan 1"} {
		out = append(out, exec.Entry{Step: len(out), Name: "main", Kind: trace.OpRecv, Obj: object})
	}
	return out, trace.Failure{Kind: trace.FailPanic, Step: len(out) - 1, Msg: "oh"}
}

// TestRounds: of a loop the report shows the last round, and how many are like it.
func TestRounds(t *testing.T) {
	entries, failure := used(loop(1000))
	got := tableOf(entries, failure, Layout{})
	for _, part := range []string{
		"found in execution 1: 0 preemptions, 3,002 steps:",
		"... 999 rounds like the next 3 rows left out ...\n",
		"  2997  ", "  2998  ", "send chan 1 = 999", "  2999  ",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	if strings.Count(got, "lock mutex 1") != 2 {
		t.Errorf("several rounds are shown in\n%s", got)
	}
	if got := tableOf(entries, failure, Layout{Full: true}); strings.Count(got, "unlock mutex 1") != 1000 {
		t.Error("something is left out when all is to be shown")
	}
}

// TestFewRounds: seven rounds are shown.
func TestFewRounds(t *testing.T) {
	entries, failure := used(loop(leastRounds - 1))
	if got := tableOf(entries, failure, Layout{}); strings.Contains(got, "rounds") || strings.Count(got, "unlock mutex 1") != leastRounds-1 {
		t.Errorf("got\n%s", got)
	}
}

// TestRoundWithPreemption: a preemption is shown, wherever it is in a loop.
func TestRoundWithPreemption(t *testing.T) {
	entries, failure := used(loop(1000))
	entries[1501].Name = "main"
	got := tableOf(entries, failure, Layout{}, 1501)
	for _, part := range []string{"  1500  ", "  1501* ", "... 499 rounds like", "... 498 rounds like"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

// TestOneRow: one step again and again is a row.
func TestOneRow(t *testing.T) {
	entries, failure := used(loop(300))
	for i := range entries[:900] {
		entries[i].Kind, entries[i].Obj, entries[i].Line = trace.OpSignal, "mutex 1", 7
	}
	if got := tableOf(entries, failure, Layout{}); !strings.Contains(got, "... 899 rows like the next one left out ...\n") {
		t.Errorf("got\n%s", got)
	}
}
