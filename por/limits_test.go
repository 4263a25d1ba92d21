package por_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// TestTimeLimitOfTheOnlyExecution lets a limit be reached when the first execution ends. It is the
// only one if no events of it are in a race, and none has an alternative.
func TestTimeLimitOfTheOnlyExecution(t *testing.T) {
	add := func(v *sched.Int64) sched.Handle { return sched.Go(func() { v.Add(1) }) }
	programs := []struct {
		name string
		f    func()
		only bool
	}{
		{"no operation", func() {}, true},
		{"joined", func() { var v sched.Int64; add(&v).Join(); v.Load() }, true},
		{"timer", func() { var v sched.Int64; add(&v).Join(); sched.Sleep(time.Hour); v.Load() }, true},
		{"race", func() { var v sched.Int64; add(&v); v.Load() }, false},
		{"choice", func() { var v sched.Int64; add(&v).Join(); sched.Choose(2) }, false},
		{"race between steps", func() {
			var v sched.Int64
			a, b := add(&v), sched.Go(func() { v.CompareAndSwap(0, 5) })
			a.Join()
			b.Join()
			v.Load()
		}, false},
	}
	for _, e := range []trace.Engine{engine.Auto{}, engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.Reverse{}} {
		for _, p := range programs {
			for name, limit := range map[string]por.Option{"time": por.MaxTime(20 * time.Millisecond), "executions": por.MaxExecutions(1)} {
				res, err := por.Explore(func() {
					p.f()
					time.Sleep(25 * time.Millisecond)
				}, limit, por.Engine(e))
				if err != nil || res.Stats.Executions != 1 || res.Verdict.Covered != p.only {
					t.Errorf("%s by %s, limit of %s: %v, error %v; covered: %t, want %t", p.name, e.Name(), name, res.Verdict, err, res.Verdict.Covered, p.only)
				}
			}
		}
	}
}

// TestTimeLimitWithinTheFirstExecution interrupts the only one that there is: between
// operations, and in plain code.
func TestTimeLimitWithinTheFirstExecution(t *testing.T) {
	t.Cleanup(por.FirstWithin(500 * time.Millisecond))
	var x int
	for name, f := range map[string]func(){
		"operations": func() {
			var v sched.Int64
			for {
				v.Add(1)
			}
		},
		"plain code": func() {
			sched.Go(func() {})
			for {
				hook.ReadMemory(unsafe.Pointer(&x), 1)
			}
		},
		"plain code of a goroutine": func() {
			h := sched.Go(func() {
				for {
					hook.WriteMemory(unsafe.Pointer(&x), 1)
				}
			})
			h.Join()
		},
		"plain code that package fmt calls": func() {
			sched.Go(func() {})
			_ = fmt.Sprint([]any{[]any{reading(func() {
				for {
					hook.ReadMemory(unsafe.Pointer(&x), 1)
				}
			})}})
		},
	} {
		res, err := por.Explore(f, por.MaxSteps(math.MaxInt32), por.MaxTime(50*time.Millisecond), por.Watchdog(2*time.Second))
		if err == nil || !strings.Contains(err.Error(), "too long to explore: the first execution did not complete") || res.Stats.Executions != 0 || res.Exhaustive {
			t.Errorf("%s: %v\n%+v", name, err, res)
		}
	}
}

// reading is a value that does something where it is printed.
type reading func()

func (f reading) String() string               { f(); return "" }
func (f reading) MarshalJSON() ([]byte, error) { f(); return []byte("1"), nil }

// nested is printed in a call of package fmt in another one, and so on.
type nested struct {
	in    fmt.Stringer
	depth int
}

func (n nested) String() string {
	if n.depth == 0 {
		return n.in.String()
	}
	return fmt.Sprint(nested{n.in, n.depth - 1})
}

// TestTimeLimitLeavesLocks has the time run out in code that the standard library calls, which may hold
// something there: it goes on until that has returned, however far up the stack it is.
func TestTimeLimitLeavesLocks(t *testing.T) {
	var x int
	for name, call := range map[string]func(f reading){
		"encoding/json": func(f reading) { json.Marshal(f) },
		"fmt in encoding/json": func(f reading) {
			json.Marshal(reading(func() { _ = fmt.Sprint(nested{f, 60}) }))
		},
	} {
		returned := false
		por.Explore(func() {
			sched.Go(func() {})
			call(func() {
				for begin := time.Now(); time.Since(begin) < 500*time.Millisecond; {
					hook.ReadMemory(unsafe.Pointer(&x), 1)
				}
			})
			returned = true
		}, por.MaxTime(50*time.Millisecond))
		if !returned {
			t.Errorf("%s: it was broken off", name)
		}
	}
}

// TestWatchdogCountsPlainCode lets a long loop over memory be.
func TestWatchdogCountsPlainCode(t *testing.T) {
	var x int
	res, err := por.Explore(func() {
		sched.Go(func() {})
		for begin := time.Now(); time.Since(begin) < 2500*time.Millisecond; {
			for range 1000 {
				hook.ReadMemory(unsafe.Pointer(&x), 1)
			}
		}
	}, por.Watchdog(2*time.Second), por.MaxExecutions(1))
	if err != nil || res.Stats.Executions != 1 {
		t.Errorf("%v\n%+v", err, res)
	}
}

// TestReportInTime reports a failure of executions that take long, within a limit that is
// short.
func TestReportInTime(t *testing.T) {
	slow := false
	res, err := por.Explore(func() {
		var v sched.Int64
		for slow {
			v.Add(1)
		}
		if sched.Choose(2) == 1 {
			slow = true // from now on
			panic("found")
		}
	}, por.MaxSteps(math.MaxInt32), por.MaxTime(time.Second), por.MaxMemory(0), por.Watchdog(time.Hour))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Msg != "found" || !strings.Contains(res.Failures[0].Report, "not run a second time: that takes too long") {
		t.Errorf("%v\n%+v", err, res)
	}
}

// TestMemoryLimit ends a search that keeps much of the executions that it has seen, and
// one execution that grows.
func TestMemoryLimit(t *testing.T) {
	res, err := por.Explore(writers(9), por.Engine(&hoarder{}), por.Races(sched.RaceExplore), por.MaxMemory(8<<20), por.MaxTime(time.Minute))
	if err != nil || res.Exhaustive || !strings.Contains(res.Verdict.String(), "memory limit") {
		t.Errorf("%v\n%+v", err, res)
	}
	var list [][]byte
	_, err = por.Explore(func() {
		list = nil
		for {
			sched.Choose(1)
			list = append(list, make([]byte, 1<<12))
		}
	}, por.MaxSteps(math.MaxInt32), por.MaxMemory(64<<20))
	if list = nil; err == nil || !strings.Contains(err.Error(), "too large to explore: the first execution took too much memory, within ") ||
		!strings.Contains(err.Error(), "to raise the limit of memory: por.MaxMemory") {
		t.Error(err)
	}
}

// TestManyWait has a hundred goroutines that come to selects of which each can go on at once. What
// an engine keeps of an execution does not grow with the product of goroutines and steps.
func TestManyWait(t *testing.T) {
	const goroutines, rounds = 100, 300
	test := func() {
		var done sched.WaitGroup
		var starts [rounds]*sched.Chan[int]
		for i := range starts {
			starts[i] = sched.NewChan[int](0)
		}
		never := sched.NewChan[int](0)
		for range goroutines {
			done.Go(func() {
				for _, start := range starts {
					sched.Select(sched.RecvCase(start, nil, nil), sched.RecvCase(never, nil, nil))
				}
			})
		}
		for _, start := range starts {
			start.Close()
		}
		done.Wait()
	}
	for _, e := range []trace.Engine{
		engine.Optimal{}, engine.DPOR{}, engine.Source{}, engine.Eager{}, engine.EagerShort{}, engine.EagerAdaptive{},
		bpor.Lazy{}, bpor.Iterative{}, bpor.Naive{}, bpor.Source{}, bpor.Nidhugg{}, unfold.Optimal{},
	} {
		res, err := por.Explore(test, por.Engine(e), por.MaxExecutions(1), por.MaxMemory(64<<20))
		if err != nil || res.Stats.Executions+res.Stats.Pruned != 1 {
			t.Errorf("%s: %v\n%+v", e.Name(), err, res)
		}
	}
}

// hoarder keeps all that it has seen.
type hoarder struct{ ownEngine }

func (*hoarder) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	var seen [][]byte
	stats, err := engine.DFS{}.Explore(p, func(x *trace.Execution) bool {
		seen = append(seen, make([]byte, 1<<12))
		return visit(x)
	})
	runtime.KeepAlive(seen)
	return stats, err
}

// TestNoExecutionComplete does not call a search fine that has only given executions up.
func TestNoExecutionComplete(t *testing.T) {
	t.Cleanup(por.FirstWithin(200 * time.Millisecond))
	res, err := por.Explore(writers(2), por.Engine(&quitter{}), por.MaxTime(50*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "too long to explore: no execution completed within ") || res.Stats.Executions != 0 {
		t.Errorf("%v\n%+v", err, res)
	}
}

// quitter gives up every execution after its first step.
type quitter struct{ ownEngine }

func (*quitter) Explore(p trace.Program, visit func(*trace.Execution) bool) (stats trace.Stats, err error) {
	for more := true; more; {
		run := p.Start()
		c := trace.Choice{G: run.Pending()[0].G}
		if _, err := run.Step(c); err != nil {
			return stats, err
		}
		stats.Pruned++
		more = visit(&trace.Execution{Run: run, Schedule: trace.Schedule{c}, Stats: &stats, Pruned: true})
		run.Close()
	}
	return stats, nil
}

// TestBlockedAtFirst has an engine whose first executions are given up, and take longer together than the
// limit of time. The search goes on up to one that is complete, as it would if that were the first.
func TestBlockedAtFirst(t *testing.T) {
	for _, blocked := range []bool{true, false} {
		e := &lateOne{blocked: blocked}
		res, err := por.Explore(writers(2), por.Engine(e), por.MaxTime(50*time.Millisecond))
		if err != nil || res.Stats.Executions != 1 || e.over {
			t.Errorf("blocked %v: %v, over %v\n%+v", blocked, err, e.over, res)
		}
	}
}

// TestFutileAtFirst is TestBlockedAtFirst for engines of package engine, and a program that is futile for
// 140 ms.
func TestFutileAtFirst(t *testing.T) {
	for _, e := range []trace.Engine{engine.Auto{}, engine.Optimal{}, engine.Source{}} {
		c := exec.New(func() {
			var n sched.Int64
			for i := range 4 {
				sched.Go(func() { n.Store(int64(i)) })
			}
		}, exec.Options{})
		res, err := por.ExploreProgram(&futileProgram{closure: c}, por.MaxTime(50*time.Millisecond), por.Engine(e))
		if err != nil || res.Stats.Executions != 1 || res.Stats.Blocked != 7 {
			t.Errorf("%s: %v\n%+v", e.Name(), err, res)
		}
		c.Shutdown()
	}
}

// futileProgram is futile for seven executions.
type futileProgram struct {
	closure *exec.Closure
	begun   int
}

type futileRun struct {
	trace.Run
	p *futileProgram
}

func (p *futileProgram) Start() trace.Run {
	p.begun++
	return &futileRun{p.closure.Start(), p}
}

func (r *futileRun) Futile() bool {
	time.Sleep(20 * time.Millisecond)
	return r.p.begun < 8
}

// TestCancelledAtFirst ends such a search by its context, which waits for no execution.
func TestCancelledAtFirst(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	e := &lateOne{blocked: true}
	if res, err := por.Explore(writers(2), por.Engine(e), por.Context(ctx)); err != nil || res.Stats.Executions > 0 || !e.over {
		t.Errorf("%v, over %v\n%+v", err, e.over, res)
	}
}

// lateOne gives executions up for 300 ms, and then shows complete ones.
type lateOne struct {
	ownEngine
	blocked bool // it gives up by Blocked, not by Pruned
	over    bool // it was told to stop before an execution was complete
}

func (e *lateOne) Explore(p trace.Program, visit func(*trace.Execution) bool) (stats trace.Stats, err error) {
	for more := true; more; {
		run := p.Start()
		var s trace.Schedule
		for ops := run.Pending(); len(ops) > 0 && (stats.Pruned+stats.Blocked >= 10 || len(s) == 0); ops = run.Pending() {
			c := trace.Choice{G: ops[0].G}
			if _, err := run.Step(c); err != nil {
				return stats, err
			}
			s = append(s, c)
		}
		x := &trace.Execution{Run: run, Schedule: s, Stats: &stats}
		switch {
		case stats.Pruned+stats.Blocked >= 10:
			stats.Executions++
		case e.blocked:
			stats.Blocked++
			x.Blocked = true
			time.Sleep(30 * time.Millisecond)
		default:
			stats.Pruned++
			x.Pruned = true
			time.Sleep(30 * time.Millisecond)
		}
		more = visit(x)
		e.over = e.over || stats.Executions == 0 && (!more || x.Over())
		run.Close()
	}
	return stats, nil
}

// TestReportsInTime reports many failures whose executions take for ever when they are run once more,
// in the time of one.
func TestReportsInTime(t *testing.T) {
	if !effort.Full() {
		t.Skip("it measures time")
	}
	defer por.ReportWithin(600 * time.Millisecond)()
	const n = 30
	found := 0
	begin := time.Now()
	res, err := por.Explore(func() {
		var v sched.Int64
		for found == n {
			v.Add(1)
		}
		if i := sched.Choose(n + 1); i > 0 {
			found = i
			panic(i)
		}
	}, por.MaxSteps(math.MaxInt32), por.KeepGoing(n), por.Watchdog(time.Hour))
	if err != nil || len(res.Failures) != n {
		t.Fatalf("%v\n%+v", err, res)
	}
	for _, f := range res.Failures {
		if !strings.Contains(f.Report, "The execution was not run a second time: ") {
			t.Error(f.Report)
		}
	}
	if took := time.Since(begin); took > n*600*time.Millisecond*2/3 {
		t.Errorf("took %v", took)
	}
}

// TestPortions has what is left of the time be enough for all that are left, whatever those before took.
func TestPortions(t *testing.T) {
	for n := 1; n < 40; n++ {
		left := time.Second
		for i := range n {
			p := por.Portion(left, n-i)
			if p < 0 || p > time.Second/3 || i == 0 && p < left/time.Duration(3*n) {
				t.Fatalf("%d of %d: %v of %v", i, n, p, left)
			}
			if left -= 3 * p * time.Duration(i%3) / 2; left < 0 {
				t.Fatalf("%d of %d: nothing is left", i, n)
			}
		}
	}
}

// TestReportInMemory runs no execution of a report that takes more memory than the search may.
func TestReportInMemory(t *testing.T) {
	defer por.ReportWithin(time.Minute)()
	runtime.GC() // what other tests have left does not count
	var list [][]byte
	grows := false
	res, err := por.Explore(func() {
		list = nil
		for grows {
			sched.Choose(1)
			list = append(list, make([]byte, 1<<9))
		}
		if sched.Choose(2) == 1 {
			grows = true // from now on
			panic("found")
		}
	}, por.MaxSteps(3_000_000), por.MaxMemory(64<<20), por.Watchdog(time.Hour))
	list = nil
	if err != nil || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Report, "not run a second time: that takes too much memory") {
		t.Errorf("%v\n%+v", err, res)
	}
}

// TestReplayBrokenOff does not say of a replay that was broken off that nothing has failed.
func TestReplayBrokenOff(t *testing.T) {
	runtime.GC()
	endless := false
	var list [][]byte
	program := func() {
		list = nil
		if sched.Choose(2) == 1 && !endless {
			panic("found")
		}
		for endless {
			sched.Choose(1)
			list = append(list, make([]byte, 1<<9))
		}
	}
	res, err := por.Explore(program, por.Name("broken off"))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%v\n%+v", err, res)
	}
	endless = true
	again := []por.Option{por.Name("broken off"), por.Replay(res.Failures[0].Replay), por.Lenient(), por.MaxSteps(3_000_000)}
	res, err = por.Explore(program, append(again, por.MaxMemory(64<<20))...)
	if err == nil || !strings.Contains(err.Error(), "replay: broken off after ") || !strings.Contains(err.Error(), "takes too much memory") {
		t.Errorf("%v\n%+v", err, res)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	res, err = por.Explore(program, append(again, por.MaxMemory(0), por.Context(ctx))...)
	if list = nil; err == nil || !strings.Contains(err.Error(), "replay: broken off after ") || !strings.Contains(err.Error(), "the context is done") {
		t.Errorf("%v\n%+v", err, res)
	}
}

// TestBrokenOffInALoop stops a search in the middle of an execution that goes round for ever, which the others do not: the
// verdict says so. One that is no longer than others is nothing to tell of.
func TestBrokenOffInALoop(t *testing.T) {
	for _, c := range []struct {
		others, turns int // how much there is to do in the others, and how often it goes round
		told          bool
	}{{0, 20_000, true}, {10_000, 20_000, false}, {0, 100, false}} {
		ctx, cancel := context.WithCancel(context.Background())
		turns := 0
		f := func() {
			var stop sched.Int64
			sched.Go(func() {}) // or else most of the others are no steps
			for range c.others {
				stop.Add(0)
			}
			var wg sched.WaitGroup
			wg.Add(1)
			sched.Go(func() {
				defer wg.Done()
				for turns = 0; stop.Load() == 1; turns++ {
					if turns >= c.turns {
						cancel()
						time.Sleep(time.Millisecond) // it takes a while until the search stops, and few turns
					}
				}
			})
			sched.Go(func() { stop.Store(1) })
			wg.Wait()
		}
		res, err := por.Explore(f, por.Context(ctx), por.MaxSteps(math.MaxInt32), por.Engine(engine.DFS{}))
		cancel()
		if err != nil || res.Exhaustive || len(res.Failures) > 0 || turns < c.turns {
			t.Fatalf("%v, %d turns, %+v", err, turns, res)
		}
		if got := res.Verdict.String(); strings.Contains(got, "an execution was left after ") != c.told {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// A machine that is busy may come to the first execution when the limit of time is over. There is one all the same.
func TestTimeLimitBeforeTheSearch(t *testing.T) {
	for _, test := range []struct {
		limit, elapsed time.Duration
		before, after  bool
	}{
		{time.Second, time.Second - 1, false, false},
		{time.Second, time.Second, false, true},
		{time.Second, 3 * time.Second, true, true},
		{time.Minute, time.Minute - 1, false, false},
		{time.Minute, time.Minute, true, true},
		{0, time.Hour, false, false},
	} {
		if before, after := por.Enforced(test.limit, test.elapsed); before != test.before || after != test.after {
			t.Errorf("%+v: %v, %v", test, before, after)
		}
	}
}
