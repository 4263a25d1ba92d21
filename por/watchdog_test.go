package por_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

func waitOutside(c chan int) { <-c }

func TestWatchdogNamesWhoIsStuck(t *testing.T) {
	release := make(chan int)
	defer close(release)
	end := make(chan struct{})
	defer close(end)
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"main", func() { waitOutside(release) }, []string{"chan receive:", "por_test.waitOutside  watchdog_test.go:"}},
		{"child", func() {
			var mu sched.Mutex
			h := sched.Go(func() {
				mu.Lock()
				waitOutside(release)
			})
			mu.Lock()
			mu.Unlock()
			h.Join()
		}, []string{"chan receive:", "por_test.waitOutside  watchdog_test.go:"}},
		{"loop", func() {
			for {
				select {
				case <-end:
					return
				default:
					runtime.Gosched()
				}
			}
		}, []string{"por_test.TestWatchdogNamesWhoIsStuck.func"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := check(t, test.f, por.Watchdog(50*time.Millisecond))
			o.wantError(t, append(test.want, "an execution has performed no operation for", "stay behind", "Use the primitives of package sched")...)
			if strings.Contains(o.text(), "tRunner") || strings.Contains(o.text(), "por.(*session)") {
				t.Errorf("frames of others are shown:\n%s", o.text())
			}
		})
	}
}

func TestWatchdogLeavesSlowEnginesAlone(t *testing.T) {
	o := check(t, func() {}, por.Engine(slowEngine{}), por.Watchdog(20*time.Millisecond))
	o.wantPass(t)
}

// slowEngine thinks for a while between executions.
type slowEngine struct{ ownEngine }

func (slowEngine) Name() string { return "slow" }

func (slowEngine) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	time.Sleep(150 * time.Millisecond)
	return engine.Optimal{}.Explore(p, visit)
}

// An execution that is going on when the time is over is given up, if there was
// one before.
func TestTimeLimitWithinAnExecution(t *testing.T) {
	for _, e := range []trace.Engine{engine.DFS{}, engine.DPOR{}, engine.Source{}, engine.Optimal{}, engine.Eager{}} {
		res, err := por.Explore(func() {
			if sched.Choose(2) == 1 {
				var v sched.Int64
				for {
					v.Add(1)
				}
			}
		}, por.Engine(e), por.MaxSteps(3_000_000), por.MaxTime(50*time.Millisecond))
		if err != nil || len(res.Failures) > 0 || res.Exhaustive || res.Stats.Executions != 1 || !strings.Contains(res.Verdict.String(), "time limit") {
			t.Errorf("%s: %v\n%+v", e.Name(), err, res)
		}
	}
}

func TestWatchdogBeforeDeadline(t *testing.T) {
	release := make(chan int)
	defer close(release)
	o := inTime(t, 400*time.Millisecond, func(t testing.TB) {
		por.Check(t, func() { waitOutside(release) })
	})
	o.wantError(t, "an execution was still running when the deadline of the test was near", "por_test.waitOutside")
}

func TestWatchdogAfterTheTest(t *testing.T) {
	// What an abandoned execution does later must not reach the test any more.
	release := make(chan int)
	ended := make(chan struct{})
	o := check(t, func(t testing.TB) {
		t.Cleanup(func() { close(ended) })
		waitOutside(release)
		t.Errorf("too late")
	}, por.Watchdog(20*time.Millisecond))
	o.wantError(t, "waitOutside")
	close(release)
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the execution did not go on")
	}
	time.Sleep(20 * time.Millisecond)
	if len(o.errors) != 1 {
		t.Errorf("errors are %q", o.errors)
	}
}

// An execution that was given up is unwound when it can go on, in its turn. What it has deferred may wait
// outside control as well: then others need not wait for it.
func TestWatchdogWhileUnwinding(t *testing.T) {
	machine.Turns.Everyone.Store(true)
	defer machine.Turns.Everyone.Store(false)
	release, unwinding, stay, ended := make(chan int), make(chan bool), make(chan int), make(chan bool)
	o := check(t, func(t testing.TB) {
		t.Cleanup(func() { close(ended) })
		t.Cleanup(func() { waitOutside(stay) })
		t.Cleanup(func() { close(unwinding) })
		waitOutside(release)
		sched.NewChan[int](0).Recv()
	}, por.Watchdog(20*time.Millisecond))
	o.wantError(t, "waitOutside")
	close(release)
	<-unwinding
	for range 2 { // the second when the first has had its turn
		next := make(chan *outerTB, 1)
		go func() { next <- check(t, func() {}) }()
		select {
		case o := <-next:
			o.wantPass(t, "the only trace explored")
		case <-time.After(time.Minute):
			close(stay)
			t.Fatal("waits for what is unwound")
		}
	}
	close(stay)
	<-ended
}

// On a busy machine the first execution may not be over when the time is, so there are further attempts.
func TestCheckMinimisesInTime(t *testing.T) {
	// The schedule is long, so that minimising takes long.
	search := func(t testing.TB) {
		por.Check(t, func() {
			const n, turns = 3, 1000
			v := sched.NewVar(0)
			var done sched.WaitGroup
			for range n {
				done.Go(func() {
					for range turns {
						v.Store(v.Load() + 1)
					}
				})
			}
			if done.Wait(); v.Load() != n*turns {
				panic("lost an update")
			}
		}, por.Engine(engine.Random{}), por.Races(sched.RaceExplore))
	}
	left := 2 * time.Second
	o := inTime(t, left, search)
	for left < time.Minute && !strings.Contains(o.text(), "panic: lost an update") {
		left *= 4
		o = inTime(t, left, search)
	}
	o.wantError(t, "panic: lost an update")
}

// inTime calls f with a test that has time left until its deadline, and fails t
// unless f ends before that. A busy machine may stop f for any length of time, so
// that it gets further attempts, each with twice the time.
func inTime(t *testing.T, left time.Duration, f func(testing.TB)) *outerTB {
	t.Helper()
	for range 5 {
		begin := time.Now()
		o := withinTB(&outerTB{TB: t, name: "TestInner", deadline: begin.Add(left)}, f)
		took := time.Since(begin)
		if took <= left {
			return o
		}
		t.Logf("took %v of %v", took, left)
		left *= 2
	}
	t.Fatal("never done before the deadline")
	return nil
}
