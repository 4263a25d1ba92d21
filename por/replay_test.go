package por

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// twoLocks is a closure for replays: a child and main take two locks; extra adds
// an operation before main's second lock.
func twoLocks(extra bool) func() {
	return func() {
		var a, b sched.Mutex
		n := sched.NewVar(0)
		h := sched.Go(func() {
			b.Lock()
			a.Lock()
			a.Unlock()
			b.Unlock()
		})
		a.Lock()
		if extra {
			n.Load()
		}
		b.Lock()
		b.Unlock()
		a.Unlock()
		h.Join()
	}
}

func TestReplayDivergence(t *testing.T) {
	name := Name("two locks")
	explore := Races(sched.RaceExplore)
	res, err := Explore(twoLocks(false), name)
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	replay := Replay(res.Failures[0].Replay)

	_, err = Explore(twoLocks(true), name, replay, explore)
	var d *trace.DivergenceError
	if !errors.As(err, &d) || d.Step != 3 {
		t.Fatalf("error is %v", err)
	}
	for _, part := range []string{
		"replay: diverged at step 3: expected lock by main, but main is about to read at replay_test.go:",
		"POR_REPLAY_LENIENT=1",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in %v", part, err)
		}
	}

	// Past the stale schedule, by option and by environment.
	res, err = Explore(twoLocks(true), name, replay, explore, Lenient())
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailDeadlock {
		t.Errorf("lenient: %+v, %v", res, err)
	}
	t.Setenv("POR_REPLAY_LENIENT", "1")
	res, err = Explore(twoLocks(true), name, replay, explore)
	if err != nil || len(res.Failures) != 1 {
		t.Errorf("POR_REPLAY_LENIENT: %+v, %v", res, err)
	}
	res, err = Explore(func() {}, name, replay)
	if err != nil || len(res.Failures) != 0 || res.Verdict.String() != "replayed 0 steps; the schedule runs without failure now" {
		t.Errorf("mended program: %+v, %v", res, err)
	}
	t.Setenv("POR_REPLAY_LENIENT", "0")
	_, err = Explore(func() {}, name, replay)
	if err == nil || !strings.Contains(err.Error(), "diverged at step 0: expected lock by main, but the execution is over") {
		t.Errorf("empty program: %v", err)
	}
	_, err = Explore(func() {
		var mu sched.Mutex
		mu.Lock()
	}, name, replay)
	if err == nil || !strings.Contains(err.Error(), "diverged at step 1: expected lock by g1, but the execution is over") {
		t.Errorf("shorter program: %v", err)
	}
}

func TestReplayOfEveryKind(t *testing.T) {
	effort.Computes(t)
	for _, test := range []struct {
		name string
		f    func()
		opts []Option
	}{
		{"steps", func() {
			v := sched.NewVar(0)
			sched.Go(func() {
				for v.Load() == 0 {
				}
			})
			for v.Load() == 0 {
			}
		}, []Option{MaxSteps(500)}},
		{"timers", func() {
			n := sched.NewVar(0)
			sched.AfterFunc(time.Second, func() { n.Store(1) })
			sched.Sleep(2 * time.Second)
			if n.Load() == 0 {
				panic("the later timer fires first")
			}
		}, []Option{Time(sched.TimeAnyOrder)}},
		{"clock", func() {
			c := sched.NewChan[int](0)
			sched.AfterFunc(time.Second, func() { panic("time is up") })
			c.Recv()
		}, nil},
		{"choice", func() {
			if sched.Choose(5) == 3 && sched.Choose(300) == 250 {
				panic("three")
			}
		}, nil},
		{"nested goroutines", func() {
			n := sched.NewVar(0)
			sched.Go(func() {
				sched.Go(func() { n.Store(1) })
				sched.Go(func() { n.Store(2) })
			}).Join()
			if n.Load() == 2 {
				panic("two")
			}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := append(test.opts, Name("x"), Races(sched.RaceExplore))
			res, err := Explore(test.f, opts...)
			if err != nil || len(res.Failures) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			want := res.Failures[0]
			res, err = Explore(test.f, append(opts, Replay(want.Replay))...)
			if err != nil || len(res.Failures) != 1 {
				t.Fatalf("%+v, %v\nof\n%s", res, err, want.Report)
			}
			got := res.Failures[0]
			if got.Kind != want.Kind || got.Msg != want.Msg || got.Replay != want.Replay || got.Steps != want.Steps {
				t.Errorf("got\n%s\nwant\n%s", got.Report, want.Report)
			}
		})
	}
}
