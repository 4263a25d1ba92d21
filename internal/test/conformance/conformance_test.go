package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/unfold"
)

// candidates are the engines that promise to visit every trace.
var candidates = []Candidate{
	{Engine: engine.Source{}, Promise: Once},
	{Engine: engine.DPOR{}, Promise: Once},
	{Engine: engine.Optimal{}, Promise: Once | Unblocked},
	{Engine: engine.Reverse{}, Promise: Once | Unblocked},
	{Engine: engine.Eager{}, Promise: Once},
	{Engine: engine.EagerShort{}, Promise: Once},
	{Engine: engine.EagerAdaptive{}, Promise: Once},
	{Engine: unfold.QPOR{K: 1}, Promise: Once, Name: "qpor 1"},
	{Engine: unfold.QPOR{K: 2}, Promise: Once, Name: "qpor 2"},
	{Engine: unfold.Optimal{}, Promise: Once | Unblocked},
	{Engine: unfold.Optimal{Comb: true}, Promise: Once | Unblocked},
	{Engine: bpor.Source{Complete: true}},
	{Engine: bpor.Lazy{Slack: bpor.Enough}, Promise: Once},
	{Engine: bpor.Optimal{Slack: bpor.Enough}, Promise: Once | Unblocked},
	{Engine: bpor.Iterative{UpTo: bpor.Preemptions(1 << 30)}, Promise: Once},
	{Engine: engine.Hunt{Time: time.Hour}, Promise: Once},
	{Engine: engine.Stateful{}, Promise: Outcomes},
	{Engine: engine.SPOR{}, Promise: Outcomes},
	{Engine: engine.DESPOR{}, Promise: Outcomes},
	{Engine: engine.DLSPOR{}, Promise: Outcomes},
}

// families returns those that the environment wants, by default all.
func families(t testing.TB) (list []*Family) {
	names := os.Getenv("GOPOR_FAMILY")
	for i := range Families {
		f := &Families[i]
		if names == "" || slices.Contains(strings.Split(names, ","), f.Name) {
			list = append(list, f)
		}
	}
	if list == nil {
		t.Fatalf("GOPOR_FAMILY: no family is called %q", names)
	}
	return list
}

// parallel calls f with the numbers up to n, on as many goroutines as there are
// processors, until f returns false. Each has a state of its own.
func parallel[S any](n int64, begin func() S, f func(s S, i int64) bool) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			s := begin()
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				if !f(s, i) {
					next.Store(n)
				}
			}
		})
	}
	wg.Wait()
}

// TestPrograms holds the engines to their promises on random programs, of all
// families in turn, and sees to it that most programs are of use to the judge.
func TestPrograms(t *testing.T) {
	n, source := toytest.Seeds(t, 4000)
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	list := families(t)
	var mu sync.Mutex
	failed := int64(0)
	sums := make([]Judge, len(list))
	parallel(n, func() *Judge { return &Judge{Candidates: candidates, Most: 500} }, func(j *Judge, i int64) bool {
		k := i % int64(len(list))
		p := Generate(list[k], source(i))
		j.Programs, j.Executions, j.Classes = 0, 0, 0
		err := j.Verify(p)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !errors.Is(err, ErrTooBig) {
			complain(t, fmt.Sprintf("program %d, %s", i, list[k].Name), p)
			failed++
		}
		sum := &sums[k]
		sum.Programs += j.Programs
		sum.Executions += j.Executions
		sum.Classes += j.Classes
		return failed < most
	})
	for k, f := range list {
		all, sum := (n+int64(len(list)-1-k))/int64(len(list)), &sums[k]
		t.Logf("%14s %d of %d, %.1f interleavings, %.1f traces", f.Name, sum.Programs, all,
			float64(sum.Executions)/float64(sum.Programs), float64(sum.Classes)/float64(sum.Programs))
		if failed == 0 && all >= 40 && (sum.Programs < all/3 || sum.Classes < 3*sum.Programs/2) {
			t.Errorf("%s: too few programs are left, or they have too few traces", f.Name)
		}
	}
}

// complain reports that p fails, after making it smaller.
func complain(t *testing.T, what string, p *Program) {
	t.Helper()
	complainBy(t, what, p, func(q *Program) error { return (&Judge{Candidates: candidates, Most: 500}).Verify(q) })
}

// complainBy is complain with another judge.
func complainBy(t *testing.T, what string, p *Program, judge func(*Program) error) {
	t.Helper()
	first := judge(p)
	q := Shrink(p, func(q *Program) bool {
		err := judge(q)
		return err != nil && !errors.Is(err, ErrTooBig)
	})
	t.Errorf("%s: %v\nit shrinks to a program for testdata/corpus, of which is said:\n%v\n%v", what, first, judge(q), q)
}

// TestCorpus holds the engines to their promises on the programs in testdata.
func TestCorpus(t *testing.T) {
	for name, p := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			if err := (&Judge{Candidates: candidates, Most: 100_000}).Verify(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// corpus returns the programs in testdata, by the names of their files.
func corpus(t testing.TB) map[string]*Program {
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	all := make(map[string]*Program)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txt")] = p
	}
	return all
}

// TestText writes programs and reads them again.
func TestText(t *testing.T) {
	for i := range Families {
		for k := range uint64(50) {
			p := Generate(&Families[i], rand.New(rand.NewPCG(1, k)))
			q, err := Parse(p.String())
			if err != nil || q.String() != p.String() {
				t.Fatalf("%v\n%v\nis read as\n%v", err, p, q)
			}
		}
	}
	for text, want := range map[string]string{
		"":                                   "a program needs a function",
		"mutex m\nmutex m\nfunc\n":           "two objects",
		"sponge s\nfunc\n":                   "no kind",
		"cond c\nfunc\n":                     "strconv",
		"func\n lock m\n":                    "no object",
		"mutex m\nfunc\n rlock m\n":          "not for that object",
		"func\n go 0\n":                      "argument 0",
		"global timer t 1\nfunc\n":           "somebody has to make it",
		"chan c 7\nfunc\n":                   "none of",
		"func\n choose 2 3\n":                "too much",
		"chan c 0\nfunc\n select take c\n":   "none of send, recv, default",
		"mutex m\nfunc\n select recv m\n":    "cannot be",
		"chan c 0 in 3\nfunc\n":              "no function 3",
		"after a 1 0\nfunc\n":                "runs function 0",
		"time never\nfunc\n":                 "none of discrete, any, lag",
		"mutex m\nglobal cond c m 0\nfunc\n": "nobody makes",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
