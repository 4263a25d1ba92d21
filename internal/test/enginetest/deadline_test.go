package enginetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// outcomes returns the results of f that an engine comes upon, in any-order time.
func outcomes(t *testing.T, e trace.Engine, f func() string) []string {
	t.Helper()
	var result string
	c := exec.New(func() { result = ""; result = f() }, exec.Options{Time: sched.TimeAnyOrder, AllowLeaks: true})
	defer c.Shutdown()
	var all []string
	stats, err := e.Explore(trace.CheckLaws(c), func(x *trace.Execution) bool {
		if !x.Blocked && !x.Pruned && !slices.Contains(all, result) {
			all = append(all, result)
		}
		return true
	})
	if err != nil || !stats.Exhaustive {
		t.Errorf("%s: %v, %+v", e.Name(), err, stats)
	}
	slices.Sort(all)
	return all
}

// early says whether a deadline has passed before a clock, which is another
// goroutine's, was read.
func early(ctx sched.Context, now time.Duration) string {
	return fmt.Sprint(now, " ", ctx.Err() == context.DeadlineExceeded)
}

// elapsed returns the time since the beginning.
func elapsed() time.Duration { return sched.Since(hook.StartTime()) }

// TestDeadlineOutcomes has programs in which a context that has a deadline is
// cancelled while somebody else reads the clock. A cancel that comes first takes
// the clock from the firing of the deadline.
func TestDeadlineOutcomes(t *testing.T) {
	for name, f := range map[string]func() string{
		"stop and cancel": func() string {
			ctx, cancel := sched.WithCancel(sched.Background())
			stop := sched.ContextAfterFunc(ctx, func() {})
			late, _ := sched.WithTimeout(ctx, time.Second)
			var now time.Duration
			a := sched.Go(func() { stop(); cancel() })
			b := sched.Go(func() { sched.Sleep(time.Second); now = elapsed() })
			a.Join()
			b.Join()
			return early(late, now)
		},
		"look and cancel": func() string {
			ctx, cancel := sched.WithCancel(sched.Background())
			var fired sched.Int64
			sched.ContextAfterFunc(ctx, func() { fired.Add(1) })
			late, _ := sched.WithTimeout(ctx, time.Second)
			var before int64
			var now time.Duration
			a := sched.Go(func() { before = fired.Load(); cancel() })
			b := sched.Go(func() { now = elapsed() })
			after := fired.Load()
			a.Join()
			b.Join()
			return fmt.Sprint(early(late, now), before, after)
		},
		"cancel": func() string {
			ctx, cancel := sched.WithCancel(sched.Background())
			late, _ := sched.WithTimeout(ctx, time.Second)
			var now time.Duration
			a := sched.Go(cancel)
			b := sched.Go(func() { now = elapsed() })
			err := late.Err()
			a.Join()
			b.Join()
			return fmt.Sprint(early(late, now), err)
		},
		"cancel the child": func() string {
			ctx, cancel := sched.WithTimeout(sched.Background(), time.Second)
			late, end := sched.WithTimeout(ctx, time.Second/2)
			var n sched.Int64
			var now time.Duration
			a := sched.Go(func() { n.Add(1); end() })
			b := sched.Go(func() { now = elapsed() })
			seen := n.Load()
			a.Join()
			b.Join()
			cancel()
			return fmt.Sprint(early(ctx, now), early(late, now), seen)
		},
	} {
		want := outcomes(t, engine.DFS{}, f)
		if len(want) < 3 {
			t.Errorf("%s: only %q", name, want)
		}
		for _, s := range complete {
			if got := outcomes(t, s.Engine, f); !slices.Equal(got, want) {
				t.Errorf("%s: dfs finds %q, and %s %q", name, want, s.name(), got)
			}
		}
	}
}
