package por

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestFrontEnds looks for settings of the other front end in what is said of settings.
func TestFrontEnds(t *testing.T) {
	session := func(from advice.FrontEnd) *explore.Session {
		s := explore.NewSession(explore.Config{Engine: engine.Optimal{}, Limits: explore.Limits{Time: time.Second}}, explore.Subject{})
		s.Begun = time.Now()
		if from == advice.ByFlags {
			s.Existing()
		}
		return s
	}
	for _, from := range []advice.FrontEnd{advice.ByOptions, advice.ByFlags} {
		wrong, own := "-check.", "por."
		if from == advice.ByFlags {
			wrong, own = own, wrong
		}
		var texts []string
		for _, why := range []explore.StopReason{explore.Running, explore.StopExecutions, explore.StopTime, explore.StopMemory, explore.StopDeadline} {
			s := session(from)
			s.Halt(why)
			v := s.Verdict(&report.Result{Stats: trace.Stats{Executions: 3}}, nil, nil)
			if v.Class() != string(record.Stopped) || v.Needs() == "" {
				t.Errorf("%d: %q, %q", why, v.Class(), v.Needs())
			}
			texts = append(texts, v.String(), v.Needs())
			if err := s.NotOne(new(trace.Stats)); err != nil {
				texts = append(texts, err.Error())
			}
		}
		for _, g := range advice.Assumptions {
			v := report.Verdict{Covered: true, Cause: report.Cause{Flags: from == advice.ByFlags}, Assumptions: []exec.Assumption{{Kind: g.Kind, What: g.What}}}
			texts = append(texts, v.Details())
		}
		s := session(from)
		s.State.Cut = guard.DefaultSteps
		texts = append(texts, s.Unending(&trace.Stats{Executions: 1, MaxDepth: 5}), s.Unshown(&trace.Stats{Graph: trace.Graph{Livelocks: 2}}).Error(),
			explore.StuckError(from, time.Second, false, nil, nil).Error())
		s.Crammed.Store(true)
		texts = append(texts, s.BrokenOff(new(trial.Trial)).Error())
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
		from  advice.FrontEnd
		s     advice.Setting
		value string
		want  string
	}{
		{advice.ByOptions, advice.SettingSteps, "10_000", "por.MaxSteps(10_000)"},
		{advice.ByFlags, advice.SettingSteps, "10_000", "-check.steps=10000"},
		{advice.ByOptions, advice.SettingModel, "sched.ModelLock", "por.Model(sched.ModelLock)"},
		{advice.ByFlags, advice.SettingModel, "sched.ModelLock", "-check.model=lock"},
		{advice.ByOptions, advice.SettingTimeout, "1m", "-timeout=1m"},
		{advice.ByFlags, advice.SettingGrant, "x", ""},
	} {
		if got := x.from.With(x.s, x.value); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}

// TestClass tells the classes of verdicts.
func TestClass(t *testing.T) {
	covered := report.Verdict{Covered: true, Exhaustive: true}
	assuming := report.Verdict{Covered: true}
	stopped := report.Verdict{Limit: "time limit", Cause: report.Cause{Needs: advice.ByOptions.Limit(advice.SettingTime)}}
	then := func(v, next report.Verdict) report.Verdict { v.Then = &next; return v }
	for _, x := range []struct {
		v            report.Verdict
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
		{report.Verdict{Limit: "time limit", Cause: report.Cause{Needs: advice.ByFlags.Limit(advice.SettingTime), Flags: true}}, "stopped by a limit", "time: -check.time"},
		{report.Verdict{Limit: "interrupted"}, "stopped by a limit", "interrupted"},
		{report.Verdict{Failures: 1}, "fail", ""},
		{report.Verdict{Failures: 1, Replayed: true}, "fail", ""},
		{report.Verdict{Replayed: true}, "", ""},
	} {
		if x.v.Class() != x.class || x.v.Needs() != x.needs {
			t.Errorf("%+v: %q, %q, want %q, %q", x.v, x.v.Class(), x.v.Needs(), x.class, x.needs)
		}
	}
}
