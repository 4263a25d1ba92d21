package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/server"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// serverPackage is the package that is a library in these tests.
const serverPackage = "github.com/gopor/gopor/internal/test/server"

// hits has two goroutines of the library, whose handlers have a race. The races of the library's
// lock and of the handlers do not depend on each other: two orders of either.
func hits() {
	var s server.Server
	var n sched.Int64
	s.Start(2, func(worker, before int) { n.Add(1) })
	s.Wait()
}

// opens has a goroutine of the program that meets main inside the library. It fails if want is not
// what Serve says there.
func opens(want bool) func() {
	return func() {
		var s server.Server
		h := sched.Go(func() {
			if s.Serve() != want {
				panic("it is otherwise")
			}
		})
		s.Close()
		h.Join()
	}
}

// overtakes fails if the second goroutine of the library comes to the lock first.
func overtakes(last int) func() {
	return func() {
		var s server.Server
		s.Start(2, func(worker, before int) {
			if worker == last && before == 0 {
				panic("overtaken")
			}
		})
		s.Wait()
	}
}

// one runs one phase alone, by an engine, and returns how many traces it has.
func one(t *testing.T, f func(), e trace.Engine, mode sched.LibraryMode) trace.Stats {
	t.Helper()
	c := closureWithin(f, mode)
	stats, err := e.Explore(c, func(x *trace.Execution) bool { return true })
	if err != nil || !stats.Exhaustive {
		t.Fatal(stats, err)
	}
	return stats
}

func closureWithin(f func(), mode sched.LibraryMode) *exec.Closure {
	return exec.New(f, exec.Options{Races: sched.RaceIgnore, LibraryRaces: exec.LibraryRaces{Library: mode, Libraries: serverPackage}})
}

// TestLibraryLevels holds the number of traces of each level to what it is by hand, for the engines
// that leave races, and for others, which leave none.
func TestLibraryLevels(t *testing.T) {
	modes := []sched.LibraryMode{sched.LibraryKept, sched.LibraryOwn, sched.LibraryAll}
	for _, c := range []struct {
		name string
		f    func()
		want [3]int64
	}{
		{"hits", hits, [3]int64{2, 2, 4}},
		{"opens", func() { var s server.Server; h := sched.Go(func() { s.Serve() }); s.Close(); h.Join() }, [3]int64{1, 2, 2}},
		{"overtakes", overtakes(-1), [3]int64{1, 1, 2}},
	} {
		for i, mode := range modes {
			for _, name := range []string{"optimal", "source", "dpor", "reverse"} {
				e, _ := engine.Named(name)
				stats := one(t, c.f, e, mode)
				if stats.Executions != c.want[i] || (stats.Left > 0) != (c.want[i] < c.want[2]) {
					t.Errorf("%s, %s, mode %d: %d traces, %d races left, want %d traces", c.name, name, mode, stats.Executions, stats.Left, c.want[i])
				}
			}
			for _, e := range []trace.Engine{engine.Eager{}, engine.DFS{}} {
				if stats := one(t, c.f, e, mode); stats.Executions < c.want[2] || stats.Left != 0 {
					t.Errorf("%s, %s, mode %d: %d executions, %d races left", c.name, e.Name(), mode, stats.Executions, stats.Left)
				}
			}
		}
	}
}

// TestLibraryPhases: failures that need an order of the library's own operations are found, in the
// phase that has this order, and verdicts name what was left.
func TestLibraryPhases(t *testing.T) {
	const (
		kept1 = "the only trace explored in discrete time with races inside libraries in one order, it does not fail; "
		own1  = "the only trace explored in discrete time with races among a library's goroutines in one order, it does not fail; "
	)
	library := por.Library(serverPackage)
	for _, c := range []struct {
		name  string
		f     func()
		opts  []por.Option
		fails bool
		want  string // the beginning of the verdict
	}{
		{"hits", hits, nil, false, "all 4 traces explored, none fails (exhaustive, "},
		{"hits at once", hits, []por.Option{por.Model(sched.ModelLibrary)}, false, "all 4 traces explored, none fails (exhaustive, "},
		{"open", opens(true), nil, true, "1 execution explored with races inside libraries in one order in "},
		{"closed", opens(false), nil, true, kept1 + "2 executions explored in discrete time with races among a library's goroutines in one order in "},
		{"overtakes 0", overtakes(0), nil, true, "1 execution explored with races inside libraries in one order in "},
		{"overtakes 1", overtakes(1), nil, true, own1 + "2 executions explored in discrete time with all races inside libraries in "},
		{"two executions", hits, []por.Option{por.MaxExecutions(2)}, false, "2 executions explored with races inside libraries in one order in "},
		{"three executions", hits, []por.Option{por.MaxExecutions(3)}, false,
			"all 2 traces explored in discrete time with races inside libraries in one order, none fails; 1 execution explored in discrete time with races among a library's goroutines in one order in "},
		{"five executions", hits, []por.Option{por.MaxExecutions(5)}, false,
			"all 2 traces explored in discrete time with races among a library's goroutines in one order, none fails; 1 execution explored in discrete time with all races inside libraries in "},
		{"granted", hits, []por.Option{por.Grant(sched.AssumeModel)}, false,
			"all 2 traces explored with races inside libraries in one order, none fails (exhaustive, granted: data races are ignored, races inside libraries keep their order; "},
		{"exhaustive", hits, []por.Option{por.Exhaustive()}, false, "all 4 traces explored, none fails (exhaustive, "},
		{"with time", hits, []por.Option{por.MaxTime(5 * time.Second)}, false, "all 4 traces explored, none fails (exhaustive, "},
		{"by reverse search", hits, []por.Option{por.Engine(engine.Reverse{})}, false, "all 4 traces explored, none fails (exhaustive, "},
		{"by workers", hits, []por.Option{por.Workers(2)}, false, "all 4 traces explored, none fails (exhaustive, "},
	} {
		res, err := por.Explore(c.f, append(c.opts, library, por.Races(sched.RaceIgnore), por.NoSave())...)
		if err != nil || (len(res.Failures) > 0) != c.fails || !strings.HasPrefix(res.Verdict.String(), c.want) {
			t.Errorf("%s: %v, %v", c.name, err, res.Verdict)
		}
	}
}
