package por_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// assumer is a transition system that takes something for granted.
type assumer struct {
	tally
	met []exec.Assumption
}

func (p *assumer) Assumptions() []exec.Assumption { return p.met }

// wantVerdict compares a verdict, but for the time that it tells.
func wantVerdict(t *testing.T, v report.Verdict, want string) {
	t.Helper()
	v.Stats.Elapsed = 12 * time.Millisecond
	if got := v.String(); got != want {
		t.Errorf("verdict is\n%s\nwant\n%s", got, want)
	}
}

func TestVerdictOfProgram(t *testing.T) {
	sleep := exec.Assumption{Kind: sched.AssumeClock, What: "time.Sleep", File: "/src/x_test.go", Line: 12}
	tick := exec.Assumption{Kind: sched.AssumeClock, What: "time.Tick", File: "/src/x_test.go", Line: 9}
	keys := exec.Assumption{Kind: sched.AssumeMapOrder, What: "range over a map[string]int", File: "/src/y.go", Line: 3}
	cgo := exec.Assumption{Kind: sched.AssumeCode, What: "a goroutine of package x"}
	for _, test := range []struct {
		met        []exec.Assumption
		opts       []por.Option
		n          int
		exhaustive bool
		want       string
		details    []string // in that order
	}{
		{nil, nil, 1, true, "the only trace explored, it does not fail (exhaustive; optimal DPOR, 12ms)", nil},
		{[]exec.Assumption{sleep}, nil, 1, false,
			"the only trace explored, it does not fail; NOT exhaustive: timers fire in the order of their deadlines (time.Sleep, x_test.go:12) (optimal DPOR, 12ms)",
			[]string{"this takes for granted:\n", "that timers fire in the order of their deadlines, and only when no goroutine can run, because of\n", "time.Sleep (x_test.go:12)\n", "por.Time(sched.TimeAnyOrder)", "por.Grant(sched.AssumeClock)"}},
		{[]exec.Assumption{sleep, keys, tick, cgo}, nil, 1, false,
			"the only trace explored, it does not fail; NOT exhaustive: code runs that is not under control (a goroutine of package x), and 3 more (optimal DPOR, 12ms)",
			[]string{"a goroutine of package x\n", "por.Grant(sched.AssumeCode)", "range over a map[string]int (y.go:3)\n", "por.Maps", "por.Grant(sched.AssumeMapOrder)", "time.Sleep (x_test.go:12)\n", "time.Tick (x_test.go:9)\n", "por.Grant(sched.AssumeClock)"}},
		{[]exec.Assumption{sleep, keys}, []por.Option{por.Grant(sched.AssumeMapOrder)}, 1, false,
			"the only trace explored, it does not fail; NOT exhaustive: timers fire in the order of their deadlines (time.Sleep, x_test.go:12) (optimal DPOR, 12ms)",
			[]string{"maps are ranged over (granted), because of", "time.Sleep"}},
		{[]exec.Assumption{sleep, keys, tick}, []por.Option{por.Exhaustive(), por.Grant(sched.AssumeMapOrder, sched.AssumeRandom), por.Grant(sched.AssumeClock)}, 1, true,
			"the only trace explored, it does not fail (exhaustive, granted: maps are ranged over in one order, timers fire in the order of their deadlines; optimal DPOR, 12ms)",
			[]string{"(granted)", "(granted)"}},
		{nil, []por.Option{por.Grant(sched.AssumeClock)}, 1, true, "the only trace explored, it does not fail (exhaustive; optimal DPOR, 12ms)", nil},
		{[]exec.Assumption{sleep}, []por.Option{por.MaxExecutions(1), por.Engine(engine.DFS{})}, 1, false,
			"1 execution explored in 12ms, none fails; NOT exhaustive (execution limit; depth-first search)",
			[]string{"time.Sleep (x_test.go:12)\n"}},
		{[]exec.Assumption{sleep}, []por.Option{por.Engine(engine.DFS{})}, 2, false,
			"2 executions explored in 12ms, a failure was found (depth-first search)", nil},
	} {
		p := &assumer{tally{n: test.n}, test.met}
		res, err := por.ExploreProgram(p, test.opts...)
		if err != nil {
			t.Error(err)
			continue
		}
		wantVerdict(t, res.Verdict, test.want)
		if res.Exhaustive != test.exhaustive || res.Verdict.Exhaustive != test.exhaustive || len(res.Verdict.Assumptions) != len(test.met) {
			t.Errorf("%s: exhaustive %v, %v", test.want, res.Exhaustive, res.Verdict.Assumptions)
		}
		details := res.Verdict.Details()
		if len(test.details) == 0 && details != "" {
			t.Errorf("%s: details are\n%s", test.want, details)
		}
		for rest := details; len(test.details) > 0; test.details = test.details[1:] {
			_, after, ok := strings.Cut(rest, test.details[0])
			if !ok {
				t.Errorf("%q is missing, or comes too early, in\n%s", test.details[0], details)
			}
			rest = after
		}
	}
}

// Exhaustive refuses what is not granted, and says how to go on.
func TestExhaustiveRefusesAssumptions(t *testing.T) {
	f := func(kind sched.AssumptionKind, what string) func() {
		return func() { sched.Assume(kind, what) }
	}
	o := check(t, f(sched.AssumeRandom, "a die"), por.Direct(), por.Exhaustive(), por.Grant(sched.AssumeClock))
	o.wantError(t, "NOT exhaustive: random numbers come from one seed (a die, verdict_test.go:", "the option Exhaustive requires more: explore what is taken for granted, or grant it", "por.Rand(sched.RandExplore); to take it for granted: por.Grant(sched.AssumeRandom)")
	o = check(t, f(sched.AssumeRandom, "a die"), por.Direct(), por.Exhaustive(), por.Grant(sched.AssumeRandom))
	o.wantPass(t, "(exhaustive, granted: random numbers come from one seed; optimal DPOR, ", "because of\n      a die (verdict_test.go:")
	o = check(t, f(sched.AssumeSource, "a coin"), por.Direct())
	o.wantPass(t, "NOT exhaustive: a value may differ from run to run (a coin, verdict_test.go:", "this takes for granted:\n", "sched.Choose")
	o = check(t, f(sched.AssumeModel, "a pool"), por.Direct())
	o.wantPass(t, "to explore all of it: por.Model(sched.ModelFine); to take it for granted: por.Grant(sched.AssumeModel)")
	o = check(t, f(sched.AssumeCount, "a crowd"), por.Direct())
	o.wantPass(t, "NOT exhaustive: more is in use than is counted (a crowd, verdict_test.go:", "to be rid of it: let fewer of them be in use at a time; to take it for granted: por.Grant(sched.AssumeCount)")
}

// What only the first execution meets counts, and what only the last one does.
func TestAssumptionsOfAnyExecution(t *testing.T) {
	for alt := range 3 {
		res, err := por.Explore(func() {
			if sched.Choose(3) == alt {
				sched.Assume(sched.AssumeModel, "a pool that drops")
			}
		})
		if err != nil || res.Exhaustive || !res.Verdict.Covered || len(res.Verdict.Assumptions) != 1 {
			t.Errorf("alternative %d: %v, %v", alt, res.Verdict, err)
		}
	}
}

func TestVerdictOfModes(t *testing.T) {
	res, err := por.Explore(writers(2), por.Races(sched.RaceIgnore), por.Time(sched.TimeAnyOrder), por.Engine(engine.Source{}))
	if err != nil || !res.Exhaustive {
		t.Fatal(res, err)
	}
	wantVerdict(t, res.Verdict, "the only trace explored, it does not fail (exhaustive, granted: data races are ignored; source-DPOR, 12ms)")
	if o := res.Verdict.Options; o.Races != sched.RaceIgnore || o.Time != sched.TimeAnyOrder || res.Verdict.Engine != "source" {
		t.Errorf("%+v", res.Verdict)
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(res.Verdict); err != nil || !strings.Contains(b.String(), `"Exhaustive":true`) {
		t.Errorf("%v: %s", err, &b)
	}
}

func TestVerdictOfReplay(t *testing.T) {
	res, err := por.Explore(abba, por.Name("abba"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := por.Explore(abba, por.Name("abba"), por.Replay(res.Failures[0].Replay))
	if err != nil || !again.Verdict.Replayed || again.Verdict.Stats.Steps != 4 {
		t.Errorf("%+v, %v", again, err)
	}
	wantVerdict(t, again.Verdict, "replayed 4 steps; the execution fails")
}
