package por

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/hb"
	"github.com/gopor/gopor/sched"
)

// traceOf performs a schedule again and returns the fingerprint of its trace.
func traceOf(p sched.Program, s sched.Schedule) uint64 {
	run := p.Start()
	defer run.Close()
	t := hb.NewTracker(sched.Relation)
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
	var visit func(prefix sched.Schedule) bool
	visit = func(prefix sched.Schedule) bool {
		run := m.Start()
		if err := run.Replay(prefix); err != nil {
			panic(err)
		}
		var next sched.Schedule
		for _, op := range run.Pending() {
			for alt := range op.Alts {
				next = append(next, sched.Choice{G: op.G, Alt: alt})
			}
		}
		run.Close()
		if len(next) == 0 {
			traces[traceOf(m, prefix)]++
			total++
			return total <= limit
		}
		for _, c := range next {
			if !visit(append(prefix[:len(prefix):len(prefix)], c)) {
				return false
			}
		}
		return true
	}
	if !visit(nil) {
		return nil
	}
	return traces
}

// explored is what an engine visits of m: traces, with how often.
func explored(t testing.TB, e sched.Engine, m *model) (map[uint64]int, sched.Stats) {
	t.Helper()
	var schedules []sched.Schedule
	stats, err := e.Explore(m, func(x *sched.Execution) bool {
		if !x.Blocked {
			schedules = append(schedules, append(sched.Schedule(nil), x.Schedule...))
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
func checkAgainst(t testing.TB, e sched.Engine, m *model, want map[uint64]int) sched.Stats {
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

var complete = []sched.Engine{DFS{}, DPOR{}, Source{}, Optimal{}}

func TestRandomModels(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 500
	}
	done, traces, blocked := 0, 0, map[string]int64{}
	for seed := uint64(0); done < n; seed++ {
		m := randomModel(rand.New(rand.NewPCG(seed, 1)))
		want := bruteForce(m, 3000)
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
