package paper

import (
	"fmt"
	"os"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestBruteForce counts the traces of small programs without any engine.
func TestBruteForce(t *testing.T) {
	for _, k := range []struct {
		name string
		n, m int
	}{
		{"readers-writers", 5, 0}, {"ring", 4, 0}, {"ring-extended", 3, 0}, {"branching", 3, 0},
		{"lastzero", 4, 0}, {"lastzero-down", 4, 0}, {"shared-pointer", 3, 0},
		{"ssb", 3, 0}, {"ssb-steps", 3, 0}, {"ssb-locks", 3, 0}, {"disp", 2, 2}, {"mpat", 2, 0}, {"mpc", 2, 2}, {"pi", 3, 0},
		{"pol", 2, 1}, {"pol", 2, 2},
		{"micro", 2, 2}, {"writer-n-readers", 4, 0}, {"account", 0, 0}, {"lazy", 0, 0}, {"indexer-mod", 4, 0},
		{"locks", 2, 2}, {"abba", 0, 0}, {"pipeline", 2, 2}, {"fan-in", 2, 2}, {"meet", 2, 1},
		{"waitgroup", 4, 0}, {"readers", 4, 0}, {"readers", 4, 1}, {"readers", 2, 2}, {"select-two", 0, 0},
	} {
		t.Run(fmt.Sprintf("%s(%d,%d)", k.name, k.n, k.m), func(t *testing.T) {
			if k.name == "mpc" && (!effort.Full() || effort.Race) {
				t.Skip("takes seconds")
			}
			p := named(t, k.name, k.n, k.m)
			c := exec.New(p.Make(k.n, k.m), p.Options)
			defer c.Shutdown()
			all, err := oracle.Traces(c, oracle.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := int64(len(all.Classes))
			if want, known := p.Traces(k.n, k.m); known && got != want {
				t.Errorf("%d traces, want %d", got, want)
			}
			checkEngines(t, p, k.n, k.m, got)
		})
	}
}

func named(t *testing.T, name string, n, m int) Program {
	t.Helper()
	p, ok := Named(name)
	if !ok {
		t.Fatalf("no program %q", name)
	}
	if err := p.Check(n, m); err != nil {
		t.Fatal(err)
	}
	return p
}

// checkEngines asserts that source and optimal DPOR and reverse search, and the first DPOR and Eager POR where
// there are not too many, visit every trace once, and that executions fail where they should.
func checkEngines(t *testing.T, p Program, n, m int, want int64) {
	t.Helper()
	for _, name := range []string{"source", "optimal", "reverse", "dpor", "epor"} {
		if (name == "dpor" || name == "epor") && want > most {
			continue
		}
		e, _ := engine.Named(name)
		c := exec.New(p.Make(n, m), p.Options)
		failing := 0
		var first string
		st, err := e.Explore(c, func(x *trace.Execution) bool {
			if f := x.Run.Outcome(); !x.Blocked && len(f) > 0 {
				failing++
				first = f[0].String()
			}
			return true
		})
		c.Shutdown()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if st.Executions != want {
			t.Errorf("%s: %d executions, want %d", name, st.Executions, want)
		}
		if (name == "optimal" || name == "reverse") && st.Blocked != 0 {
			t.Errorf("%s: %d blocked executions", name, st.Blocked)
		}
		wantFailing := 0
		if p.Name == "abba" {
			wantFailing = 1
		}
		if failing != wantFailing {
			t.Errorf("%s: %d executions fail, want %d: %s", name, failing, wantFailing, first)
		}
		rate := float64(st.Executions) / st.Elapsed.Seconds()
		t.Logf("%s: %d executions, %d blocked, %.3fs, %.0f/s", name, st.Executions, st.Blocked, st.Elapsed.Seconds(), rate)
	}
}

// most is how many traces a program may have to be explored in a hurry, or by DPOR.
const most = 1000

// sizes are those for which the counts are asserted. The long ones take minutes
// all in all; GOPOR_LONG=1 asks for them. Without GOPOR_FULL=1, or under the race detector, only
// the smallest are run.
var sizes = []struct {
	name  string
	short [][2]int
	long  [][2]int
}{
	{"readers-writers", [][2]int{{1}, {2}, {3}, {7}, {10}, {14}}, [][2]int{{17}}},
	{"ring", [][2]int{{2}, {3}, {4}, {5}, {6}, {7}, {8}, {13}}, [][2]int{{14}, {17}}},
	{"ring-extended", [][2]int{{2}, {3}, {4}, {5}}, [][2]int{{6}, {7}, {8}}},
	{"branching", [][2]int{{2}, {3}, {4}, {5}, {6}, {7}, {8}}, [][2]int{{9}, {10}, {11}}},
	{"lastzero", [][2]int{{2}, {3}, {4}, {5}, {6}, {7}, {8}, {10}}, [][2]int{{14}}},
	{"lastzero-down", [][2]int{{3}, {4}, {5}, {6}, {7}, {11}}, [][2]int{{13}, {16}}},
	{"shared-pointer", [][2]int{{1}, {2}, {50}}, [][2]int{{100}}},
	{"indexer", [][2]int{{1}, {5}, {11}, {12}, {13}, {14}}, [][2]int{{15}, {16}}},

	{"ssb", [][2]int{{1}, {2}, {3}, {8}, {12}}, [][2]int{{20}}},
	{"ssb-steps", [][2]int{{1}, {2}, {3}, {8}}, [][2]int{{12}}},
	{"ssb-locks", [][2]int{{1}, {2}, {3}, {8}}, [][2]int{{12}}},
	{"disp", [][2]int{{2, 2}, {5, 2}, {5, 3}}, [][2]int{{5, 4}, {5, 5}}},
	{"mpat", [][2]int{{1}, {2}, {3}, {4}, {5}}, [][2]int{{6}, {7}}},
	{"mpc", [][2]int{{2, 3}, {2, 4}, {2, 5}, {3, 4}}, [][2]int{{3, 3}, {3, 5}, {3, 7}, {4, 5}}},
	{"pi", [][2]int{{1}, {5}, {7}}, [][2]int{{9}}},
	{"pol", [][2]int{{3, 1}, {5, 2}, {4, 3}}, [][2]int{{7, 3}, {8, 3}, {10, 3}, {12, 3}}},

	{"micro", [][2]int{{1, 3}, {2, 1}, {2, 2}, {3, 1}, {3, 2}}, [][2]int{{2, 5}}},
	{"writer-n-readers", [][2]int{{1}, {2}, {3}, {12}}, nil},
	{"writers-reader", [][2]int{{1}, {2}, {5}}, [][2]int{{7}}},
	{"account", [][2]int{{}}, nil},
	{"lazy", [][2]int{{}}, nil},
	{"indexer-mod", [][2]int{{1}, {2}, {5}, {6}}, [][2]int{{8}}},

	{"micro-start", [][2]int{{2, 2}, {3, 1}}, nil},
	{"account-start", [][2]int{{}}, nil},
	{"lazy-start", [][2]int{{}}, nil},
	{"indexer-start", [][2]int{{12}}, nil},
	{"indexer-mod-start", [][2]int{{4}}, nil},
	{"lastzero-start", [][2]int{{2}, {5}}, nil},
	{"lastzero-down-start", [][2]int{{3}, {5}}, nil},

	{"locks", [][2]int{{1, 5}, {2, 3}, {3, 2}, {3, 3}}, [][2]int{{4, 3}}},
	{"abba", [][2]int{{}}, nil},
	{"pipeline", [][2]int{{1, 0}, {1, 1}, {3, 3}, {5, 100}}, nil},
	{"fan-in", [][2]int{{1, 5}, {2, 3}, {3, 2}, {3, 3}}, [][2]int{{4, 3}}},
	{"meet", [][2]int{{1, 3}, {2, 1}, {2, 2}, {3, 1}}, [][2]int{{2, 4}}},
	{"waitgroup", [][2]int{{1}, {5}, {30}}, nil},
	{"readers", [][2]int{{5, 0}, {30, 0}, {0, 1}, {1, 1}, {10, 1}, {4, 2}}, nil},
	{"select-two", [][2]int{{}}, nil},
}

func TestCounts(t *testing.T) {
	for _, s := range sizes {
		t.Run(s.name, func(t *testing.T) {
			all := s.short
			if os.Getenv("GOPOR_LONG") != "" {
				all = append(all[:len(all):len(all)], s.long...)
			}
			for _, k := range all {
				t.Run(fmt.Sprintf("%d,%d", k[0], k[1]), func(t *testing.T) {
					p := named(t, s.name, k[0], k[1])
					want, known := p.Traces(k[0], k[1])
					if !known {
						t.Fatal("the count is not known")
					}
					if (!effort.Full() || effort.Race) && want > most {
						t.Skip("too many traces to explore in a hurry")
					}
					checkEngines(t, p, k[0], k[1], want)
				})
			}
		})
	}
}

// TestRegistry checks that every program is tested, and can be made at its
// default and least sizes.
func TestRegistry(t *testing.T) {
	tested := make(map[string]bool)
	for _, s := range sizes {
		tested[s.name] = true
	}
	for _, p := range Programs() {
		if !tested[p.Name] {
			t.Errorf("%s is not in the table of sizes", p.Name)
		}
		for _, k := range [][2]int{{p.N.Default, p.M.Default}, {p.N.Min, p.M.Min}, {p.N.Max, p.M.Max}} {
			if err := p.Check(k[0], k[1]); err != nil {
				t.Error(err)
			}
		}
		if p.Check(p.N.Max+1, p.M.Default) == nil || p.Check(p.N.Default, p.M.Max+1) == nil {
			t.Errorf("%s: a size that is too large is accepted", p.Name)
		}
		least := exec.New(p.Make(p.N.Min, p.M.Min), p.Options)
		if st, err := (engine.Optimal{}).Explore(least, func(*trace.Execution) bool { return true }); err != nil || !st.Exhaustive {
			t.Errorf("%s at its least size: %v, %v", p.Name, st, err)
		}
		least.Shutdown()
	}
	if _, ok := Named("nobody"); ok {
		t.Error("there is a program called nobody")
	}
}

// A private read makes no difference to the traces, and to engines with bounds
// only at the start of goroutines: there a preemption is possible, and a block
// begins, before anything is shared.
func TestPrivate(t *testing.T) {
	count := func(e trace.Engine, f func()) int64 {
		c := exec.New(f, explore)
		defer c.Shutdown()
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return stats.Executions
	}
	programs := map[string]func(p Private) func(){
		"micro":         func(p Private) func() { return p.Micro(2, 2) },
		"account":       Private.Account,
		"lazy":          Private.Lazy,
		"indexer":       func(p Private) func() { return p.Indexer(12) },
		"indexer-mod":   func(p Private) func() { return p.IndexerMod(4) },
		"lastzero":      func(p Private) func() { return p.LastZero(4) },
		"lastzero-down": func(p Private) func() { return p.LastZeroDown(4) },
	}
	for name, program := range programs {
		plain := program(Private{})
		for _, p := range []Private{{Start: 1}, {Start: 2}, {Inside: 1}, {End: 1}, {1, 2, 1}} {
			if n, want := count(engine.Optimal{}, program(p)), count(engine.Optimal{}, plain); n != want {
				t.Errorf("%s, %+v: %d traces, want %d", name, p, n, want)
			}
		}
		changed := false
		for b := range 3 {
			for _, e := range []trace.Engine{bpor.Naive{Bound: bpor.Preemptions(b)}, bpor.Nidhugg{Bound: bpor.Preemptions(b)}, bpor.Source{Bound: bpor.Preemptions(b)}} {
				want := count(e, plain)
				if n := count(e, program(Private{End: 1})); n != want {
					t.Errorf("%s, %s with bound %d: %d executions with a read at the end, %d without", name, e.Name(), b, n, want)
				}
				one := count(e, program(Private{Start: 1}))
				if n := count(e, program(Private{Start: 2})); n != one {
					t.Errorf("%s, %s with bound %d: %d executions with two reads at the start, %d with one", name, e.Name(), b, n, one)
				}
				changed = changed || one != want
			}
		}
		if !changed {
			t.Errorf("%s: a read at the start makes no difference", name)
		}
	}
}
