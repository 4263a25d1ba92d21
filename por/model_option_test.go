package por_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// impatient polls n times, or for ever if n is 0.
func impatient(n int) func() {
	return func() {
		var flag sched.Bool
		sched.Go(func() { flag.Store(true) })
		for i := 0; n == 0 || i < n; i++ {
			if flag.Load() {
				return
			}
			sched.Gosched()
		}
		panic("gave up")
	}
}

// TestModelUnfair finds that a loop may give up, whatever the engine, and does not
// call a search exhaustive that had to leave a loop.
func TestModelUnfair(t *testing.T) {
	effort.Computes(t)
	unfair := por.Model(sched.ModelUnfair)
	for _, e := range fairEngines {
		few := []por.Option{por.Engine(e), por.MaxExecutions(300)}
		if res, err := por.Explore(impatient(4), few...); err != nil || len(res.Failures) > 0 {
			t.Errorf("%s: usually %v, %v", e.Name(), res.Failures, err)
		}
		res, err := por.Explore(impatient(4), append(few, unfair)...)
		if err != nil || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Msg, "gave up") {
			t.Errorf("%s: unfairly %v, %v", e.Name(), res.Failures, err)
		}
		res, err = por.Explore(impatient(0), append(few, unfair)...)
		if err != nil || len(res.Failures) > 0 || res.Exhaustive || strings.Contains(res.Verdict.String(), " (exhaustive)") {
			t.Errorf("%s: for ever %v, %v, %s", e.Name(), res.Failures, err, res.Verdict)
		}
	}
	res, err := por.Explore(impatient(0), unfair, por.MaxSteps(1000), por.MaxExecutions(5000))
	if err != nil || len(res.Failures) > 0 || res.Exhaustive || !strings.Contains(res.Verdict.String(), "unfair") {
		t.Errorf("%v, %v, %s", res.Failures, err, res.Verdict)
	}
}

// TestReplayOfContexts replays a failure in the middle of cancelling a tree.
func TestReplayOfContexts(t *testing.T) {
	f := func() {
		root, cancel := sched.WithCancel(sched.Background())
		a, _ := sched.WithCancel(root)
		b, _ := sched.WithCancel(root)
		sched.Go(cancel)
		if b.Done().Recv(); a.Err() == nil {
			panic("a lives on")
		}
	}
	res, err := por.Explore(f, por.Name("contexts"))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%v, %v", res.Failures, err)
	}
	again, err := por.Explore(f, por.Name("contexts"), por.Replay(res.Failures[0].Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != res.Failures[0].Msg {
		t.Errorf("%v, %v", again.Failures, err)
	}
	if text := res.Failures[0].Report; !strings.Contains(text, "cancel 3\n") {
		t.Errorf("the cancelling of context 3 is not shown:\n%s", text)
	}
}
