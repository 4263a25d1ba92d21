package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// traceOf performs a schedule again and returns the fingerprint of its trace.
func traceOf(p trace.Program, s trace.Schedule) uint64 {
	run := p.Start()
	defer run.Close()
	t := trace.NewTracker(trace.Dependence)
	for _, c := range s {
		ev, err := run.Step(c)
		if err != nil {
			panic(err)
		}
		t.Push(int32(ev.G), ev.Accesses(), ev.Order)
	}
	if ops := run.Pending(); len(ops) != 0 {
		panic(fmt.Sprintf("not maximal: %v", s))
	}
	return t.Fingerprint(func(i int) int32 { return s[i].Alt })
}

// bruteForce returns the traces of m with the number of their interleavings, or
// nil if there are more than limit interleavings. It shares nothing with the
// engines.
func bruteForce(m *model, limit int) map[uint64]int {
	traces := make(map[uint64]int)
	total := 0
	prefixes := []trace.Schedule{nil}
	for len(prefixes) > 0 {
		s := prefixes[len(prefixes)-1]
		prefixes = prefixes[:len(prefixes)-1]
		run := m.Start()
		if err := run.Replay(s); err != nil {
			panic(err)
		}
		for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
			var all trace.Schedule
			for _, op := range ops {
				for alt := range op.Alts {
					all = append(all, trace.Choice{G: op.G, Alt: alt})
				}
			}
			s = s[:len(s):len(s)]
			for _, c := range all[1:] {
				prefixes = append(prefixes, append(s, c))
			}
			s = append(s, all[0])
			if _, err := run.Step(all[0]); err != nil {
				panic(err)
			}
		}
		run.Close()
		traces[traceOf(m, s)]++
		if total++; total > limit {
			return nil
		}
	}
	return traces
}

// explored is what an engine visits of m: traces, with how often.
func explored(t testing.TB, e trace.Engine, m *model) (map[uint64]int, trace.Stats) {
	t.Helper()
	var schedules []trace.Schedule
	stats, err := e.Explore(m, func(x *trace.Execution) bool {
		if !x.Blocked && !x.Pruned {
			schedules = append(schedules, append(trace.Schedule(nil), x.Schedule...))
		}
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", e.Name(), err)
	}
	if !stats.Exhaustive {
		t.Errorf("%s: not exhaustive", e.Name())
	}
	if int(stats.Executions) != len(schedules) {
		t.Errorf("%s: %d executions in the statistics, %d visited", e.Name(), stats.Executions, len(schedules))
	}
	traces := make(map[uint64]int)
	for _, s := range schedules {
		traces[traceOf(m, s)]++
	}
	return traces, stats
}

// checkAgainst compares what engine e visits of m with the truth.
func checkAgainst(t testing.TB, e trace.Engine, m *model, want map[uint64]int) trace.Stats {
	t.Helper()
	got, stats := explored(t, e, m)
	missed, twice := 0, 0
	for f, n := range want {
		switch {
		case got[f] == 0:
			missed++
		case e.Name() == "dfs" && got[f] != n:
			t.Errorf("dfs: %d of %d interleavings of a trace", got[f], n)
		case e.Name() != "dfs" && got[f] != 1:
			twice++
		}
	}
	if missed > 0 || twice > 0 || len(got) > len(want)-missed {
		t.Errorf("%s: %d traces, %d missed, %d visited twice, %d unknown",
			e.Name(), len(want), missed, twice, len(got)-len(want)+missed)
	}
	if e.Name() == "optimal" && stats.Blocked > 0 {
		t.Errorf("optimal: %d blocked executions beside %d", stats.Blocked, stats.Executions)
	}
	return stats
}

var complete = []trace.Engine{DFS{}, DPOR{}, Source{}, Optimal{}}

func TestRandomModels(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 100
	}
	done, traces, blocked := 0, 0, map[string]int64{}
	for seed := uint64(0); done < n; seed++ {
		m := randomModel(rand.New(rand.NewPCG(seed, 1)))
		want := bruteForce(m, 600)
		if want == nil {
			continue
		}
		done++
		traces += len(want)
		for _, e := range complete {
			blocked[e.Name()] += checkAgainst(t, e, m, want).Blocked
		}
		if t.Failed() {
			t.Fatalf("program %d", seed)
		}
	}
	t.Logf("%d programs, %d traces, blocked %v", done, traces, blocked)
}

// TestLargerRandomModels compares the engines with each other, on programs that
// have too many interleavings for brute force.
func TestLargerRandomModels(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	done, traces := 0, 0
	for seed := uint64(0); done < n; seed++ {
		m := randomModel(rand.New(rand.NewPCG(seed, 2)))
		stats, _ := Source{}.Explore(m, func(x *trace.Execution) bool { return x.Stats.Executions < 500 })
		if !stats.Exhaustive || stats.Executions < 50 {
			continue
		}
		done++
		want, _ := explored(t, Source{}, m)
		traces += len(want)
		checkAgainst(t, Optimal{}, m, want)
		checkAgainst(t, DPOR{}, m, want)
		if t.Failed() {
			t.Fatalf("program %d", seed)
		}
	}
	t.Logf("%d programs, %d traces", done, traces)
}

func TestPaperCounts(t *testing.T) {
	for _, c := range paperCounts() {
		for _, e := range complete[1:] {
			t.Run(c.name+"/"+e.Name(), func(t *testing.T) {
				_, stats := explored(t, e, c.m)
				if stats.Executions != c.want {
					t.Errorf("%d executions, want %d", stats.Executions, c.want)
				}
				if e.Name() == "optimal" && stats.Blocked > 0 {
					t.Errorf("%d blocked executions", stats.Blocked)
				}
			})
		}
	}
}

type count struct {
	name string
	m    *model
	want int64
}

func paperCounts() (cs []count) {
	list := func(name string, from int, f func(n int) *model, want ...int64) {
		for i, w := range want {
			cs = append(cs, count{fmt.Sprintf("%s(%d)", name, from+i), f(from + i), w})
		}
	}
	one := func(name string, m *model, want int64) { cs = append(cs, count{name, m, want}) }
	list("readers-writers", 2, readersWriters, 2, 4, 8, 16, 32, 64, 128, 256, 512)
	list("ring", 2, func(n int) *model { return ring(n, 1) }, 2, 6, 14, 30, 62, 126, 254)
	list("ring-extended", 2, func(n int) *model { return ring(n, 2) }, 6, 90, 786, 5730)
	list("branching", 2, branching, 11, 28, 103, 311, 1010, 3165, 10063)
	list("lastzero", 2, func(n int) *model { return lastzero(n, false) }, 2, 6, 16, 40, 96, 224, 512)
	list("lastzero-down", 3, func(n int) *model { return lastzero(n, true) }, 5, 12, 28, 64, 144)
	list("shared-pointer", 1, sharedPointer, 3, 5, 7, 9, 11)
	list("indexer", 9, indexer, 1, 1, 1, 8, 64, 512)
	list("indexer-mod", 2, indexerMod, 2, 6, 24, 120, 720)
	list("ssb", 2, ssb, 4, 6, 8, 10, 12)
	list("ssb-locks", 2, ssbLocks, 4, 6, 8, 10)
	list("mpat", 2, mpat, 8, 48, 384, 3840)
	list("micro(2)", 1, func(k int) *model { return micro(2, k) }, 4, 34)
	list("micro(3)", 1, func(k int) *model { return micro(3, k) }, 36, 7134)
	list("writer-n-readers", 1, writerNReaders, 2, 4, 8, 16, 32, 64)
	one("disp(3,2)", disp(3, 2), 4*9+7*3+2)
	one("disp(5,2)", disp(5, 2), 137)
	one("disp(5,3)", disp(5, 3), 1482)
	one("mpc(2,3)", mpc(2, 3), 66)
	one("mpc(2,4)", mpc(2, 4), 54)
	one("mpc(2,5)", mpc(2, 5), 60)
	one("mpc(3,3)", mpc(3, 3), 2430)
	one("locks(2,3)", locked(2, 3), 20)
	one("locks(3,2)", locked(3, 2), 90)
	one("locks(3,3)", locked(3, 3), 1680)
	one("abba", abba(), 3)
	return cs
}

// TestStop checks that an engine stops when the visitor says so, and tells that
// it has not finished.
func TestStop(t *testing.T) {
	for _, name := range EngineNames() {
		e, _ := EngineNamed(name)
		n := 0
		stats, err := e.Explore(locked(3, 2), func(*trace.Execution) bool { n++; return n < 5 })
		if err != nil || n != 5 || stats.Executions+stats.Blocked+stats.Pruned != 5 || stats.Exhaustive {
			t.Errorf("%s: visited %d, %+v, %v", name, n, stats, err)
		}
	}
}

// schedules returns the executions that e visits, as text.
func schedules(t *testing.T, e trace.Engine, p trace.Program) (all []string) {
	stats, err := e.Explore(p, func(x *trace.Execution) bool {
		all = append(all, fmt.Sprint(x.Schedule))
		return true
	})
	if err != nil || stats.Exhaustive || stats.Executions != int64(len(all)) {
		t.Errorf("%s: %+v, %v", e.Name(), stats, err)
	}
	return all
}

func TestSamplingIsReproducible(t *testing.T) {
	m := &model{cells: 2, threads: []code{
		{choose(3, 0), add(at(0), 1), add(at(1), 1)},
		{add(at(0), 1), add(at(1), 1)},
		{add(at(1), 1), choose(2, 0)},
	}}
	for _, make := range []func(seed uint64) trace.Engine{
		func(seed uint64) trace.Engine { return Random{Seed: seed, Executions: 200} },
		func(seed uint64) trace.Engine { return PCT{Seed: seed, Executions: 200} },
		func(seed uint64) trace.Engine { return POS{Seed: seed, Executions: 200} },
	} {
		a, b, c := schedules(t, make(1), m), schedules(t, make(1), m), schedules(t, make(2), m)
		if len(a) != 200 || !slices.Equal(a, b) {
			t.Errorf("%s: one seed, different executions", make(1).Name())
		}
		if slices.Equal(a, c) {
			t.Errorf("%s: different seeds, the same executions", make(1).Name())
		}
	}
}

// TestSamplingReachesAll checks that every trace of a small program is met.
func TestSamplingReachesAll(t *testing.T) {
	m := locked(3, 1)
	want := bruteForce(m, 1e6)
	for _, e := range []trace.Engine{Random{Executions: 2000}, PCT{Executions: 2000}, POS{Executions: 2000}} {
		met := make(map[uint64]bool)
		var all []trace.Schedule
		e.Explore(m, func(x *trace.Execution) bool {
			all = append(all, slices.Clone(x.Schedule))
			return true
		})
		for _, s := range all {
			met[traceOf(m, s)] = true
		}
		if len(met) != len(want) {
			t.Errorf("%s: %d of %d traces", e.Name(), len(met), len(want))
		}
	}
}

// TestPCTDepth checks that a bug which needs two constraints is not found with a
// depth of one, in which goroutines run one after the other.
func TestPCTDepth(t *testing.T) {
	m := &model{cells: 1, threads: []code{{write(at(0), at(1)), write(at(0), at(0))}, {read(at(0), 0)}}}
	for depth, want := range []bool{1: false, 2: true} {
		if depth == 0 {
			continue
		}
		found := false
		PCT{Depth: depth, Executions: 500}.Explore(m, func(x *trace.Execution) bool {
			found = found || x.Schedule[1].G == 1 && x.Schedule[0].G == 0
			return true
		})
		if found != want {
			t.Errorf("depth %d: found %v", depth, found)
		}
	}
}

func TestEngineNames(t *testing.T) {
	want := []string{"classic-bpor", "dfs", "dpor", "hunt", "iterative-bpor", "lazy-bpor", "lazy-bpor-estimate", "lazy-bpor-slack", "naive-bpor",
		"nidhugg-bpor", "nidhugg-bpor-complete", "optimal", "optimal-bpor", "pct", "pos", "qpor", "random", "source", "source-bpor", "source-bpor-complete",
		"unfold-comb", "unfold-optimal"}
	if got := EngineNames(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, name := range want {
		if e, ok := EngineNamed(name); !ok || e.Name() != name {
			t.Errorf("EngineNamed(%q) = %v, %v", name, e, ok)
		}
	}
	if _, ok := EngineNamed("none"); ok {
		t.Error("an engine of no name")
	}
}
