package por_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has loops that sleep or take ticks, which nobody need end: with their states recognised they are explored
// to the end, and who goes round for ever is in a livelock.

const ms = time.Millisecond

// sleeps goes round until done says so, and sleeps in between.
func sleeps(place uintptr, d time.Duration, done func() bool) {
	rounds(place, func() bool {
		if done() {
			return true
		}
		sched.Sleep(d)
		return false
	})
}

// ticks does so by ticks.
func ticks(place uintptr, d time.Duration, done func() bool) {
	t := sched.NewTicker(d)
	defer t.Stop()
	rounds(place, func() bool { t.C.Drop(); return done() })
}

// together runs some functions, and waits for them.
func together(fs ...func()) {
	var hs []sched.Handle
	for _, f := range fs {
		hs = append(hs, sched.Go(f))
	}
	for _, h := range hs {
		h.Join()
	}
}

var ticking = []struct {
	name   string
	f      func()
	states [4]int64 // of Stateful and DLSPOR by default, and where all memory is tracked
	finals int64
	lost   bool // there is a livelock
}{
	{name: "sleeps for ever", states: [4]int64{3, 3, 3, 3}, lost: true, f: func() {
		var done sched.Bool
		sleeps(1, ms, done.Load)
	}},
	{name: "ticks for ever", states: [4]int64{15, 15, 7, 7}, lost: true, f: func() {
		var done sched.Bool
		ticks(1, ms, done.Load)
	}},
	{name: "a select for ever", states: [4]int64{15, 15, 7, 7}, lost: true, f: func() {
		var done sched.Bool
		stop, t := sched.NewChan[int](0), sched.NewTicker(ms)
		rounds(1, func() bool {
			return sched.Select(sched.RecvCase(t.C, nil, nil), sched.RecvCase(stop, nil, nil)) == 1 || done.Load()
		})
	}},
	{name: "a worker", states: [4]int64{23, 19, 23, 19}, finals: 1, f: func() {
		var done sched.Bool
		together(func() { ticks(1, 2*ms, done.Load) }, func() { sched.Sleep(5 * ms); done.Store(true) })
	}},
	{name: "a worker with locks", states: [4]int64{38, 33, 0, 0}, finals: 2, f: func() {
		var mu sched.Mutex
		done := false
		together(func() {
			ticks(1, 2*ms, func() bool { mu.Lock(); defer mu.Unlock(); return done })
		}, func() {
			sched.Sleep(4 * ms)
			mu.Lock()
			done = true
			mu.Unlock()
		})
	}},
	{name: "two tickers for ever", states: [4]int64{69, 66, 41, 38}, lost: true, f: func() {
		var done sched.Bool
		together(func() { ticks(1, 2*ms, done.Load) }, func() { ticks(1, 3*ms, done.Load) })
	}},
	{name: "two tickers and a worker", states: [4]int64{56, 46, 56, 46}, finals: 1, f: func() {
		var done sched.Bool
		together(func() { ticks(1, 2*ms, done.Load) }, func() { ticks(1, 3*ms, done.Load) }, func() { sched.Sleep(7 * ms); done.Store(true) })
	}},
	{name: "ticks that are late", states: [4]int64{116, 105, 101, 92}, lost: true, f: func() { // its turns take longer than the period
		var done sched.Bool
		together(func() { sleeps(1, 3*ms, done.Load) }, func() {
			t := sched.NewTicker(2 * ms)
			rounds(1, func() bool { t.C.Drop(); sched.Sleep(5 * ms); return done.Load() })
		})
	}},
	{name: "a timer that is reset", states: [4]int64{13, 13, 9, 9}, lost: true, f: func() {
		var done sched.Bool
		t := sched.NewTimer(ms)
		rounds(1, func() bool { t.C.Drop(); t.Reset(ms); return done.Load() })
	}},
	{name: "a ticker that is reset", states: [4]int64{53, 46, 41, 34}, lost: true, f: func() {
		var done sched.Bool
		t := sched.NewTicker(ms)
		together(func() { rounds(1, func() bool { t.C.Drop(); return done.Load() }) },
			func() { rounds(1, func() bool { sched.Sleep(4 * ms); t.Reset(3 * ms); return done.Load() }) })
	}},
	{name: "a timer that is stopped", states: [4]int64{6, 6, 6, 6}, lost: true, f: func() {
		var done sched.Bool
		t := sched.NewTimer(2 * ms)
		sched.Go(func() { t.Stop() })
		sleeps(1, ms, done.Load)
	}},
	{name: "a function later", states: [4]int64{25, 24, 25, 24}, finals: 1, f: func() {
		var done sched.Bool
		sched.AfterFunc(5*ms, func() { done.Store(true) })
		sleeps(1, ms, done.Load)
	}},
	{name: "until then", states: [4]int64{13, 13, 13, 13}, finals: 1, f: func() {
		var done sched.Bool
		start := sched.Now()
		sleeps(1, ms, func() bool { return sched.Since(start) > 4*ms || done.Load() })
	}},
	{name: "until a date", states: [4]int64{16, 16, 16, 16}, finals: 1, f: func() {
		var done sched.Bool
		sleeps(1, ms, func() bool { return sched.Now().Sub(exec.DefaultStart()) > 4*ms || done.Load() })
	}},
	{name: "until a tick of a date", states: [4]int64{20, 20, 20, 20}, finals: 1, f: func() {
		var done sched.Bool
		t := sched.NewTicker(ms)
		rounds(1, func() bool { return t.C.Recv().Sub(exec.DefaultStart()) > 4*ms || done.Load() })
	}},
	{name: "until a context ends", states: [4]int64{67, 55, 67, 55}, finals: 4, f: func() {
		ctx, cancel := sched.WithTimeout(sched.Background(), 4*ms)
		defer cancel()
		together(func() { sleeps(1, ms, func() bool { return ctx.Err() != nil }) }, func() {
			t := sched.NewTicker(2 * ms)
			rounds(1, func() bool {
				return sched.Select(sched.RecvCase(t.C, nil, nil), sched.RecvCase(ctx.Done(), nil, nil)) == 1
			})
		})
	}},
	{name: "after a context has ended", states: [4]int64{33, 32, 30, 29}, lost: true, f: func() {
		var done sched.Bool
		ctx, cancel := sched.WithTimeout(sched.Background(), 4*ms)
		defer cancel()
		below, cancel := sched.WithTimeout(ctx, 5*ms)
		defer cancel()
		sleeps(1, ms, func() bool { return below.Err() != nil && done.Load() })
	}},
	{name: "a context that nobody cancels", states: [4]int64{12, 12, 6, 6}, lost: true, f: func() {
		ctx, cancel := sched.WithCancel(sched.Background())
		defer cancel()
		t := sched.NewTicker(2 * ms)
		rounds(1, func() bool {
			return sched.Select(sched.RecvCase(t.C, nil, nil), sched.RecvCase(ctx.Done(), nil, nil)) == 1
		})
	}},
	{name: "until the deadline of a context", states: [4]int64{8, 8, 8, 8}, finals: 1, f: func() {
		var done sched.Bool
		ctx, cancel := sched.WithTimeout(sched.Background(), 9*ms)
		defer cancel()
		sleeps(1, 3*ms, func() bool {
			end, _ := ctx.Deadline()
			return sched.Until(end) < 4*ms || done.Load()
		})
	}},
	{name: "until somebody else says when", states: [4]int64{114, 81, 93, 69}, finals: 1, f: func() {
		var when sched.Int64
		start := exec.DefaultStart()
		together(func() { sleeps(1, ms, func() bool { return when.Load() > int64(4*ms) }) },
			func() {
				sleeps(1, 2*ms, func() bool { when.Store(int64(sched.Since(start))); return when.Load() > int64(7*ms) })
			})
	}},
}

// TestTicking: all engines come to an end, and agree on what they find, however states are told apart.
func TestTicking(t *testing.T) {
	effort.Computes(t)
	for _, test := range ticking {
		for i, k := range []trace.Keying{{}, {Tracked: true}, {Exact: true}, {Tracked: true, Exact: true}} {
			if k.Tracked && test.states[2] == 0 {
				continue // there is ordinary memory
			}
			c := exec.New(test.f, exec.Options{})
			if f, err := oracle.EqualFuturesTo(c, k, 14, 6); err != nil {
				t.Errorf("%s, %v: %+v, %v", test.name, k, f, err)
			}
			c.Shutdown()
			var states []int64
			for _, e := range statefulEngines(k) {
				stats, finals, lost := endsOfTicking(test.f, e)
				states = append(states, stats.States)
				if !stats.Exhaustive || lost != test.lost || lost != (stats.Livelocks > 0) || finals != test.finals {
					t.Errorf("%s, %s, %v: %+v, livelock %v, %d final states", test.name, e.Name(), k, stats, lost, finals)
				}
			}
			if want := test.states[i%2*2:][:2]; states[0] != want[0] || states[3] != want[1] {
				t.Errorf("%s, %v: %d states, want %d of the first and the last", test.name, k, states, want)
			}
		}
	}
}

// endsOfTicking explores f, and returns how many final states there are, and whether there is a livelock.
func endsOfTicking(f func(), e trace.Engine) (stats trace.Stats, finals int64, lost bool) {
	c := exec.New(f, exec.Options{MaxSteps: 1000, AllowLeaks: true})
	defer c.Shutdown()
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		steps := slices.ContainsFunc(x.Run.Outcome(), func(f trace.Failure) bool { return f.Kind == trace.FailSteps })
		if lost = lost || steps; !steps {
			finals++
		}
		return true
	})
	if err != nil {
		panic(err)
	}
	return stats, finals, lost
}

// TestTimesLeftBehind: who has been told a time may have left it somewhere, as a number or in ordinary memory, and
// be gone.
func TestTimesLeftBehind(t *testing.T) {
	var when time.Time
	var mu sched.Mutex
	var number sched.Int64
	start := exec.DefaultStart()
	for name, way := range map[string]struct {
		keying trace.Keying
		leave  func()
		find   func() time.Time
	}{
		"memory": {
			leave: func() { mu.Lock(); when = sched.Now(); mu.Unlock() },
			find:  func() time.Time { mu.Lock(); defer mu.Unlock(); return when },
		},
		"a number": {
			keying: trace.Keying{Tracked: true},
			leave:  func() { number.Store(int64(sched.Since(start))) },
			find:   func() time.Time { return start.Add(time.Duration(number.Load())) },
		},
	} {
		c := exec.New(func() {
			var x sched.Int64
			sched.Go(way.leave).Join()
			sleeps(1, 2*ms, func() bool { return sched.Choose(2) == 1 })
			if sched.Since(way.find()) > 3*ms {
				x.Load()
			}
		}, exec.Options{})
		if f, err := oracle.EqualFuturesTo(c, way.keying, 16, 6); err != nil {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		c.Shutdown()
	}
}

// TestDatesAreAssumed: where loops come back to a state whatever the date, and somebody asks for it later, the
// verdict says that it is taken for granted that the date makes no difference.
func TestDatesAreAssumed(t *testing.T) {
	for name, f := range map[string]func(){
		"later":  func() { sleeps(1, ms, func() bool { return sched.Choose(2) == 1 }); sched.Now() },
		"a tick": func() { sleeps(1, ms, func() bool { return sched.Choose(2) == 1 }); sched.NewTimer(ms).C.Recv() },
		"before": func() { sched.Now(); sched.Sleep(ms) },
		"never":  func() { sleeps(1, ms, func() bool { return sched.Choose(2) == 1 }); sched.NewTimer(ms).C.Drop() },
	} {
		told := name == "later" || name == "a tick"
		res, err := por.Explore(f, por.Engine(engine.DLSPOR{}), por.Time(sched.TimeDiscrete))
		says := strings.Contains(res.Verdict.Details(), "  that it makes no difference on which date a loop comes back to a state in which it was before, because of\n      a time that is told after a loop")
		if err != nil || says != told || res.Verdict.Exhaustive {
			t.Errorf("%s: %v, %v\n%s", name, res.Verdict, err, res.Verdict.Details())
		}
		res, err = por.Explore(f, por.Engine(engine.DLSPOR{}), por.Time(sched.TimeDiscrete), por.Grant(sched.AssumeClock))
		says = strings.Contains(res.Verdict.String(), "two states that differ by the date alone are one")
		if err != nil || says != told || !res.Verdict.Exhaustive {
			t.Errorf("%s, granted: %v, %v", name, res.Verdict, err)
		}
		res, err = por.Explore(f, por.Engine(engine.DLSPOR{}), por.Time(sched.TimeDiscrete), por.MaxClock(time.Hour), por.MaxSteps(50))
		if err == nil && strings.Contains(res.Verdict.Details(), "on which date") {
			t.Errorf("%s, and states have dates: %v\n%s", name, res.Verdict, res.Verdict.Details())
		}
	}
}
