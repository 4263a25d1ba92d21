package por_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func TestExplore(t *testing.T) {
	res, err := por.Explore(writers(4), por.Races(sched.RaceExplore))
	if err != nil {
		t.Fatal(err)
	}
	if !res.Exhaustive || res.Stats.Executions != 24 || len(res.Failures) != 0 {
		t.Errorf("result is %+v", res)
	}
	if !strings.HasPrefix(res.Verdict.String(), "all 24 traces explored, none fails (exhaustive; ") {
		t.Errorf("verdict is %q", res.Verdict)
	}
}

func TestExploreFailure(t *testing.T) {
	res, err := por.Explore(abba, por.Name("abba"))
	if err != nil {
		t.Fatal(err)
	}
	if res.Exhaustive || len(res.Failures) != 1 {
		t.Fatalf("result is %+v", res)
	}
	f := res.Failures[0]
	if f.Kind != trace.FailDeadlock || f.Preemptions != 1 || f.Steps != 4 || !f.Fewest || len(f.Schedule) != 4 || len(f.Entries) < 4 {
		t.Errorf("failure is %+v", f)
	}
	wantText(t, f.Report, "deadlock", "POR_REPLAY="+f.Replay)

	// The string replays in any other search of that name.
	again, err := por.Explore(abba, por.Name("abba"), por.Replay(f.Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Replay != f.Replay || again.Failures[0].Kind != f.Kind {
		t.Errorf("replay gives %+v, %v", again, err)
	}
	_, err = por.Explore(abba, por.Replay(f.Replay))
	if err == nil || !strings.Contains(err.Error(), "belongs to another program than \"github.com/gopor/gopor/por_test.TestExploreFailure\"") {
		t.Errorf("replay under another name gives %v", err)
	}
	t.Setenv("POR_REPLAY", f.Replay)
	res, err = por.Explore(writers(2), por.Races(sched.RaceExplore))
	if err != nil || !strings.HasSuffix(res.Verdict.String(), "POR_REPLAY holds the schedule of another program and was not used") {
		t.Errorf("with the schedule of another program: %+v, %v", res, err)
	}
}

func TestExploreErrors(t *testing.T) {
	if _, err := por.Explore(nil); err == nil || !strings.Contains(err.Error(), "the closure is nil") {
		t.Errorf("nil closure: %v", err)
	}
	if _, err := por.ExploreProgram(nil); err == nil || !strings.Contains(err.Error(), "the program is nil") {
		t.Errorf("nil program: %v", err)
	}
	res, err := por.Explore(notDeterministic(), por.Races(sched.RaceExplore))
	var d *trace.DivergenceError
	if !errors.As(err, &d) || res == nil || res.Exhaustive {
		t.Errorf("not deterministic: %+v, %v", res, err)
	}
	_, err = por.Explore(func() {}, por.Engine(badEngine{}))
	if err == nil || !strings.Contains(err.Error(), "the engine bad panicked: oh") {
		t.Errorf("engine that panics: %v", err)
	}
}

type badEngine struct{}

func (badEngine) Name() string { return "bad" }

func (badEngine) Explore(trace.Program, func(*trace.Execution) bool) (trace.Stats, error) {
	panic("oh")
}

func TestExploreEndlessEngineStops(t *testing.T) {
	if !effort.Full() {
		t.Skip("takes a second")
	}
	var lines bytes.Buffer
	res, err := por.Explore(writers(3), por.Races(sched.RaceExplore), por.Engine(engine.POS{}), por.MaxTime(1300*time.Millisecond), por.Progress(&lines), por.Name("writers"))
	if err != nil || res.Exhaustive {
		t.Fatalf("%+v, %v", res, err)
	}
	wantText(t, res.Verdict.String(), "NOT exhaustive (time limit; pos)")
	wantText(t, lines.String(), "por: writers: ", " executions, 0 blocked in 1s (", "/s)\n")
}

// thinker is an engine that thinks after its only execution until it is told
// that the search is over.
type thinker struct{ inner trace.Engine }

func (thinker) Name() string { return "thinker" }

func (e thinker) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e.inner.Explore(p, func(x *trace.Execution) bool {
		visit(x)
		for !x.Over() {
			runtime.Gosched()
		}
		return false
	})
}

// A search ends at its limit of time although the engine thinks.
func TestExploreEndsThinking(t *testing.T) {
	res, err := por.Explore(writers(3), por.Races(sched.RaceExplore), por.Engine(thinker{engine.DFS{}}), por.MaxTime(time.Millisecond))
	if err != nil || res.Exhaustive || res.Stats.Executions != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	wantText(t, res.Verdict.String(), "1 execution explored", "time limit")
}

// The optimal engine leaves races alone once nobody wants more executions.
func TestOptimalAsksWhetherOver(t *testing.T) {
	visits, asked := 0, 0
	stats, err := engine.Optimal{}.Explore(exec.New(writers(3), exec.Options{Races: sched.RaceExplore}), func(x *trace.Execution) bool {
		visits++
		x.Over = func() bool { asked++; return visits == 2 }
		return true
	})
	if err != nil || stats.Exhaustive || visits != 2 || asked < 2 {
		t.Errorf("%d visits, asked %d times, exhaustive %v, %v", visits, asked, stats.Exhaustive, err)
	}
}

// tally is a transition system of a researcher's own: n processes read a shared
// number in their first step and write it plus one in their second. It fails
// when an update is lost.
type tally struct {
	n     int
	total int
	pc    []int
	seen  []int
	len   int
	ops   []*trace.Op
	event trace.Event
	open  bool
}

func (p *tally) Start() trace.Run {
	if p.open {
		panic("tally: Start before Close")
	}
	*p = tally{n: p.n, pc: make([]int, p.n), seen: make([]int, p.n), open: true}
	return p
}

func (p *tally) Pending() []*trace.Op {
	p.ops = p.ops[:0]
	for i, pc := range p.pc {
		if pc == 2 {
			continue
		}
		op := &trace.Op{G: trace.ID(i), Kind: trace.OpRead, Alts: 1}
		mode := trace.ModeRead
		if pc == 1 {
			op.Kind, mode = trace.OpWrite, trace.ModeWrite
		}
		op.SetAccesses(trace.Access{Mode: mode})
		p.ops = append(p.ops, op)
	}
	return p.ops
}

func (p *tally) Step(c trace.Choice) (*trace.Event, error) {
	for _, op := range p.Pending() {
		if op.G == c.G {
			p.event = trace.Event{Op: *op}
		}
	}
	if p.pc[c.G] == 0 {
		p.seen[c.G] = p.total
	} else {
		p.total = p.seen[c.G] + 1
	}
	p.pc[c.G]++
	p.len++
	return &p.event, nil
}

func (p *tally) Replay(s trace.Schedule) error {
	for _, c := range s {
		p.Step(c)
	}
	return nil
}

func (p *tally) Len() int { return p.len }

func (p *tally) Outcome() []trace.Failure {
	if p.len == 2*p.n && p.total != p.n {
		return []trace.Failure{{Kind: trace.FailAssertion, G: -1, Step: -1, Msg: "an update is lost"}}
	}
	return nil
}

func (p *tally) Close() { p.open = false }

func TestExploreProgram(t *testing.T) {
	for _, e := range []trace.Engine{engine.Optimal{}, engine.DFS{}, engine.Random{Seed: 3}} {
		p := &tally{n: 4}
		res, err := por.ExploreProgram(p, por.Engine(e), por.Name("tally"))
		if err != nil {
			t.Fatal(err)
		}
		f := res.Failures[0]
		if f.Preemptions != 1 || f.Steps != 8 || !f.Fewest {
			t.Errorf("%s: %d preemptions, %d steps, fewest %v", e.Name(), f.Preemptions, f.Steps, f.Fewest)
		}
		wantText(t, f.Report, "assertion failed: an update is lost", "g0", "write object 0", "POR_REPLAY=")
		again, err := por.ExploreProgram(p, por.Name("tally"), por.Replay(f.Replay))
		if err != nil || len(again.Failures) != 1 {
			t.Errorf("%s: replay gives %+v, %v", e.Name(), again, err)
		}
		if p.open {
			t.Error("the last run was not closed")
		}
	}
	res, err := por.ExploreProgram(&tally{n: 1})
	if err != nil || !res.Exhaustive {
		t.Errorf("%+v, %v", res, err)
	}
}

// What no execution has shown is not said of all: here a loop that counts its turns is said not to.
func TestExploreNothing(t *testing.T) {
	res, err := por.Explore(func() {
		var stop sched.Bool
		for i := 0; !stop.Load() && i < 3; i++ {
			sched.Loop()
		}
	})
	if err != nil || res.Exhaustive || !strings.Contains(res.Verdict.String(), "NOT exhaustive (no execution has come to its end") {
		t.Errorf("%v, %v", res.Verdict, err)
	}
}

// A first execution in discrete time that was left is done when time by lag is covered.
func TestLeftIsDone(t *testing.T) {
	effort.Computes(t)
	res, err := por.Explore(func() {
		timer := sched.NewTimer(time.Millisecond)
		sched.Go(func() {
			var n sched.Int64
			for i := range 101_000 {
				n.Add(1)
				if i == 100_500 {
					time.Sleep(250 * time.Millisecond) // so that a look at the clock comes after these steps
				}
			}
		})
		timer.C.Recv()
	}, por.MaxTime(time.Minute), por.MaxSteps(200_000))
	if err != nil {
		t.Fatal(err)
	}
	v := res.Verdict
	if !v.Covered || v.Stats.Executions != 1 || v.Then == nil || !v.Then.Covered || v.Then.Stats.Executions == 0 {
		t.Errorf("%v, want the only trace in discrete time, and those by lag", v)
	}
	if want := "timers fire"; !strings.Contains(v.String(), want) {
		t.Errorf("%v, want what both take for granted", v)
	}
}

// A search whose first execution takes longer than there is time shows that execution. Its first looks, in
// discrete time and by lag, leave the execution, and time is over in each of them, and between them.
func TestFirstExecutionIsLong(t *testing.T) {
	effort.Computes(t)
	const steps = 60_000
	for limit := time.Duration(10); limit < 200; limit += limit / 2 {
		begin := time.Now()
		res, err := por.Explore(func() {
			timer := sched.NewTimer(time.Millisecond)
			var n sched.Int64
			sched.Go(func() {
				for range steps / 2 {
					n.Add(1)
				}
			})
			for range steps / 2 {
				n.Add(1)
			}
			timer.C.Recv()
		}, por.MaxTime(limit*time.Millisecond), por.MaxSteps(2*steps))
		if err != nil {
			if time.Since(begin) < 3*time.Second { // what a first execution has at least
				t.Errorf("limit %vms: %v", int64(limit), err)
			}
			continue
		}
		n := res.Stats.Executions
		if then := res.Verdict.Then; then != nil {
			n += then.Stats.Executions
		}
		if n == 0 || strings.Contains(res.Verdict.String(), "within 0") {
			t.Errorf("limit %vms: %v", int64(limit), res.Verdict)
		}
	}
}
