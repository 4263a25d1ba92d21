package cluster

import (
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// idles is a cluster without clients for a time.
func idles(d time.Duration) func() {
	return func() {
		c := cluster(None, [3]Disk{}, [3]time.Duration{soon, later, 2 * later}).run()
		time.Sleep(d)
		c.stop()
	}
}

// serves is a cluster with a client that reads ten times a second, for a time.
func serves(d time.Duration) func() {
	return func() {
		c := cluster(None, [3]Disk{}, [3]time.Duration{soon, later, 2 * later}).run()
		c.ask(Request{Kind: "put", Value: 1}, 5*time.Second)
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			c.ask(Request{Kind: "get"}, time.Second)
		}
		c.stop()
	}
}

// BenchmarkLong measures one execution of a cluster: simulated seconds in a second of the
// processor, steps in such a second, steps in a simulated second, and bytes of the heap at the end
// for each simulated minute. With -cpu 1 the garbage collector uses no other processor.
func BenchmarkLong(b *testing.B) {
	for _, races := range []sched.RaceMode{sched.RaceFail, sched.RaceIgnore} {
		for _, minutes := range []int{1, 10, 100} {
			d := time.Duration(minutes) * time.Minute
			name := fmt.Sprintf("races=%v/minutes=%d", races == sched.RaceFail, minutes)
			b.Run("idle/"+name, func(b *testing.B) { benchmarkLong(b, d, races, idles(d)) })
			b.Run("load/"+name, func(b *testing.B) { benchmarkLong(b, d, races, serves(d)) })
		}
	}
}

// processorTime returns the time that this process has used.
var processorTime = func() time.Duration { return time.Since(started) }

var started = time.Now()

// single is an engine of one execution, which it measures.
type single struct {
	took  time.Duration
	steps int
	heap  uint64
}

// Name implements [trace.Engine].
func (*single) Name() string { return "single" }

// Explore implements [trace.Engine].
func (s *single) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := processorTime()
	return engine.PCT{Executions: 1}.Explore(p, func(x *trace.Execution) bool {
		s.took += processorTime() - begin
		s.steps += len(x.Schedule)
		runtime.GC()
		runtime.ReadMemStats(&after)
		s.heap += after.HeapAlloc - before.HeapAlloc
		x.Run.Close()
		return false
	})
}

// benchmarkLong runs executions of f, each of which takes d of simulated time.
func benchmarkLong(b *testing.B, d time.Duration, races sched.RaceMode, f func()) {
	s := new(single)
	for range b.N {
		if _, err := por.Explore(f, por.Engine(s), por.MaxSteps(math.MaxInt32), por.Races(races), por.MaxMemory(0)); err != nil && s.steps == 0 {
			b.Fatal(err)
		}
	}
	simulated := time.Duration(b.N) * d
	b.ReportMetric(simulated.Seconds()/s.took.Seconds(), "simulated-s/s")
	b.ReportMetric(float64(s.steps)/s.took.Seconds(), "steps/s")
	b.ReportMetric(float64(s.steps)/simulated.Seconds(), "steps/simulated-s")
	b.ReportMetric(float64(s.heap)/simulated.Minutes(), "B/simulated-min")
	b.ReportMetric(0, "ns/op")
}

// garbage has goroutines take turns in writing new objects, so many megabytes in all. Memory is
// used again that others have written. At last two goroutines write one object that is as old as
// the execution, without an order if races is set.
func garbage(megabytes int, races bool) func() {
	return func() {
		const size, turns = 512, 256
		old := new([size]byte)
		turn, done := make(chan int), make(chan bool)
		for id := range byte(3) {
			go func() {
				for range turn {
					for range megabytes << 20 / size / turns {
						x := make([]*[size]byte, 2)
						x[0], x[1] = new([size]byte), nil
						x[0][size-1] = id
						if id == 9 {
							x[1] = old
						}
					}
				}
				if races || id == 1 {
					old[1]++
				}
				done <- true
			}()
		}
		old[0] = 1
		for i := range turns {
			turn <- i
		}
		close(turn)
		for range 3 {
			<-done
		}
		_ = old[1]
	}
}

// TestGarbage has executions that leave much garbage, of which nothing is kept. Races with accesses
// of long ago are found all the same.
func TestGarbage(t *testing.T) {
	for _, megabytes := range []int{10, 200} {
		s := new(single)
		res, err := por.Explore(garbage(megabytes, false), por.Engine(s), por.Time(sched.TimeDiscrete), por.MaxMemory(0))
		if err != nil && s.steps == 0 || len(res.Failures) > 0 {
			t.Fatal(err, res)
		}
		if mb := int64(s.heap) >> 20; mb > 100 {
			t.Errorf("%d MB are kept of %d MB of garbage", mb, megabytes)
		}
	}
	res, err := por.Explore(garbage(200, true), por.MaxExecutions(1), por.MaxMemory(0))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailRace {
		t.Error(res.Verdict, res.Failures)
	}
}

// restarts is a cluster without clients, in which it is a failure that a node has started again, as
// seen after a time.
func restarts(d time.Duration) func() {
	return func() {
		c := new(trio)
		starts := 0
		for i, timeout := range []time.Duration{soon, later, 2 * later} {
			disk := new(Disk)
			n := por.NewNode(string(rune('A'+i)), func() {
				starts++
				Run(Config{ID: i + 1, Addrs: c.addrs, Disk: disk, Timeout: timeout})
			})
			c.nodes = append(c.nodes, n)
			c.addrs = append(c.addrs, n.Addr()+":4000")
		}
		c.run()
		time.Sleep(d)
		c.stop()
		por.Always("no node has started again", starts == 3)
	}
}

// TestLongFailure has failures after many steps that take one fault. Reports name the fault, show
// where it comes and have few preemptions left. So do replays.
func TestLongFailure(t *testing.T) {
	effort.Computes(t)
	for _, minutes := range []int{1, 6, 64}[:effort.Of(3, 1)] {
		f := restarts(time.Duration(minutes) * time.Minute)
		opts := []por.Option{por.Races(sched.RaceIgnore), por.MaxSteps(math.MaxInt32), por.MaxMemory(0)}
		begin := processorTime()
		res, err := por.Explore(f, append(opts, por.Faults(1, sched.FaultCrash), por.MaxTime(time.Minute))...)
		if err != nil || len(res.Failures) != 1 {
			t.Fatal(err, res)
		}
		t.Logf("%d minutes: %v of the processor, %d steps, %d preemptions", minutes, processorTime()-begin, res.Failures[0].Steps, res.Failures[0].Preemptions)
		isLong(t, &res.Failures[0])
		begin = processorTime()
		again, err := por.Explore(f, append(opts, por.Replay(res.Failures[0].Replay))...)
		if err != nil || len(again.Failures) != 1 {
			t.Fatal(err, again)
		}
		t.Logf("%d minutes: replayed in %v of the processor", minutes, processorTime()-begin)
		isLong(t, &again.Failures[0])
	}
}

// isLong checks the report of a failure of restarts.
func isLong(t *testing.T, f *report.Failure) {
	if f.Preemptions > f.Steps/100 {
		t.Errorf("%d preemptions are left in %d steps", f.Preemptions, f.Steps)
	}
	fault, last := false, false
	for _, e := range f.Entries {
		if e.Kind == trace.OpFault && e.Line > 0 && strings.Contains(e.Value, "crashes, starts again") {
			fault = true
		}
		last = last || e.Step == f.Steps-1
	}
	if !fault || !last || !strings.Contains(f.Report, "fault: node ") {
		t.Errorf("the fault is recorded: %v, the last step: %v\n%s", fault, last, f.Report[:min(len(f.Report), 2000)])
	}
}

// TestSameTrace runs one failing execution, with a fault, again and again. Each time all events are
// the same, with what they touch and come after, and so are the failures.
func TestSameTrace(t *testing.T) {
	effort.Computes(t)
	for _, l := range lessons[:effort.Of(3, 1)] {
		f := func() { l.run(l.bug) }
		res, err := por.Explore(f, por.Faults(1, l.kinds), por.MaxTime(10*time.Second))
		if err != nil || len(res.Failures) != 1 {
			t.Fatal(err, res)
		}
		sc, err := replay.Decode(res.Failures[0].Replay)
		if err != nil {
			t.Fatal(err)
		}
		s := &same{script: sc, runs: effort.Of(1000, 20), sums: make(map[uint64]int)}
		por.Explore(f, withPlan{por.Direct(), sc}, por.Engine(s)) // with an error, since no execution is shown
		if s.err != nil || len(s.sums) != 1 || s.failed != s.runs {
			t.Errorf("%s: %d runs have %d traces, and %d fail: %v", l.name, s.runs, len(s.sums), s.failed, s.err)
		}
	}
}

// same is an engine that runs one schedule again and again, and sums up what happens.
type same struct {
	script replay.Script
	runs   int
	failed int
	sums   map[uint64]int
	err    error
}

// withPlan is an option by which executions have the faults of a schedule.
type withPlan struct {
	por.Option
	script replay.Script
}

// Set sets the option, as package por does with its own.
func (w withPlan) Set(c *explore.Config) error {
	w.script.Set(&c.Run)
	return nil
}

// Name implements [trace.Engine].
func (*same) Name() string { return "same" }

// Explore implements [trace.Engine].
func (s *same) Explore(p trace.Program, _ func(*trace.Execution) bool) (trace.Stats, error) {
	if len(s.sums) > 0 {
		return trace.Stats{}, nil // this is another phase of the search
	}
	for range s.runs {
		if s.err = s.run(p); s.err != nil {
			break
		}
	}
	return trace.Stats{}, nil
}

func (s *same) run(p trace.Program) error {
	r := p.Start()
	defer r.Close()
	sum := fnv.New64a()
	for _, c := range s.script.Schedule(trial.PathsOf(p)) {
		ev, err := r.Step(c)
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, ev.G, ev.Kind, ev.Obj, ev.Alt, ev.Accesses(), ev.Order)
	}
	out := r.Outcome()
	for i := range out {
		fmt.Fprintln(sum, out[i].Kind, out[i].Msg, out[i].Step)
	}
	if len(out) > 0 {
		s.failed++
	}
	s.sums[sum.Sum64()]++
	return nil
}
