package por_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// ownEngine is a researcher's engine: it runs one execution, and what it says of
// itself is nothing that this package knows.
type ownEngine struct{ seed uint64 }

func (*ownEngine) Name() string { return "my own" }

func (*ownEngine) About() trace.About {
	return trace.About{
		Title:    "the first order",
		Counts:   "orders",
		WithSeed: func(seed uint64) trace.Engine { return &ownEngine{seed} },
	}
}

func (e *ownEngine) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	r := p.Start()
	defer r.Close()
	st := trace.Stats{Executions: 1, Steps: int64(e.seed), Exhaustive: true}
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if _, err := r.Step(trace.Choice{G: ops[0].G}); err != nil {
			return st, err
		}
	}
	visit(&trace.Execution{Run: r, Stats: &st})
	return st, nil
}

func TestOptionsRefuse(t *testing.T) {
	for _, test := range []struct {
		o    por.Option
		want string
	}{
		{nil, "option 1 is nil"},
		{por.Engine(nil), "Engine: the engine is nil"},
		{por.Engine((*ownEngine)(nil)), "Engine: the engine is nil"},
		{por.MaxExecutions(0), "MaxExecutions(0): the limit must be at least 1"},
		{por.MaxExecutions(-5), "MaxExecutions(-5)"},
		{por.MaxTime(-time.Second), "MaxTime(-1s): the limit must not be negative"},
		{por.MaxSteps(0), "MaxSteps(0): the limit must be at least 1"},
		{por.Races(77), "Races(77): unknown mode; sched.RaceFail, sched.RaceExplore and sched.RaceIgnore are allowed"},
		{por.Time(9), "Time(9): unknown mode; sched.TimeDiscrete, sched.TimeLag and sched.TimeAnyOrder are allowed"},
		{por.Library("./x"), `Library("./x"): no import path; write it as an import does, such as google.golang.org/grpc, with /... at its end for the packages below`},
		{por.Library("example.com/a", ""), `Library(""): no import path; write it as an import does, such as google.golang.org/grpc, with /... at its end for the packages below`},
		{por.Library("example.com/..." + "/b"), `Library("example.com/.../b"): no import path; write it as an import does, such as google.golang.org/grpc, with /... at its end for the packages below`},
		{por.Model(0x4000), "Model(16384): unknown model; sched.ModelFine and what it consists of are allowed"},
		{por.Start(time.Date(1949, 12, 31, 23, 59, 59, 0, time.UTC)), "Start(1949-12-31 23:59:59 +0000 UTC): the year must be one from 1950 to 2200"},
		{por.Start(time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC)), "Start(2201-01-01"},
		{por.Rand(7), "Rand(7): unknown mode; sched.RandSeeded and sched.RandExplore are allowed"},
		{por.Maps(7), "Maps(7): unknown mode; sched.MapSorted and sched.MapExplore are allowed"},
		{por.Network(7), "Network(7): unknown mode; sched.NetworkLoopback, sched.NetworkReal and sched.NetworkNone are allowed"},
		{por.KeepGoing(0), "KeepGoing(0): the number of failures to collect must be at least 1"},
		{por.Watchdog(0), "Watchdog(0s): the time must be positive"},
		{por.Progress(nil), "Progress: the writer is nil"},
		{por.Progress((*bytes.Buffer)(nil)), "Progress: the writer is nil"},
		{por.Name(""), "Name: the name is empty"},
		{por.Replay(""), "Replay: the replay string is empty"},
		{por.Replay("p1AAAA"), "the replay string is damaged"},
	} {
		_, err := por.Explore(func() { t.Error("the closure runs") }, test.o)
		if err == nil || !strings.HasPrefix(err.Error(), "por: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want %q, got %v", test.want, err)
		}
		check(t, func() { t.Error("the closure runs") }, test.o).wantError(t, test.want)
	}
}

func TestSeedRefused(t *testing.T) {
	_, err := por.Explore(func() { t.Error("the closure runs") }, por.Engine(engine.Optimal{}), por.Seed(1))
	if want := "Seed(1): the engine \"optimal\" draws no random numbers"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want %q, got %v", want, err)
	}
}

func TestOptionsReportsAllMistakes(t *testing.T) {
	_, err := por.Explore(func() {}, por.MaxSteps(-1), por.KeepGoing(-1))
	if err == nil || !strings.Contains(err.Error(), "MaxSteps(-1)") || !strings.Contains(err.Error(), "KeepGoing(-1)") {
		t.Errorf("error is %v", err)
	}
}

func TestOptionsOwnEngine(t *testing.T) {
	res, err := por.Explore(func() {}, por.Engine(&ownEngine{}), por.Seed(5), por.Direct())
	if err != nil {
		t.Fatal(err)
	}
	if res.Stats.Steps != 5 || !res.Exhaustive {
		t.Errorf("result is %+v", res)
	}
	if want := "the only order explored, it does not fail (exhaustive; the first order"; !strings.HasPrefix(res.Verdict.String(), want) {
		t.Errorf("verdict is %q, want %q", res.Verdict, want)
	}
}

// toldEngine says of itself, and of what it has covered, what it is told to.
type toldEngine struct {
	trace.Engine
	about trace.About
	claim string
}

func (e toldEngine) About() trace.About { return e.about }

func (e toldEngine) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := e.Engine.Explore(p, visit)
	stats.Claim = e.claim
	return stats, err
}

// TestVerdictOwnEngine checks that verdicts speak of a researcher's engine as it
// speaks of itself.
func TestVerdictOwnEngine(t *testing.T) {
	var limit time.Duration
	timed := trace.About{WithTime: func(d time.Duration) trace.Engine { limit = d; return engine.DFS{} }}
	for _, test := range []struct {
		engine     trace.Engine
		exhaustive bool
		want       string
	}{
		{toldEngine{Engine: engine.Source{}}, true, "1 execution explored, none fails (exhaustive; source, "},
		{toldEngine{Engine: engine.Source{}, about: trace.About{Title: "mine", Counts: "paths"}}, true, "the only path explored, it does not fail (exhaustive; mine, "},
		{toldEngine{Engine: engine.Random{Executions: 2}, about: trace.About{Random: true}}, false, "NOT exhaustive (drawn at random; random)"},
		{toldEngine{Engine: engine.Source{}, claim: "every trace with at most 1 fence"}, false, ", every trace with at most 1 fence among them, none fails; NOT exhaustive (bounded; source)"},
		{toldEngine{Engine: engine.Source{}, about: timed}, true, "(exhaustive; "},
	} {
		res, err := por.Explore(func() {}, por.Engine(test.engine), por.MaxTime(time.Hour), por.Direct())
		if err != nil || res.Exhaustive != test.exhaustive || !strings.Contains(res.Verdict.String(), test.want) {
			t.Errorf("%v, %v, want %s", res.Verdict, err, test.want)
		}
	}
	if limit != time.Hour {
		t.Errorf("the engine was told of a limit of %v, want an hour", limit)
	}
}
