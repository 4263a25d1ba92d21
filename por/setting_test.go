package por

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestFrontEnds looks for settings of the other front end in what is said of settings.
func TestFrontEnds(t *testing.T) {
	session := func(from frontEnd) *session {
		s := newSession(config{engine: engine.Optimal{}, limits: limits{time: time.Second}}, subject{})
		s.begun = time.Now()
		if from == byFlags {
			s.existing()
		}
		return s
	}
	for _, from := range []frontEnd{byOptions, byFlags} {
		wrong, own := "-check.", "por."
		if from == byFlags {
			wrong, own = own, wrong
		}
		var texts []string
		for _, why := range []stopReason{running, stopExecutions, stopTime, stopMemory, stopDeadline} {
			s := session(from)
			s.halt(why)
			v := s.verdict(&Result{Stats: trace.Stats{Executions: 3}}, nil, nil)
			if v.Class() != string(record.Stopped) || v.Needs() == "" {
				t.Errorf("%d: %q, %q", why, v.Class(), v.Needs())
			}
			texts = append(texts, v.String(), v.Needs())
			if err := s.notOne(new(trace.Stats)); err != nil {
				texts = append(texts, err.Error())
			}
		}
		for _, g := range grantings {
			v := Verdict{Covered: true, Cause: Cause{From: from}, Assumptions: []exec.Assumption{{Kind: g.kind, What: g.what}}}
			texts = append(texts, v.Details())
		}
		s := session(from)
		s.state.cut = guard.DefaultSteps
		texts = append(texts, s.unending(&trace.Stats{Executions: 1, MaxDepth: 5}), s.unshown(&trace.Stats{Graph: trace.Graph{Livelocks: 2}}).Error(),
			stuckError(from, time.Second, false, nil).Error())
		s.crammed.Store(true)
		texts = append(texts, s.brokenOff(new(trial.Trial)).Error())
		some := 0
		for _, text := range texts {
			if strings.Contains(text, wrong) || strings.Contains(text, "<nil>") {
				t.Errorf("front end %d is told %q", from, text)
			}
			some += strings.Count(text, own)
		}
		if some < 10 {
			t.Errorf("front end %d is told of %d settings:\n%s", from, some, strings.Join(texts, "\n"))
		}
	}
	for _, x := range []struct {
		from  frontEnd
		s     setting
		value string
		want  string
	}{
		{byOptions, settingSteps, "10_000", "por.MaxSteps(10_000)"},
		{byFlags, settingSteps, "10_000", "-check.steps=10000"},
		{byOptions, settingModel, "sched.ModelLock", "por.Model(sched.ModelLock)"},
		{byFlags, settingModel, "sched.ModelLock", "-check.model=lock"},
		{byOptions, settingTimeout, "1m", "-timeout=1m"},
		{byFlags, settingGrant, "x", ""},
	} {
		if got := x.from.with(x.s, x.value); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}

// TestClass tells the classes of verdicts.
func TestClass(t *testing.T) {
	covered := Verdict{Covered: true, Exhaustive: true}
	assuming := Verdict{Covered: true}
	stopped := Verdict{Limit: "time limit", Cause: Cause{Setting: settingTime}}
	then := func(v, next Verdict) Verdict { v.Then = &next; return v }
	for _, x := range []struct {
		v            Verdict
		class, needs string
	}{
		{covered, "under every schedule", ""},
		{assuming, "with assumptions", ""},
		{stopped, "stopped by a limit", "time: por.MaxTime"},
		{then(assuming, assuming), "with assumptions", ""},
		{then(assuming, covered), "with assumptions", ""},
		{then(covered, assuming), "with assumptions", ""},
		{then(assuming, stopped), "stopped by a limit", "time: por.MaxTime"},
		{then(stopped, assuming), "stopped by a limit", "time: por.MaxTime"},
		{Verdict{Limit: "time limit", Cause: Cause{Setting: settingTime, From: byFlags}}, "stopped by a limit", "time: -check.time"},
		{Verdict{Limit: "interrupted"}, "stopped by a limit", "interrupted"},
		{Verdict{Failures: 1}, "fail", ""},
		{Verdict{Failures: 1, Replayed: true}, "fail", ""},
		{Verdict{Replayed: true}, "", ""},
	} {
		if x.v.Class() != x.class || x.v.Needs() != x.needs {
			t.Errorf("%+v: %q, %q, want %q, %q", x.v, x.v.Class(), x.v.Needs(), x.class, x.needs)
		}
	}
}
