package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// sleepEnough takes a Sleep for synchronisation.
func sleepEnough() {
	var ready sched.Bool
	sched.Go(func() { ready.Store(true) })
	sched.Sleep(2 * time.Millisecond)
	if !ready.Load() {
		panic("not ready")
	}
}

// What a search in discrete time cannot find, the one by lag that follows it does; the
// replay string knows how time has passed.
func TestThenByLag(t *testing.T) {
	res, err := por.Explore(sleepEnough, por.Name("enough"))
	if err != nil || len(res.Failures) != 1 {
		t.Fatal(res, err)
	}
	f, v := res.Failures[0], res.Verdict
	if f.Msg != "not ready" || f.Time != sched.TimeLag || f.Execution != 2 || !strings.Contains(f.Report, "by lag") {
		t.Errorf("found in execution %d: %s", f.Execution, f.Report)
	}
	if v.Stats.Executions != 1 || v.Then == nil || v.Failures != 1 || !strings.HasPrefix(v.String(), "the only trace explored in discrete time, it does not fail; 1 execution explored by lag of 100ms in ") {
		t.Errorf("verdict: %s", v)
	}
	again, err := por.Explore(sleepEnough, por.Name("enough"), por.Replay(f.Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != f.Msg || again.Verdict.Options.Time != sched.TimeLag {
		t.Errorf("the replay: %v %v", again.Verdict, err)
	}
}

func TestLagVerdict(t *testing.T) {
	patient := func() {
		done := sched.NewChan[int](0)
		sched.Go(func() { done.Send(1) })
		if sched.Select(sched.RecvCase(done, nil, nil), sched.RecvCase(sched.After(time.Second), nil, nil)) == 1 {
			panic("too late")
		}
	}
	for _, test := range []struct {
		name string
		f    func()
		opts []por.Option
		want string // the beginning of the verdict, which has no times in it
	}{
		{"a long timeout", patient, nil, "all 2 traces explored in discrete time, none fails; all 2 traces explored by lag of 100ms, none fails; NOT exhaustive: timers fire in the order of their deadlines (a timer, "},
		{"a long lag", patient, []por.Option{por.Lag(time.Second)}, "all 2 traces explored in discrete time, none fails; 2 executions explored by lag of 1s in"},
		{"by lag only", patient, []por.Option{por.Time(sched.TimeLag)}, "all 2 traces explored by lag of 100ms, none fails; NOT exhaustive: timers"},
		{"discrete only", patient, []por.Option{por.Time(sched.TimeDiscrete)}, "all 2 traces explored, none fails; NOT exhaustive: timers"},
		{"granted", patient, []por.Option{por.Grant(sched.AssumeClock)}, "all 2 traces explored, none fails (exhaustive, granted: timers"},
		{"by lag, granted", patient, []por.Option{por.Time(sched.TimeLag), por.Grant(sched.AssumeClock)}, "all 2 traces explored by lag of 100ms, none fails (exhaustive, granted: timers"},
		{"no time left", sleepEnough, []por.Option{por.MaxExecutions(1)}, "the only trace explored in discrete time, it does not fail; 0 executions explored by lag of 100ms in "},
		{"no timer", func() { _ = sched.Now() }, []por.Option{por.Direct()}, "the only trace explored, it does not fail; NOT exhaustive: timers"},
	} {
		t.Run(test.name, func(t *testing.T) {
			res, err := por.Explore(test.f, test.opts...)
			if err != nil || !strings.HasPrefix(res.Verdict.String(), test.want) {
				t.Errorf("%v, %v\nwant %s", res.Verdict, err, test.want)
			}
		})
	}
	if _, err := por.Explore(patient, por.Lag(0)); err == nil || !strings.Contains(err.Error(), "Lag(0s): the lag must be positive") {
		t.Errorf("a lag of 0: %v", err)
	}
	if _, err := por.Explore(patient, por.Exhaustive()); err == nil || !strings.Contains(err.Error(), "por.Grant(sched.AssumeClock)") {
		t.Errorf("exhaustive: %v", err)
	}
}

// With no lag left time by lag is discrete time.
func TestNoLag(t *testing.T) {
	res, err := por.Explore(sleepEnough, por.Time(sched.TimeLag), por.Lag(time.Millisecond))
	if err != nil || len(res.Failures) > 0 || res.Stats.Executions != 1 {
		t.Error(res.Verdict, err)
	}
	for _, e := range []trace.Engine{engine.Source{}, engine.DFS{}} {
		res, err := por.Explore(sleepEnough, por.Engine(e), por.Time(sched.TimeLag), por.Lag(2*time.Millisecond))
		if err != nil || len(res.Failures) != 1 {
			t.Error(e.Name(), res.Verdict, err)
		}
	}
}
