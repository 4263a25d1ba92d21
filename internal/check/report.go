package check

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/caller"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

// report tells the test what a search has found.
func (h *harness) report(t testing.TB, res *report.Result, err error) {
	t.Helper()
	if u := h.session.Unfit(res, err); u != nil {
		t.(explore.Existing).Unfit(u.Headline, u.Text)
		return
	}
	h.tellBehind(res)
	if res != nil {
		for i, f := range res.Failures {
			heading := ""
			if len(res.Failures) > 1 {
				heading = fmt.Sprintf("failure %d of %d: ", i+1, len(res.Failures))
			}
			t.Errorf("por: %s%s", heading, f.Report)
			if line := f.Diagnosis.Annotation(); line != "" {
				fmt.Println(line)
			}
			record.Add(record.Entry{Package: caller.Tested(), Test: h.session.Where.Name, Failure: explore.ToRecord(&f)})
		}
	}
	if e, ok := t.(explore.Existing); ok && res != nil {
		if h.allSkipped() && len(res.Failures) == 0 {
			e.AllSkipped(h.reason)
		} else {
			e.Explored(res.Verdict)
		}
	}
	if why := h.session.Halted(); why != explore.StopAbandoned {
		for _, note := range h.session.Store.Conclude(res, err == nil && why != explore.StopContext && why != explore.StopInterrupted) {
			t.Logf("por: %s", note)
		}
		h.mended()
	}
	if err != nil {
		t.Errorf("por: %v", err)
		h.record(record.Entry{Class: record.Fails, Reason: format.FirstLine(err.Error())})
	} else {
		t.Logf("por: %s", res.Verdict)
		if more := res.Verdict.Details(); more != "" {
			t.Logf("por: %s", more)
		}
		h.mention(res)
	}
	// Else it is in the way.
	if res != nil && res.Stats.Elapsed > 0 && (testing.Verbose() || len(res.Failures) == 0) {
		t.Logf("por: %s", explore.StatsLine(res.Stats))
		if then := res.Verdict.Then; then != nil {
			how := "by lag"
			switch {
			case then.Options.Plan != "":
				how = "with faults"
			case then.Options.Model != res.Verdict.Options.Model:
				how = "with Reads that join and split"
			case then.Options.OwnPools != res.Verdict.Options.OwnPools:
				how = "with shared Pools"
			case then.Options.Library != res.Verdict.Options.Library:
				how = "with other races inside libraries"
			case then.Options.Time != sched.TimeLag:
				how = fmt.Sprintf("with the random numbers of seed %d", then.Options.Seed)
			}
			t.Logf("por: %s: %s", how, explore.StatsLine(then.Stats))
		}
		if apart := h.session.apart; apart != "" {
			from := h.session.FrontEnd()
			t.Logf("por: explored by one process because the test has an external effect: %s. To use several anyway: %s", apart, from.With(advice.SettingProcesses, "n"))
		}
	}
	h.skip(t)
}

// mention says in one line that a search has left something open, where the log of a test that
// passes is not shown, and tells por test what has come of it.
func (h *harness) mention(res *report.Result) {
	v := &res.Verdict
	e := record.Entry{Class: record.Class(v.Class()), Needs: v.Needs(), Assumed: v.Assumed(), Late: v.Late(), Took: v.Took()}
	if e.Class == "" || !h.record(e) {
		return
	}
	if (e.Class == record.Assuming || e.Class == record.Stopped) && !testing.Verbose() {
		fmt.Printf("por: %s: %s\n", h.session.Where.Name, res.Verdict)
	}
}

// mended tells por test of the saved schedules that fail no longer, and says it where the log of a
// test that passes is not shown.
func (h *harness) mended() {
	s := h.session.Store
	if s == nil || len(s.Mended) == 0 {
		return
	}
	record.Add(record.Entry{Package: caller.Tested(), Test: h.session.Where.Name, Mended: s.Mended})
	if _, ok := h.outer.(explore.Existing); !ok && !testing.Verbose() {
		fmt.Printf("por: %s: %s\n", h.session.Where.Name, strings.Join(s.Mended, "; "))
	}
}

// record tells por test what has come of the Check, and reports whether that was to be told: a
// test that is explored as it is tells it itself, and of one that was skipped nothing has come.
func (h *harness) record(e record.Entry) bool {
	if _, ok := h.outer.(explore.Existing); ok || !explore.IsTest(h.outer) {
		return false
	}
	e.Package, e.Test = caller.Tested(), h.session.Where.Name
	if e.Class != record.Fails && h.allSkipped() {
		record.Add(record.Entry{Package: e.Package, Test: e.Test, Skipped: true, Reason: h.reason})
		return false
	}
	record.Add(e)
	return true
}

// allSkipped reports whether the Check has tested nothing, since every execution was skipped, or
// the closure has skipped the test around it.
func (h *harness) allSkipped() bool {
	return h.skipped > 0 && h.ran == 0 || !h.wasSkipped && h.outer.Skipped()
}

// interrupted ends the process as Ctrl-C does, after the verdict of the search that it has
// stopped.
func interrupted(name string, res *report.Result) {
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
		t.Logf("por: %s of %s skipped%s", format.Grouped(h.skipped), format.Counted(h.ran+h.skipped, "execution"), reason)
		return
	case h.wasSkipped || !t.Skipped():
		return
	}
	t.SkipNow()
}

// tellBehind tells por test what a test leaves behind, or says it itself where that does not run
// the test and the verdict is not shown.
func (h *harness) tellBehind(res *report.Result) {
	if res == nil || len(res.Verdict.Behind) == 0 || !explore.IsTest(h.outer) {
		return
	}
	name := h.session.Where.Name
	if record.Told() {
		record.Add(record.Entry{Package: caller.Tested(), Test: name, Behind: res.Verdict.Behind})
	} else if !testing.Verbose() {
		fmt.Printf("por: %s %s\n", name, h.session.Findings.Remaining.Note(h.session.Leaks.Looks()))
	}
}
