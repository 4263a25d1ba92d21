package por_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// The context of a test is cancelled when its function returns, so that those who
// wait for it are not left behind, and not before.
func TestCheckContextEnds(t *testing.T) {
	check(t, func(t testing.TB) {
		ctx := por.TestContext(t)
		late, _ := sched.WithTimeout(ctx, time.Hour)
		ended := sched.NewChan[error](2)
		sched.Go(func() { ctx.Done().Recv2(); ended.Send(ctx.Err()) })
		sched.Go(func() { late.Done().Recv2(); ended.Send(late.Err()) })
		t.Cleanup(func() {
			if ctx.Err() == nil || t.Context().Err() == nil {
				t.Error("alive in Cleanup")
			}
			for range 2 {
				if err := ended.Recv(); err != context.Canceled {
					t.Error(err)
				}
			}
		})
		if ctx.Err() != nil || late.Err() != nil {
			t.Error("cancelled early")
		}
	}, por.Grant(sched.AssumeClock)).wantPass(t, "traces explored, none fails (exhaustive")
	check(t, func() {
		ctx := por.TestContext(t)
		sched.Go(func() { ctx.Done().Recv2() })
	}).wantError(t, "goroutine leak")
	// A goroutine that is not under control can wait as well.
	ended := make(chan error, 10)
	check(t, func(t testing.TB) {
		started := make(chan bool)
		go func() {
			ctx := t.Context()
			close(started)
			<-ctx.Done()
			ended <- ctx.Err()
		}()
		<-started
	}).wantPass(t)
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
}

// contextEngines have to agree on what depends on the end of the test.
var contextEngines = []trace.Engine{engine.DFS{}, engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.Eager{}}

// The end of the test's function is an event like any other, in all executions
// of a test that uses its context in some: what sees it and what does not are
// both explored.
func TestCheckContextIsConcurrent(t *testing.T) {
	seen := func(t *testing.T, e trace.Engine, late bool) (outcomes []string, log string) {
		found := map[string]bool{}
		o := check(t, func(t testing.TB) {
			skip := late && sched.Choose(3) < 2
			out := "no context"
			t.Cleanup(func() { found[out] = true })
			done := sched.NewChan[bool](0)
			sched.Go(func() {
				if !skip {
					out = fmt.Sprint(por.TestContext(t).Err())
				}
				done.Send(true)
			})
			t.Cleanup(func() { done.Recv() })
		}, por.Engine(e), por.Races(sched.RaceIgnore))
		o.wantPass(t, "(exhaustive")
		for x := range found {
			outcomes = append(outcomes, x)
		}
		slices.Sort(outcomes)
		return outcomes, o.text()
	}
	for _, e := range contextEngines {
		for late, want := range map[bool][]string{false: {"<nil>", "context canceled"}, true: {"<nil>", "context canceled", "no context"}} {
			if got, log := seen(t, e, late); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v\n%s", e.Name(), got, want, log)
			}
		}
	}
	if _, log := seen(t, engine.Optimal{}, true); !strings.Contains(log, "all 4 traces") {
		t.Errorf("not two choices without a context and two orders with one:\n%s", log)
	}
}

// What fails because the context has ended is replayed in a process that has not
// seen the test ask for it.
func TestCheckContextReplay(t *testing.T) {
	f := func(t testing.TB) {
		gone := sched.NewVar(false)
		ctx := por.TestContext(t)
		t.Cleanup(func() { ctx.Err() })
		sched.Go(func() {
			if ctx.Err() != nil {
				t.Error("came too late")
			}
			gone.Store(true)
		})
	}
	o := check(t, f)
	o.wantError(t, "came too late", "cancel ctx")
	if strings.Contains(o.text(), "testctx") || strings.Contains(o.text(), "check.go") || strings.Contains(o.text(), "check_tb.go") {
		t.Errorf("the cancellation is shown at a line of ours:\n%s", o.text())
	}
	m := regexp.MustCompile(`POR_REPLAY=(\S+)`).FindStringSubmatch(o.errors[0])
	check(t, f, por.Replay(m[1])).wantError(t, "came too late")
}

func TestCheckSkips(t *testing.T) {
	outcome := func(f any) (skipped, after bool, o *outerTB) {
		o = within(t, func(outer testing.TB) {
			if g, ok := f.(func(testing.TB, testing.TB)); ok {
				f = func(tb testing.TB) { g(outer, tb) }
			}
			if g, ok := f.(func(*outerTB)); ok {
				f = func() { g(outer.(*outerTB)) }
			}
			por.Check(outer, f)
			after = true
		})
		return o.Skipped(), after, o
	}
	other := func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Send(1) })
		c.Recv()
	}
	for _, test := range []struct {
		name           string
		f              any
		skipped, fails bool
		log            string // has this
	}{
		{"always", func(t testing.TB) { other(); t.Skipf("no %s", "need") }, true, false, "por: every execution was skipped: no need"},
		{"without a reason", func(t testing.TB) { t.SkipNow() }, true, false, "por: every execution was skipped"},
		{"in a goroutine", func(t testing.TB) { sched.Go(func() { t.Skip("there") }).Join() }, true, false, "por: every execution was skipped: there"},
		{"sometimes", func(t testing.TB) {
			if sched.Choose(5) < 2 {
				t.Skip("no", "luck")
			}
		}, false, false, "por: 2 of 5 executions skipped: no luck"},
		{"never", func(t testing.TB) { other() }, false, false, "the only trace explored, it does not fail"},
		{"failing", func(t testing.TB) { t.Error("wrong"); t.Skip("too late") }, false, true, "too late"},
		{"failing elsewhere", func(t testing.TB) {
			if sched.Choose(2) == 0 {
				t.Skip("here")
			}
			t.Error("wrong")
		}, false, true, "wrong"},
		{"around", func(o *outerTB) { other(); o.Skip("outside") }, true, false, "outside"},
		{"around, sometimes", func(o *outerTB) {
			if sched.Choose(3) == 1 {
				o.Skip("outside")
			}
		}, true, false, "all 3 traces explored"},
		{"around, failing", func(o *outerTB) {
			if sched.Choose(3) == 1 {
				o.Skip("outside")
			}
			panic("wrong")
		}, false, true, "wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			skipped, after, o := outcome(test.f)
			if o.Failed() != test.fails || !test.fails && (skipped != test.skipped || after == test.skipped) {
				t.Errorf("failed: %v; skipped: %v; went on: %v\n%s", o.Failed(), skipped, after, o.text())
			}
			if !strings.Contains(o.text(), test.log) {
				t.Errorf("the log lacks %q:\n%s", test.log, o.text())
			}
		})
	}
}
