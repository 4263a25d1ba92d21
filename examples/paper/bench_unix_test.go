//go:build unix

package paper

import (
	"syscall"
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// cpuSeconds returns what the process has used so far.
func cpuSeconds(b *testing.B) float64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e9
}

// adds is two goroutines with three atomic adds each.
func adds() {
	var x sched.Int64
	three := func() {
		for range 3 {
			x.Add(1)
		}
	}
	sched.Go(three)
	three()
}

// BenchmarkExecutions measures complete executions per CPU second, and what a
// million of them allocate for good.
func BenchmarkExecutions(b *testing.B) {
	for _, p := range []struct {
		name    string
		f       func()
		engines []trace.Engine
	}{
		{"adds", adds, []trace.Engine{engine.DFS{}, engine.Source{}, engine.Optimal{}}},
		{"readers-writers(14)", ReadersWriters(14), []trace.Engine{engine.Source{}, engine.Optimal{}, engine.EagerAdaptive{}}},
		{"ring(14)", Ring(14), []trace.Engine{engine.Source{}, engine.Optimal{}, engine.EagerAdaptive{}}},
		{"lastzero-down(13)", LastZeroDown(13), []trace.Engine{engine.Optimal{}}},
		{"mpat(6)", MPAT(6), []trace.Engine{engine.Source{}, engine.Optimal{}}},
		{"disp(5,4)", Disp(5, 4), []trace.Engine{engine.Optimal{}}},
		{"indexer(15)", Indexer(15), []trace.Engine{engine.Source{}, engine.Optimal{}}},
	} {
		for _, e := range p.engines {
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) { benchmarkExecutions(b, e, p.f) })
		}
	}
}

func benchmarkExecutions(b *testing.B, e trace.Engine, f func()) {
	c := exec.New(f, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	var executions, steps int64
	b.ReportAllocs()
	begin := cpuSeconds(b)
	for b.Loop() {
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		executions += stats.Executions
		steps += stats.Steps + stats.Replayed
	}
	used := cpuSeconds(b) - begin
	b.ReportMetric(float64(executions)/used, "executions/cpu-s")
	b.ReportMetric(used*1e9/float64(steps), "cpu-ns/step")
}

// BenchmarkShare measures how much of the time of a search is the engine's: beside
// engines, a replay of the executions that source-DPOR visits, by schedules known in
// advance and with nothing between their steps. What it takes is the least that a method
// can take that visits every trace once.
func BenchmarkShare(b *testing.B) {
	for _, p := range []struct {
		name string
		f    func()
	}{
		{"readers-writers(16)", ReadersWriters(16)}, {"readers-writers(18)", ReadersWriters(18)}, {"writers-reader(8)", WritersReader(8)},
		{"writer-n-readers(16)", WriterNReaders(16)}, {"branching(9)", Branching(9)}, {"ring(15)", Ring(15)}, {"ring-extended(6)", RingExtended(6)},
		{"lastzero(12)", LastZero(12)}, {"branching(8)", Branching(8)}, {"indexer(15)", Indexer(15)}, {"shared-pointer(50)", SharedPointer(50)},
		{"lastzero-down(15)", LastZeroDown(15)}, {"micro(2,6)", Micro(2, 6)}, {"locks(3,4)", Locks(3, 4)}, {"pi(8)", Pi(8)}, {"mpat(6)", MPAT(6)},
	} {
		b.Run(p.name+"/replay", func(b *testing.B) { benchmarkReplay(b, p.f) })
		for _, e := range []trace.Engine{engine.Source{}, engine.Optimal{}, engine.Reverse{}, engine.Eager{}, engine.EagerAdaptive{}} {
			b.Run(p.name+"/"+e.Name(), func(b *testing.B) { benchmarkExecutions(b, e, p.f) })
		}
	}
}

func benchmarkReplay(b *testing.B, f func()) {
	c := exec.New(f, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	var all []trace.Schedule
	if _, err := (engine.Source{}).Explore(c, func(x *trace.Execution) bool {
		if !x.Blocked {
			all = append(all, append(trace.Schedule(nil), x.Schedule...))
		}
		return true
	}); err != nil {
		b.Fatal(err)
	}
	executions := 0
	begin := cpuSeconds(b)
	for b.Loop() {
		for _, s := range all {
			run := c.Start()
			if err := run.Replay(s); err != nil {
				b.Fatal(err)
			}
			run.Close()
		}
		executions += len(all)
	}
	b.ReportMetric(float64(executions)/(cpuSeconds(b)-begin), "executions/cpu-s")
}
