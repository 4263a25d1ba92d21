package por_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// tickets has n goroutines that draw numbers one after the other. It fails if fails says so of the
// numbers that they have drawn.
func tickets(n int, fails func(drawn []int) bool) func() {
	return func() {
		next := sched.NewVar(0)
		var mu sched.Mutex
		var wg sched.WaitGroup
		drawn := make([]int, n)
		for i := range n {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				drawn[i] = next.Load()
				next.Store(drawn[i] + 1)
			})
		}
		if wg.Wait(); fails(drawn) {
			panic("drawn in the wrong order")
		}
	}
}

// explored runs a search that is to come to an end without an error.
func explored(t *testing.T, f func(), opts ...por.Option) *report.Result {
	t.Helper()
	res, err := por.Explore(f, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestWorkers has as many workers come to what one comes to.
func TestWorkers(t *testing.T) {
	defer por.MinimiseFully()()
	for name, fails := range map[string]func([]int) bool{
		"none":  func([]int) bool { return false },
		"some":  func(drawn []int) bool { return drawn[0] == 4 && drawn[1] == 2 },
		"one":   func(drawn []int) bool { return drawn[0] == 4 && drawn[1] == 3 && drawn[2] == 0 && drawn[3] == 2 },
		"first": func([]int) bool { return true },
	} {
		f := tickets(5, fails)
		want := explored(t, f, por.Engine(engine.Reverse{}), por.Name("tickets"))
		if name == "none" != (want.Stats.Executions == 120) {
			t.Errorf("%s: one worker needs %d executions", name, want.Stats.Executions)
		}
		for n := 1; n <= 8; n++ {
			got := explored(t, f, por.Engine(engine.Reverse{}), por.Workers(n), por.Name("tickets"))
			if got.Stats.Executions != want.Stats.Executions || got.Exhaustive != want.Exhaustive || len(got.Failures) != len(want.Failures) {
				t.Errorf("%s: %d workers: %d executions, exhaustive %v, %d failures; one: %d, %v, %d", name, n,
					got.Stats.Executions, got.Exhaustive, len(got.Failures), want.Stats.Executions, want.Exhaustive, len(want.Failures))
				continue
			}
			for i, f := range got.Failures {
				if g := want.Failures[i]; f.Execution != g.Execution || f.Replay != g.Replay || f.Msg != g.Msg {
					t.Errorf("%s: %d workers: execution %d fails: %v %s; one: %d, %v, %s", name, n, f.Execution, f.Msg, f.Replay, g.Execution, g.Msg, g.Replay)
				}
			}
		}
	}
}

// TestWorkersLimits ends searches of several workers early.
func TestWorkersLimits(t *testing.T) {
	f := tickets(9, func([]int) bool { return false })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var runs atomic.Int32
	cancels := func() {
		if runs.Add(1) == 200 {
			cancel()
		}
		f()
	}
	for _, x := range []struct {
		f      func()
		option por.Option
		want   string
	}{
		{f, por.MaxExecutions(500), "execution limit"},
		{f, por.MaxTime(100 * time.Millisecond), "time limit"},
		{cancels, por.Context(ctx), "the context is done"},
	} {
		res := explored(t, x.f, por.Workers(3), x.option)
		if v := res.Verdict.String(); res.Exhaustive || !strings.Contains(v, x.want) {
			t.Errorf("%s: %s", x.want, v)
		}
		if x.want == "execution limit" && res.Stats.Executions != 500 {
			t.Errorf("%d executions at a limit of 500", res.Stats.Executions)
		}
	}
}

// TestWorkersAssume has the verdict of several workers say what only some executions take for granted.
func TestWorkersAssume(t *testing.T) {
	f := func() {
		x := sched.NewVar(0)
		sched.Go(func() { x.Store(1) })
		sched.Go(func() { x.Store(2) })
		sched.Go(func() {
			if x.Load() == 1 {
				sched.Sleep(time.Second)
			}
		})
	}
	for n := 1; n <= 3; n++ {
		res := explored(t, f, por.Engine(engine.Reverse{}), por.Workers(n), por.Races(sched.RaceExplore))
		if v := res.Verdict.String(); !strings.Contains(v, "by lag") {
			t.Errorf("%d workers: %s", n, v)
		}
	}
}

// TestOneWorker names why there is one only.
func TestOneWorker(t *testing.T) {
	f := tickets(3, func([]int) bool { return false })
	if v := explored(t, f, por.Workers(2), por.KeepGoing(2)).Verdict.String(); !strings.HasSuffix(v, "; one worker: several failures were asked for") {
		t.Error(v)
	}
	res, err := por.ExploreProgram(exec.New(f, exec.Options{}), por.Workers(2))
	if err != nil {
		t.Fatal(err)
	}
	if v := res.Verdict.String(); !strings.HasSuffix(v, "; one worker: what is explored cannot be run several times at once") {
		t.Error(v)
	}
	if v := explored(t, f, por.Workers(2)).Verdict.String(); strings.Contains(v, "worker") {
		t.Error(v)
	}
}

// TestWorkersShared has workers explore closures that share a lock, although they should not:
// their executions take turns.
func TestWorkersShared(t *testing.T) {
	var mu sched.Mutex
	f := func() {
		var wg sched.WaitGroup
		n := 0 // workers run f at the same time
		for range 4 {
			wg.Go(func() {
				mu.Lock()
				n++
				mu.Unlock()
			})
		}
		wg.Wait()
	}
	for workers := 1; workers <= 3; workers++ {
		if res := explored(t, f, por.Workers(workers)); !res.Exhaustive || res.Stats.Executions != 24 {
			t.Errorf("%d workers: %s", workers, res.Verdict)
		}
	}
}

// TestWorkersStuck has the execution of a worker wait for what is not under control.
func TestWorkersStuck(t *testing.T) {
	never := make(chan bool)
	defer close(never)
	f := tickets(4, func(drawn []int) bool {
		if drawn[0] == 3 && drawn[1] == 1 {
			<-never
		}
		return false
	})
	if _, err := por.Explore(f, por.Workers(3), por.Watchdog(300*time.Millisecond)); err == nil || !strings.Contains(err.Error(), "has performed no operation") {
		t.Errorf("%v", err)
	}
}
