package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// library is a toy program of which some operations are within a library: those of a goroutine on
// an object for which the function returns true.
type library struct {
	*toy.Runner
	within func(g trace.ID, obj int32) bool
	told   int64 // calls of Left
}

func (l *library) Start() trace.Run { l.Runner.Start(); return l }

func (l *library) Pending() []*trace.Op {
	ops := l.Runner.Pending()
	for _, op := range ops {
		if op.Within = 0; l.within(op.G, op.Obj) {
			op.Within = 1
		}
	}
	return ops
}

func (l *library) Step(c trace.Choice) (*trace.Event, error) {
	l.Pending()
	return l.Runner.Step(c)
}

func (l *library) Left(uintptr) { l.told++ }

// leaving are the engines that leave races within libraries.
func leaving() []string { return []string{"dpor", "source", "optimal", "reverse"} }

// classes returns how often an engine visits each trace of a library, and what it has done.
func classes(t *testing.T, name string, l *library) (map[uint64]int, trace.Stats) {
	e, ok := engine.Named(name)
	if !ok {
		t.Fatalf("no engine %s", name)
	}
	v := verifier{second: toy.New(l.Program()), hb: trace.NewTracker(trace.Dependence)}
	seen := make(map[uint64]int)
	stats, err := e.Explore(l, func(x *trace.Execution) bool {
		if x.Blocked {
			return true
		}
		fp, err := v.class(x.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		seen[fp]++
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return seen, stats
}

func parsed(t *testing.T, text string) *toy.Program {
	p, err := toy.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// second is the number of the second object that is used.
const second = 5

// two is a program in which two goroutines use a variable of the program and then one of the
// library. The orders of both are independent of each other.
const two = `
cell p 0
cell l 0
thread
	spawn 1
	spawn 2
thread
	store p 1
	store l 1
thread
	store p 2
	store l 2
`

// mixed is a program in which main and two goroutines of the library use a lock of the library.
const mixed = `
mutex l
thread
	spawn 1
	spawn 2
	lock l
	unlock l
thread
	lock l
	unlock l
thread
	lock l
	unlock l
`

// TestWithinCounts holds the number of traces that is explored of small programs to what it is by
// hand: with the library's races in one order (level 1), with the races of goroutines that the
// library has started in one order (level 2), and with all of them in every order.
func TestWithinCounts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		within     func(g trace.ID, obj int32) bool
		want       int
	}{
		{"two/kept", two, func(_ trace.ID, o int32) bool { return o == second }, 2},
		{"two/all", two, func(trace.ID, int32) bool { return false }, 4},
		{"two/everything", two, func(trace.ID, int32) bool { return true }, 1},
		{"two/one side", two, func(g trace.ID, _ int32) bool { return g == 2 }, 4},
		{"mixed/kept", mixed, func(trace.ID, int32) bool { return true }, 1},
		{"mixed/started", mixed, func(g trace.ID, _ int32) bool { return g != 0 }, 3},
		{"mixed/all", mixed, func(trace.ID, int32) bool { return false }, 6},
	} {
		for _, name := range leaving() {
			l := &library{Runner: toy.New(parsed(t, c.text)), within: c.within}
			seen, stats := classes(t, name, l)
			if len(seen) != c.want || stats.Executions != int64(c.want) {
				t.Errorf("%s, %s: %d traces in %d executions, want %d", c.name, name, len(seen), stats.Executions, c.want)
			}
			if (stats.Left > 0) != (l.told > 0) || !stats.Exhaustive {
				t.Errorf("%s, %s: %d races left, %d told, exhaustive: %v", c.name, name, stats.Left, l.told, stats.Exhaustive)
			}
		}
	}
}

// TestWithinRandom holds the engines to what they promise of random programs with operations
// within a library: every trace is one of the program, none is visited twice, and if no race was
// left all traces are visited.
func TestWithinRandom(t *testing.T) {
	left, whole, fewer := 0, 0, 0
	for i, p := range toytest.Programs(t, 1500) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
		mask := rand.New(rand.NewPCG(uint64(i), 1)).Uint64() | rand.New(rand.NewPCG(uint64(i), 2)).Uint64()
		within := func(g trace.ID, obj int32) bool { return obj >= 0 && mask>>(uint(g)*7+uint(obj)*3)%64&1 == 1 }
		for _, name := range leaving() {
			l := &library{Runner: toy.New(p), within: within}
			seen, stats := classes(t, name, l)
			if err := judge(name, seen, &stats, l.told, all); err != nil {
				t.Fatalf("program %d, %s: %v\n%v", i, name, err, p)
			}
			switch {
			case stats.Left == 0:
				whole++
			case len(seen) < len(all.Classes):
				fewer++
				fallthrough
			default:
				left++
			}
		}
	}
	t.Logf("%d searches have left races, %d of them visited fewer traces; %d have left none", left, fewer, whole)
	if left < 100 || fewer < 100 || whole < 100 {
		t.Error("that is too few to tell")
	}
}

func judge(name string, seen map[uint64]int, stats *trace.Stats, told int64, all *oracle.Result) error {
	for fp, n := range seen {
		switch {
		case all.Classes[fp] == nil:
			return fmt.Errorf("an execution of no known trace")
		case n > 1:
			return fmt.Errorf("a trace is visited %d times", n)
		}
	}
	promise := promises[name]
	switch {
	case promise.Unblocked && stats.Blocked > 0:
		return fmt.Errorf("%d blocked executions", stats.Blocked)
	case !stats.Exhaustive:
		return fmt.Errorf("the engine says that it was not exhaustive")
	case (stats.Left > 0) != (told > 0):
		return fmt.Errorf("%d races left, and %d were told of", stats.Left, told)
	case stats.Left == 0 && len(seen) != len(all.Classes):
		return fmt.Errorf("no race was left, and %d of %d traces were visited", len(seen), len(all.Classes))
	case len(seen) == 0:
		return fmt.Errorf("no trace was visited")
	}
	return nil
}
