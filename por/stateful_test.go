package por_test

import (
	"errors"
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

// This file has programs that poll without a bound. With their states recognised they are
// explored to the end.

// await polls until done says so.
func await(done func() bool) {
	for {
		sched.Loop()
		if done() {
			return
		}
	}
}

// critical fails if two goroutines are in it at a time.
func critical(in *sched.Int64) {
	if in.Add(1) != 1 {
		panic("two at a time")
	}
	in.Add(-1)
}

// both runs f for two goroutines.
func both(f func(me, other int64)) {
	sched.Go(func() { f(0, 1) })
	sched.Go(func() { f(1, 0) })
}

func peterson() {
	var flag [2]sched.Int64
	var turn, in sched.Int64
	both(func(me, other int64) {
		flag[me].Store(1)
		turn.Store(other)
		await(func() bool { return flag[other].Load() == 0 || turn.Load() == me })
		critical(&in)
		flag[me].Store(0)
	})
}

// hasty is peterson with the first two statements the other way round.
func hasty() {
	var flag [2]sched.Int64
	var turn, in sched.Int64
	both(func(me, other int64) {
		turn.Store(other)
		flag[me].Store(1)
		await(func() bool { return flag[other].Load() == 0 || turn.Load() == me })
		critical(&in)
		flag[me].Store(0)
	})
}

func dekker() { dekkerThat(true) }

func dekkerThat(handsOn bool) {
	var flag [2]sched.Int64
	var turn, in sched.Int64
	both(func(me, other int64) {
		flag[me].Store(1)
		for {
			sched.Loop()
			if flag[other].Load() == 0 {
				break
			}
			if turn.Load() != me {
				flag[me].Store(0)
				await(func() bool { return turn.Load() == me })
				flag[me].Store(1)
			}
		}
		critical(&in)
		if handsOn {
			turn.Store(other)
		}
		flag[me].Store(0)
	})
}

// lamport is the bakery: who has drawn the lower number goes first.
func lamport() {
	var choosing, number [2]sched.Int64
	var in sched.Int64
	both(func(me, other int64) {
		choosing[me].Store(1)
		mine := number[other].Load() + 1
		number[me].Store(mine)
		choosing[me].Store(0)
		for {
			sched.Loop(mine)
			if choosing[other].Load() == 0 {
				break
			}
		}
		for {
			sched.Loop(mine)
			if n := number[other].Load(); n == 0 || n > mine || n == mine && me < other {
				break
			}
		}
		critical(&in)
		number[me].Store(0)
	})
}

// stack pushes two elements of an array onto a list, and pops both, by compare-and-swap
// that is tried again and again.
func stack() {
	var top sched.Int64
	next := [3]*sched.Int64{1: new(sched.Int64), 2: new(sched.Int64)}
	both(func(me, _ int64) {
		mine := me + 1
		for {
			sched.Loop()
			t := top.Load()
			next[mine].Store(t)
			if top.CompareAndSwap(t, mine) {
				break
			}
		}
		for {
			sched.Loop()
			t := top.Load()
			if t != 0 && top.CompareAndSwap(t, next[t].Load()) {
				break
			}
		}
	})
}

// polite has two goroutines that wait for each other to give up.
func polite() {
	var flag [2]sched.Int64
	both(func(me, other int64) {
		flag[me].Store(1)
		await(func() bool { return flag[other].Load() == 0 })
		flag[me].Store(0)
	})
}

// once is dekker without its turn being handed on: who has to wait does so for ever.
func once() { dekkerThat(false) }

// tied is lamport without a rule for two who have drawn the same number.
func tied() {
	var number [2]sched.Int64
	both(func(me, other int64) {
		mine := number[other].Load() + 1
		number[me].Store(mine)
		for {
			sched.Loop(mine)
			if n := number[other].Load(); n == 0 || n > mine {
				break
			}
		}
		number[me].Store(0)
	})
}

// empty is a stack of which more is popped than was pushed.
func empty() {
	var top sched.Int64
	both(func(me, _ int64) {
		if me == 0 {
			top.Store(1)
		}
		for {
			sched.Loop()
			if t := top.Load(); t != 0 && top.CompareAndSwap(t, 0) {
				break
			}
		}
	})
}

// blinks has one goroutine that turns a light on and off, and one that looks at it every
// so often, after a while, until it is on.
func blinks(on, every, after time.Duration) func() {
	return func() {
		var light, done sched.Int64
		a := sched.Go(func() {
			t := sched.NewTicker(on)
			for lit := int64(0); ; lit = 1 - lit {
				sched.Loop(lit)
				if done.Load() == 1 {
					return
				}
				light.Store(lit)
				t.C.Recv()
			}
		})
		b := sched.Go(func() {
			sched.Sleep(after)
			t := sched.NewTicker(every)
			await(func() bool { t.C.Recv(); return light.Load() == 1 })
			done.Store(1)
		})
		a.Join()
		b.Join()
	}
}

// patient works now and then, until somebody else has had enough of it: each waits for
// so long every time as is left of a period.
func patient() {
	var n, enough sched.Int64
	a := sched.Go(func() {
		await(func() bool {
			start := sched.Now()
			sched.Sleep(2 * time.Millisecond)
			n.Store(1 - n.Load())
			sched.Sleep(3*time.Millisecond - sched.Since(start))
			return enough.Load() == 1
		})
	})
	b := sched.Go(func() {
		await(func() bool { sched.Sleep(2 * time.Millisecond); return n.Load() == 1 })
		enough.Store(1)
	})
	a.Join()
	b.Join()
}

func TestUnboundedPolling(t *testing.T) {
	effort.Computes(t)
	for _, test := range []struct {
		name   string
		f      func()
		states [4]int64 // of each engine
		finals int64
		fails  bool // the goroutines come to be in the critical section at a time
		lost   bool // there is a livelock
	}{
		{name: "peterson", f: peterson, states: [4]int64{82, 82, 76, 76}, finals: 4},
		{name: "hasty", f: hasty, states: [4]int64{147, 147, 132, 132}, finals: 8, fails: true},
		{name: "dekker", f: dekker, states: [4]int64{100, 100, 96, 96}, finals: 5},
		{name: "lamport", f: lamport, states: [4]int64{169, 169, 152, 152}, finals: 6},
		{name: "stack", f: stack, states: [4]int64{222, 222, 212, 212}, finals: 15},
		{name: "polite", f: polite, states: [4]int64{15, 15, 14, 14}, finals: 1, lost: true},
		{name: "once", f: once, states: [4]int64{66, 66, 60, 60}, finals: 2, lost: true},
		{name: "tied", f: tied, states: [4]int64{48, 48, 47, 47}, finals: 5, lost: true},
		{name: "empty", f: empty, states: [4]int64{13, 13, 13, 13}, lost: true},
		{name: "blinks", f: blinks(2*time.Millisecond, 3*time.Millisecond, 0), states: [4]int64{29, 22, 22, 22}, finals: 1},
		{name: "blinks slowly", f: blinks(2*time.Millisecond, 4*time.Millisecond, 0), states: [4]int64{82, 75, 73, 73}, finals: 4},
		{name: "blinks unseen", f: blinks(2*time.Millisecond, 4*time.Millisecond, 1*time.Millisecond), states: [4]int64{44, 34, 34, 34}, lost: true},
		{name: "alone", f: alone(1), states: [4]int64{5, 5, 5, 5}, finals: 1},
		{name: "never alone", f: alone(0), states: [4]int64{4, 4, 4, 4}, lost: true},
		{name: "patient", f: patient, states: [4]int64{40, 32, 30, 30}, finals: 2},
	} {
		c := exec.New(test.f, exec.Options{})
		if f, err := oracle.EqualFuturesTo(c, trace.Keying{Tracked: true}, 13, 5); err != nil || f.Merged == 0 {
			t.Errorf("%s: %+v, %v", test.name, f, err)
		}
		c.Shutdown()
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
			s := engine.Stateful{Keying: k}
			for i, e := range []trace.Engine{s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s}} {
				c := exec.New(test.f, exec.Options{MaxSteps: 1000})
				fails, lost, finals := false, false, int64(0)
				stats, err := e.Explore(c, func(x *trace.Execution) bool {
					finals++
					for _, f := range x.Run.Outcome() {
						fails = fails || f.Kind == trace.FailPanic
						if f.Kind == trace.FailSteps {
							lost = true
							finals--
						}
					}
					return true
				})
				c.Shutdown()
				if err != nil || !stats.Exhaustive || fails != test.fails || lost != test.lost || lost != (stats.Livelocks > 0) || stats.States != test.states[i] || finals != test.finals {
					t.Errorf("%s, %s, %v: %+v, %v, fails %v, lost %v", test.name, e.Name(), k, stats, err, fails, lost)
				}
			}
		}
	}
}

// alone waits until so few goroutines are left.
func alone(few int) func() {
	return func() {
		sched.Go(func() { new(sched.Int64).Add(1) })
		await(func() bool { return sched.NumGoroutine() <= few })
	}
}

// TestLoopThatCounts: a loop that counts its turns has to hand over the count.
func TestLoopThatCounts(t *testing.T) {
	for _, says := range []bool{false, true} {
		c := exec.New(func() {
			var x sched.Int64
			sched.Go(func() {
				for i := 0; i < 3; i++ {
					if says {
						sched.Loop(i)
					} else {
						sched.Loop()
					}
					x.Load()
				}
				x.Store(1)
			})
			x.Load()
		}, exec.Options{})
		_, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{})
		if says != (err == nil) || !says && !errors.Is(err, oracle.ErrUnequal) {
			t.Errorf("the count is handed over: %v; %v", says, err)
		}
		c.Shutdown()
	}
}

// TestLivelocksAreShown: the report of a livelock that was found in the graph says who goes
// round and by what, and what it shows is there when the schedule is run again.
func TestLivelocksAreShown(t *testing.T) {
	effort.Computes(t)
	for name, test := range map[string]struct {
		f      func()
		repeat []string
	}{
		"polite": {polite, []string{"g1 repeats load flag[other]", "g2 repeats load flag[other]"}},
		"once":   {once, []string{"g2 repeats load turn"}},
		"tied":   {tied, []string{"g1 repeats load number[other]", "g2 repeats load number[other]"}},
		"empty":  {empty, []string{"g1 repeats load top"}},
		"blinks": {blinks(2*time.Millisecond, 4*time.Millisecond, time.Millisecond), []string{"g1 repeats load done", "g2 repeats load light"}},
	} {
		res, err := por.Explore(test.f, por.Engine(engine.DLSPOR{Stateful: engine.Stateful{Keying: trace.Keying{Tracked: true}}}))
		if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailSteps {
			t.Errorf("%s: %s, %v, %d failures", name, res.Verdict, err, len(res.Failures))
			continue
		}
		report := res.Failures[0].Report
		for _, part := range append(test.repeat, ", for ever") {
			if !strings.Contains(report, part) {
				t.Errorf("%s: %q is missing in\n%s", name, part, report)
			}
		}
		if strings.Contains(report, "did not show again") {
			t.Errorf("%s:\n%s", name, report)
		}
	}
}

// TestLivelocksAreNotHidden: one that takes more steps to show than the search takes is an error, whatever else was found.
func TestLivelocksAreNotHidden(t *testing.T) {
	effort.Computes(t)
	for name, f := range map[string]func(){"polite": polite, "empty": empty} {
		for _, e := range statefulEngines(trace.Keying{Tracked: true}) {
			res, err := por.Explore(f, por.Engine(e), por.MaxSteps(10_000_000))
			if err == nil || !strings.Contains(err.Error(), "livelock: no execution that reaches any of ") || res.Exhaustive {
				t.Errorf("%s, %s: %v, %+v", name, e.Name(), err, res)
			}
		}
	}
}

// pollers have somebody who polls, beside a sleeper for whose sake the polls come to an end.
var pollers = map[string]func(){
	"a load": beside(func(flag *sched.Int64, _ *sched.Chan[int]) bool { return flag.Load() == 1 }),
	"a load, and others first": beside(func(flag *sched.Int64, _ *sched.Chan[int]) bool {
		sched.Gosched()
		return flag.Load() == 1
	}),
	"a select": beside(func(_ *sched.Int64, stop *sched.Chan[int]) bool {
		return sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) == 0
	}),
	"a swap": beside(func(flag *sched.Int64, _ *sched.Chan[int]) bool {
		v := flag.Load()
		flag.CompareAndSwap(v, v)
		return v == 1
	}),
}

func beside(done func(flag *sched.Int64, stop *sched.Chan[int]) bool) func() {
	return func() {
		var flag sched.Int64
		stop := sched.NewChan[int](0)
		a := sched.Go(func() { await(func() bool { return done(&flag, stop) }) })
		b := sched.Go(func() { await(func() bool { return done(&flag, stop) }) })
		sched.Sleep(time.Millisecond)
		stop.Close()
		flag.Store(1)
		a.Join()
		flag.Store(1)
		b.Join()
	}
}

// TestPollersBesideSleepers: time passes for them, however states are told apart.
func TestPollersBesideSleepers(t *testing.T) {
	effort.Computes(t)
	for name, f := range pollers {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder, sched.TimeLag} {
			for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
				if !k.Tracked && name == "a swap" {
					continue // in every turn there is something new
				}
				for i, e := range statefulEngines(k) {
					c := exec.New(f, exec.Options{MaxSteps: 300, Polls: 8, Time: mode})
					n := 0
					stats, err := e.Explore(c, func(x *trace.Execution) bool {
						for _, f := range x.Run.Outcome() {
							if f.Kind != trace.FailStarved && (f.Kind != trace.FailLong || mode == sched.TimeDiscrete) {
								t.Errorf("%s, time %d, %v, %s (%d): %v", name, mode, k, e.Name(), i, f)
							}
						}
						n++
						return n < 100
					})
					c.Shutdown()
					if ends := mode == sched.TimeDiscrete && k.Tracked; err != nil || stats.Livelocks > 0 || ends && !stats.Exhaustive {
						t.Errorf("%s, time %d, %v, %s (%d): %+v, %v", name, mode, k, e.Name(), i, stats, err)
					}
				}
			}
		}
	}
}

// TestTimePassesInReplays: a failure behind a time that has passed while others polled is
// shown again by its schedule.
func TestTimePassesInReplays(t *testing.T) {
	res, err := por.Explore(func() {
		pollers["a load"]()
		panic("behind it")
	}, por.Engine(engine.DLSPOR{Stateful: engine.Stateful{Keying: trace.Keying{Tracked: true}}}))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailPanic || strings.Contains(res.Failures[0].Report, "did not show again") {
		t.Fatalf("%s, %v, %+v", res.Verdict, err, res.Failures)
	}
	again, err := por.Explore(func() {
		pollers["a load"]()
		panic("behind it")
	}, por.Replay(res.Failures[0].Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Kind != trace.FailPanic {
		t.Errorf("%s, %v, %+v", again.Verdict, err, again.Failures)
	}
}

// TestRestarts: a search that begins again shows every final state once, and finds a failure that a
// search in a fixed order comes to late.
func TestRestarts(t *testing.T) {
	effort.Computes(t)
	results := make(map[int64]bool)
	rare := func() {
		var x, sum sched.Int64
		var hs []sched.Handle
		for g := range int64(2) {
			hs = append(hs, sched.Go(func() {
				for i := range int64(3) {
					sum.Add(x.Swap(3*g+i) * (g + 1))
				}
			}))
		}
		for _, h := range hs {
			h.Join()
		}
		results[sum.Load()] = true
	}
	for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
		s, again := engine.Stateful{Keying: k}, engine.Stateful{Keying: k, Restarts: true, Seed: 7}
		for _, pair := range [][2]trace.Engine{{s, again}, {engine.SPOR{Stateful: s}, engine.SPOR{Stateful: again}},
			{engine.DESPOR{Stateful: s}, engine.DESPOR{Stateful: again}}, {engine.DLSPOR{Stateful: s}, engine.DLSPOR{Stateful: again}}} {
			var stats [2]trace.Stats
			var seen [2]int
			for i, e := range pair {
				clear(results)
				c := exec.New(rare, exec.Options{})
				var err error
				stats[i], err = e.Explore(c, func(x *trace.Execution) bool { x.Run.Outcome(); return true })
				c.Shutdown()
				if seen[i] = len(results); err != nil || !stats[i].Exhaustive {
					t.Errorf("%s: %+v, %v", e.Name(), stats[i], err)
				}
			}
			if stats[0].Executions != stats[1].Executions || seen[0] != seen[1] || stats[1].Steps <= stats[0].Steps || stats[1].Steps > 6*stats[0].Steps {
				t.Errorf("%s: %+v and %+v, %d and %d results", pair[0].Name(), stats[0], stats[1], seen[0], seen[1])
			}
		}
	}
}
