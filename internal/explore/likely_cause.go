package explore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file guesses, where a test fails under control whatever the schedule, or cannot be explored,
// what is to blame for that.

// reasons are what is known to make tests fail under control, the likeliest first, by
// what is noted of executions.
var reasons = []struct {
	kind   sched.AssumptionKind
	prefix string
	text   string
}{
	{sched.AssumeCode, "net", "the network is not under control"},
	{sched.AssumeCode, "crypto/tls.", "the network is not under control"},
	{sched.AssumeCode, "os/exec.", "it runs other programs, which are not under control"},
	{sched.AssumeCode, "runtime.", "no finalizer or cleanup runs in an execution, which keeps alive what it has used"},
	{sched.AssumeSource, "weak.", "the garbage collector frees nothing that an execution has used"},
	{sched.AssumeSource, "runtime", "it counts what is allocated, of which control itself does much"},
	{sched.AssumeSource, "testing.", "it counts allocations or takes times, of which nothing can be told under control"},
	{sched.AssumeCode, "", "code ran that is not under control"},
	{sched.AssumeClock, "", "time is not real: it moves on only where a goroutine waits for it"},
	{sched.AssumeVariable, hook.SharedByTests, "tests that run in parallel with it do not run in an execution"},
	{sched.AssumeVariable, hook.LastingFile, "a file outlives executions"},
	{sched.AssumeVariable, "", "a variable outlives executions"},
	{sched.AssumeSource, "", "something may differ from run to run"},
	{sched.AssumeRandom, "", "random numbers come from one seed"},
	{sched.AssumeMapOrder, "", "maps are ranged over in one order"},
	{sched.AssumeModel, "", "a primitive may do more than is explored"},
	{sched.AssumeCount, "", "more is in use than is counted"},
}

// signs are what failures say of their reason.
var signs = []struct{ says, text string }{
	{"file exists", "what one execution leaves in files is there for the next, which draws the same random names"},
	{"address already in use", "the network is not under control, and what has listened may still do"},
}

// signOf says what a failure tells of its reason, "" if it tells nothing.
func signOf(msg string) string {
	for _, x := range signs {
		if strings.Contains(msg, x.says) {
			return x.text
		}
	}
	return ""
}

// likelyReason says what is known to make tests fail under control, "" if nothing was met.
func likelyReason(k trace.FailureKind, msg string, assumptions []exec.Assumption) string {
	if k == trace.FailSteps {
		return "it waits in a loop for what is not under control, unless it goes on for ever without control too"
	}
	if text := signOf(msg); text != "" {
		return text
	}
	for _, r := range reasons {
		met := metOf(assumptions, r.kind, r.prefix)
		if met == "" {
			continue
		}
		text := r.text + met
		if also := metOf(assumptions, sched.AssumeRandom, ""); also != "" && r.kind == sched.AssumeClock {
			text += "; or random numbers come from one seed" + also // which of them, nothing tells
		}
		return text
	}
	return ""
}

// metOf tells the first assumption of a kind, in brackets, "" if there is none.
func metOf(assumptions []exec.Assumption, kind sched.AssumptionKind, prefix string) string {
	i := slices.IndexFunc(assumptions, func(a exec.Assumption) bool { return a.Kind == kind && a.Is(prefix) })
	switch {
	case i < 0:
		return ""
	case assumptions[i].File == "":
		return fmt.Sprintf(" (%s)", assumptions[i].What)
	}
	a := assumptions[i]
	return fmt.Sprintf(" (%s, %s:%d)", a.What, filepath.Base(a.File), a.Line)
}

// Unfit says why a test cannot be explored that knows nothing of package por, nil if it
// can.
func (s *Session) Unfit(res *report.Result, err error) *unfit {
	switch {
	case s.Findings.Tally == nil || s.Script != nil:
		return nil
	case err != nil:
		line, _, _ := strings.Cut(err.Error(), "\n")
		return &unfit{Headline: "cannot be explored: " + line, Text: err.Error()}
	case res == nil:
		return nil
	}
	for _, f := range res.Failures {
		if !f.Unsteady && unfitFor(&f) == nil {
			return nil
		}
	}
	if len(res.Failures) > 0 {
		f := res.Failures[0]
		if u := unfitFor(&f); u != nil {
			return u
		}
		return &unfit{Headline: fmt.Sprintf("fails once, and not when its schedule is run again: %v: %s", f.Kind, f.Msg), Text: f.Report}
	}
	if u := s.Findings.Tally.unfit; u != nil {
		return u
	}
	if v := &res.Verdict; v.Cause.Uncontrolled != "" && v.Stats.Executions <= 1 {
		text := "cannot be explored: " + v.Cause.Uncontrolled + "; one execution has passed"
		return &unfit{Headline: text, Text: text + ".\n" + v.Details()}
	}
	return nil
}

// unfitFor says why a test with this failure cannot be explored, nil if it can: a goroutine waits
// for ever for a timer that is not under control.
func unfitFor(f *report.Failure) *unfit {
	foreign := func(o trace.Outside) bool { return o.Timer }
	waits := func(f trace.Failure) bool { return f.Waits != nil && slices.ContainsFunc(f.Waits.Outside, foreign) }
	if f.Kind != trace.FailDeadlock && f.Kind != trace.FailLeak || !slices.ContainsFunc(f.All, waits) {
		return nil
	}
	return &unfit{Headline: "cannot be explored: it waits for a timer that was made before the test, and is not under control", Text: f.Report}
}
