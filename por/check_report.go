package por

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/sched"
)

// report tells the test what a search has found.
func (h *harness) report(t testing.TB, res *Result, err error) {
	t.Helper()
	if u := h.session.unfit(res, err); u != nil {
		t.(existing).Unfit(u.headline, u.text)
		return
	}
	if e, ok := t.(existing); ok && res != nil {
		e.Explored(res.Verdict)
	}
	h.tellBehind(res)
	if res != nil {
		for i, f := range res.Failures {
			heading := ""
			if len(res.Failures) > 1 {
				heading = fmt.Sprintf("failure %d of %d: ", i+1, len(res.Failures))
			}
			t.Errorf("por: %s%s", heading, f.Report)
			if line := f.Diagnosis.annotation(); line != "" {
				fmt.Println(line)
			}
			record.Add(record.Entry{Package: testPackage(), Test: h.session.where.name, Failure: f.toRecord()})
		}
	}
	if why := h.session.halted(); why != stopAbandoned {
		for _, note := range h.session.store.conclude(res, err == nil && why != stopContext && why != stopInterrupted) {
			t.Logf("por: %s", note)
		}
	}
	if err != nil {
		t.Errorf("por: %v", err)
	} else {
		t.Logf("por: %s", res.Verdict)
		if more := res.Verdict.Details(); more != "" {
			t.Logf("por: %s", more)
		}
		h.mention(res)
	}
	if res != nil && res.Stats.Elapsed > 0 && (testing.Verbose() || len(res.Failures) == 0) { // else it is in the way
		t.Logf("por: %s", statsLine(res.Stats))
		if then := res.Verdict.Then; then != nil {
			how := "by lag"
			if then.Options.Time != sched.TimeLag {
				how = fmt.Sprintf("with the random numbers of seed %d", then.Options.Seed)
			}
			t.Logf("por: %s: %s", how, statsLine(then.Stats))
		}
		if apart := h.session.apart; apart != "" {
			t.Logf("por: explored by one process, since others would feel %s; por.Processes, or -check.processes, says that they may", apart)
		}
	}
	h.skip(t)
}

// mention says in one line that a search was not exhaustive, where the log of a test that
// passes is not shown, and tells por test what has come of it.
func (h *harness) mention(res *Result) {
	if res.Verdict.Replayed || !isTest(h.outer) {
		return
	}
	if _, ok := h.outer.(existing); ok {
		return // which has been told
	}
	class := record.Explored
	switch {
	case len(res.Failures) > 0:
		class = record.Fails
	case res.Exhaustive:
		class = record.Exhausted
	}
	record.Add(record.Entry{Class: class, Package: testPackage(), Test: h.session.where.name})
	if class == record.Explored && !testing.Verbose() {
		fmt.Printf("por: %s: %s\n", h.session.where.name, res.Verdict)
	}
}

// interrupted ends the process as Ctrl-C does, after the verdict of the search that it has
// stopped.
func interrupted(name string, res *Result) {
	text := fmt.Sprintf("por: %s: interrupted", name)
	if res != nil {
		text = fmt.Sprintf("por: %s: %s", name, res.Verdict)
		for _, f := range res.Failures {
			text += "\n" + f.Report
		}
	}
	if s := terminal.Open(); s != nil {
		s.Say(text)
	} else {
		fmt.Fprintln(os.Stderr, text)
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(os.Interrupt) == nil {
		time.Sleep(time.Second)
	}
	os.Exit(130)
}

// skip ends the test around a Check as skipped if nothing was tested: every
// execution was skipped, or the closure has skipped that test itself.
func (h *harness) skip(t testing.TB) {
	t.Helper()
	if t.Failed() {
		return
	}
	reason := ""
	if h.reason != "" {
		reason = ": " + h.reason
	}
	switch {
	case h.skipped > 0 && h.ran == 0:
		t.Logf("por: every execution was skipped%s", reason)
	case h.skipped > 0:
		t.Logf("por: %s of %s skipped%s", group(h.skipped), counted(h.ran+h.skipped, "execution"), reason)
		return
	case h.wasSkipped || !t.Skipped():
		return
	}
	t.SkipNow()
}
