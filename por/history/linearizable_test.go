package history

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// incr is an input: a call of a counter's incr, which returns the new count.
type incr struct{}

func (incr) String() string { return "incr" }

var counterModel = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		n := state.(int)
		return output == n+1, n + 1
	},
}

// hastyCounter looks and then acts.
type hastyCounter struct{ n sched.Int64 }

func (c *hastyCounter) incr() int {
	n := c.n.Load() + 1
	c.n.Store(n)
	return int(n)
}

// steadyCounter does not.
type steadyCounter struct{ n sched.Int64 }

func (c *steadyCounter) incr() int { return int(c.n.Add(1)) }

// countBy has goroutines make so many calls each.
func countBy(h *History, by func() int, calls ...int) {
	var wg sched.WaitGroup
	for _, n := range calls {
		wg.Go(func() {
			for range n {
				Call(h, incr{}, by)
			}
		})
	}
	wg.Wait()
}

func hastily(h *History) { countBy(h, new(hastyCounter).incr, 2, 1) }

// TestLinearizableTraces counts traces: as many as there are orders of the calls that overlap
// in as many ways.
func TestLinearizableTraces(t *testing.T) {
	for _, test := range []struct {
		calls          []int
		traces, merges string
	}{
		{[]int{1, 1}, "all 4 traces explored", "all 2 traces explored"},
		{[]int{2, 1}, "all 10 traces explored", "all 3 traces explored"},
		{[]int{2, 2}, "all 44 traces explored", "all 6 traces explored"},
		{[]int{1, 1, 1}, "all 42 traces explored", "all 6 traces explored"},
	} {
		o := &loggingTB{TB: t}
		Linearizable(o, counterModel, func(h *History) { countBy(h, new(steadyCounter).incr, test.calls...) }, por.Direct(), por.Exhaustive())
		if !strings.Contains(o.log, test.traces+", none fails, each history is linearizable (exhaustive; optimal DPOR, ") {
			t.Errorf("%v: %s", test.calls, o.log)
		}
		o = &loggingTB{TB: t}
		Refines(o, func(h *History) { countBy(h, new(steadyCounter).incr, test.calls...) }, por.Direct(), por.Exhaustive())
		if !strings.Contains(o.log, test.merges+", none fails, each outcome is one of ") {
			t.Errorf("%v: %s", test.calls, o.log)
		}
	}
}

// loggingTB keeps all that it is told.
type loggingTB struct {
	testing.TB
	log string
}

func (tb *loggingTB) keep(text string)               { tb.log += text + "\n" }
func (tb *loggingTB) Log(args ...any)                { tb.keep(strings.TrimSpace(fmt.Sprint(args...))) }
func (tb *loggingTB) Logf(format string, a ...any)   { tb.keep(fmt.Sprintf(format, a...)) }
func (tb *loggingTB) Errorf(format string, a ...any) { tb.keep("error: " + fmt.Sprintf(format, a...)) }
func (tb *loggingTB) Fatalf(format string, a ...any) { tb.keep("error: " + fmt.Sprintf(format, a...)) }
func (tb *loggingTB) Error(args ...any)              { tb.keep("error: " + fmt.Sprint(args...)) }
func (tb *loggingTB) Fatal(args ...any)              { tb.keep("error: " + fmt.Sprint(args...)) }
func (tb *loggingTB) Failed() bool                   { return false }

var update = flag.Bool("update", false, "write the texts of reports in testdata/report")

// TestGoldenHistories compares reports with those in testdata/report.
func TestGoldenHistories(t *testing.T) {
	t.Setenv(explore.Columns, "")
	for name, judge := range map[string]func(testing.TB, ...por.Option){
		"history": func(t testing.TB, o ...por.Option) { Linearizable(t, counterModel, hastily, o...) },
		"outcome": func(t testing.TB, o ...por.Option) { Refines(t, hastily, o...) },
	} {
		t.Run(name, func(t *testing.T) {
			o := &muted.TB{TB: t}
			judge(o, por.Direct())
			golden(t, name, o.Report)
		})
	}
}

func golden(t *testing.T, name, text string) {
	text, _, _ = strings.Cut(text, "\nto replay it:")
	file := filepath.Join("testdata", "report", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// TestHistoryPage draws a history beside the page of the failure.
func TestHistoryPage(t *testing.T) {
	dir := t.TempDir()
	for to, want := range map[string]string{dir: "TestHistoryPage-history.html", filepath.Join(dir, "x.html"): "x-history.html"} {
		t.Setenv("POR_HTML", to)
		o := &muted.TB{TB: t}
		Linearizable(o, counterModel, hastily, por.Direct(), por.NoSave())
		page, err := os.ReadFile(filepath.Join(dir, want))
		if err != nil || !strings.Contains(string(page), "incr") || !strings.Contains(o.Report, "history: "+filepath.Join(dir, want)) {
			t.Errorf("%v, %d bytes\n%s", err, len(page), o.Report)
		}
	}
}

// TestHistoryReplay: a failure shows again by its string, and by its file.
func TestHistoryReplay(t *testing.T) {
	for name, judge := range map[string]func(testing.TB, ...por.Option){
		notLinearizable: func(t testing.TB, o ...por.Option) { Linearizable(t, counterModel, hastily, o...) },
		notAtomic:       func(t testing.TB, o ...por.Option) { Refines(t, hastily, o...) },
	} {
		o := &muted.TB{TB: t}
		judge(o, por.Direct(), por.NoSave(), por.Engine(engine.DLSPOR{}))
		_, after, _ := strings.Cut(o.Report, "POR_REPLAY=")
		replay, _, ok := strings.Cut(after, " ")
		if !ok {
			t.Fatal(o.Report)
		}
		again := &loggingTB{TB: t}
		judge(again, por.Direct(), por.Replay(replay))
		if !strings.Contains(again.log, name) || !strings.Contains(again.log, "the execution fails") {
			t.Errorf("%s", again.log)
		}
	}
}

// TestHistoryPanics: a call that panics is a failure, unless somebody recovers.
func TestHistoryPanics(t *testing.T) {
	closure := func(recovers bool) func(h *History) {
		return func(h *History) {
			call := func() {
				if recovers {
					defer func() { _ = recover() }()
				}
				h.Do("bad", func() { panic("broken") })
			}
			call()
			call()
		}
	}
	model := porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, _, output any) (bool, any) { return output == Panicked{}, state },
	}
	o := &loggingTB{TB: t}
	Linearizable(o, model, closure(true), por.Direct())
	Refines(o, closure(true), por.Direct())
	if strings.Contains(o.log, "error") || strings.Count(o.log, "it does not fail") != 2 {
		t.Error(o.log)
	}
	o = &loggingTB{TB: t}
	Linearizable(o, model, closure(false), por.Direct(), por.NoSave())
	if !strings.Contains(o.log, "panic: broken") || strings.Contains(o.log, notLinearizable) {
		t.Error(o.log)
	}
	o = &loggingTB{TB: t}
	Refines(o, closure(false), por.Direct(), por.NoSave())
	if !strings.Contains(o.log, "panic: broken") || strings.Contains(o.log, notAtomic) {
		t.Error(o.log)
	}
}

// TestHistoryWaits: calls that wait for each other are no outcome one at a time, in the order
// in which they do, and a call that is never answered is a deadlock.
func TestHistoryWaits(t *testing.T) {
	handOver := func(n int) func(h *History) {
		return func(h *History) {
			c := sched.NewChan[int](0)
			var wg sched.WaitGroup
			wg.Go(func() { h.Do("put", func() { c.Send(1) }) })
			for range n {
				wg.Go(func() { Call(h, "get", c.Recv) })
			}
			wg.Wait()
		}
	}
	o := &loggingTB{TB: t}
	Refines(o, handOver(1), por.Direct(), por.NoSave())
	if !strings.Contains(o.log, notAtomic) || !strings.Contains(o.log, "One at a time they never come to an end") {
		t.Error(o.log)
	}
	o = &loggingTB{TB: t}
	Refines(o, handOver(2), por.Direct(), por.NoSave())
	if !strings.Contains(o.log, "deadlock") {
		t.Error(o.log)
	}
	buffered := func(h *History) {
		c := sched.NewChan[int](1)
		var wg sched.WaitGroup
		wg.Go(func() { h.Do("put", func() { c.Send(1) }) })
		wg.Go(func() { Call(h, "get", c.Recv) })
		wg.Wait()
	}
	o = &loggingTB{TB: t}
	Refines(o, buffered, por.Direct(), por.Exhaustive())
	if !strings.Contains(o.log, "each outcome is one of 1 ") {
		t.Error(o.log)
	}
}

// TestHistoryMisuse: what is wrong with the use of the functions is said.
func TestHistoryMisuse(t *testing.T) {
	ok := func(h *History) { h.Do("nothing", func() {}) }
	always := porcupine.Model{Init: func() any { return 0 }, Step: func(s, _, _ any) (bool, any) { return true, s }}
	leak := func(h *History) {
		c := sched.NewChan[int](0)
		sched.Go(func() { h.Do("stuck", func() { c.Send(1) }) })
		ok(h)
	}
	for _, test := range []struct {
		f    func(testing.TB)
		want string
	}{
		{func(t testing.TB) { Linearizable(t, porcupine.Model{}, ok) }, "Linearizable: the model has no Init"},
		{func(t testing.TB) { Linearizable(t, porcupine.Model{Init: always.Init}, ok) }, "Linearizable: the model has no Step"},
		{func(t testing.TB) { Linearizable(t, always, nil) }, "Linearizable: the closure is nil"},
		{func(t testing.TB) { Refines(t, nil) }, "Refines: the closure is nil"},
		{func(t testing.TB) { Linearizable(t, always, func(*History) {}, por.Direct()) }, "Linearizable: the closure has recorded no call"},
		{func(t testing.TB) { Refines(t, func(*History) {}, por.Direct()) }, "Refines: the closure has recorded no call"},
		{func(t testing.TB) {
			Linearizable(t, porcupine.Model{Init: always.Init, Step: func(any, any, any) (bool, any) { panic("odd") }}, ok, por.Direct())
		}, "Linearizable: the model panics: odd"},
		{func(t testing.TB) {
			Linearizable(t, always, func(h *History) { h.Do("a", func() { ok(h) }) }, por.Direct(), por.NoSave())
		},
			"panic: por: a call (nothing) inside of a call (a)"},
		{func(t testing.TB) { Refines(t, func(*History) { ok(nil) }, por.Direct(), por.NoSave()) }, "Call: h is nil"},
		{func(t testing.TB) { Linearizable(t, always, leak, por.Direct(), por.NoSave()) }, "goroutine leak"},
		{func(t testing.TB) { Linearizable(t, always, leak, por.Direct(), por.NoSave(), por.AllowLeaks()) }, "the call stuck has not returned when the closure does"},
		{func(t testing.TB) {
			Refines(t, func(h *History) { countBy(h, new(steadyCounter).incr, 5, 5, 5) }, por.Direct(), por.MaxTime(20*time.Millisecond))
		}, "the sequential executions are not exhausted: "},
		{func(t testing.TB) { Linearizable(nil, always, ok) }, "por: Linearizable: the testing.TB is nil"},
		{func(t testing.TB) { Linearizable((*testing.T)(nil), always, ok) }, "por: Linearizable: the testing.TB is nil"},
		{func(t testing.TB) { Refines(nil, ok) }, "por: Refines: the testing.TB is nil"},
		{func(t testing.TB) { Refines((*testing.T)(nil), ok) }, "por: Refines: the testing.TB is nil"},
	} {
		o := &loggingTB{TB: t}
		func() {
			defer func() {
				if r := recover(); r != nil {
					o.keep(fmt.Sprintf("error: %v", r))
				}
			}()
			test.f(o)
		}()
		if !strings.Contains(o.log, "error: ") || !strings.Contains(o.log, test.want) {
			t.Errorf("%q is missing in\n%s", test.want, o.log)
		}
	}
}

// atOnce has n goroutines that are all in a call at the same time.
func atOnce(h *History, n int) {
	var wg, all sched.WaitGroup
	all.Add(n)
	for i := range n {
		wg.Go(func() {
			Call(h, i, func() int { all.Done(); all.Wait(); return i })
		})
	}
	wg.Wait()
}

// oneExecution is an engine that takes one execution for all.
type oneExecution struct{ engine.DFS }

func (oneExecution) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := engine.DFS{}.Explore(p, func(x *trace.Execution) bool { visit(x); return false })
	stats.Exhaustive = true
	return stats, err
}

// TestHistoryUndecided: of a history that calls for too many steps nothing is said, and the
// verdict says so.
func TestHistoryUndecided(t *testing.T) {
	defer func(n int) { mostSteps = n }(mostSteps)
	mostSteps = 2000
	last := porcupine.Model{ // no call can be the last one, which is found out last
		Init: func() any { return 0 },
		Step: func(state, _, _ any) (bool, any) { return state.(int) < 11, state.(int) + 1 },
	}
	for n, want := range map[int]string{ // 12 calls have 4096 sets of calls that come first
		10: "each history is linearizable (exhaustive",
		12: "each history that was decided is linearizable; NOT exhaustive (a history was not decided within 2,000 steps of the model",
	} {
		o := &loggingTB{TB: t}
		Linearizable(o, last, func(h *History) { atOnce(h, n) }, por.Direct(), por.NoSave(), por.Engine(oneExecution{}))
		if !strings.Contains(o.log, want) {
			t.Errorf("%d calls: %q is missing in\n%s", n, want, o.log)
		}
	}
}

// TestLongHistory: of a long history the report shows what is near the call that cannot be
// explained, and it shows that again.
func TestLongHistory(t *testing.T) {
	o := &loggingTB{TB: t}
	Linearizable(o, counterModel, func(h *History) {
		countBy(h, new(steadyCounter).incr, 1100)
		countBy(h, new(steadyCounter).incr, 2)
	}, por.Direct(), por.NoSave(), por.Engine(oneExecution{}))
	for _, want := range []string{"1,102 calls, of which these are near", "incr -> 1100", "1,096 calls, and then", "after which none of the others"} {
		if !strings.Contains(o.log, want) {
			t.Errorf("%q is missing in\n%s", want, o.log)
		}
	}
	if strings.Contains(o.log, "did not show again") || len(o.log) > 8000 {
		t.Errorf("%d bytes:\n%s", len(o.log), o.log)
	}
}

// TestHistoryRemembered: a goroutine that forgets what it has done, by sched.Loop, does not
// make states one in which its calls have returned different things.
func TestHistoryRemembered(t *testing.T) {
	closure := func(h *History) {
		var x sched.Int64
		var wg sched.WaitGroup
		wg.Go(func() {
			Call(h, "look twice", func() [2]int64 { return [2]int64{x.Load(), x.Load()} })
			sched.Loop()
			x.Load()
		})
		wg.Go(func() { h.Do("set", func() { x.Store(1) }) })
		wg.Wait()
	}
	model := porcupine.Model{
		Init: func() any { return int64(0) },
		Step: func(state, input, output any) (bool, any) {
			if input == "set" {
				return true, int64(1)
			}
			return output == [2]int64{state.(int64), state.(int64)}, state
		},
	}
	for _, exact := range []bool{false, true} {
		s := engine.Stateful{Keying: trace.Keying{Tracked: true, Exact: exact}}
		for _, e := range []trace.Engine{s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s}} {
			o := &loggingTB{TB: t}
			Refines(o, closure, por.Direct(), por.NoSave(), por.Engine(e))
			Linearizable(o, model, closure, por.Direct(), por.NoSave(), por.Engine(e))
			if !strings.Contains(o.log, notAtomic) || !strings.Contains(o.log, notLinearizable) {
				t.Errorf("%s: %s", e.Name(), o.log)
			}
		}
	}
}
