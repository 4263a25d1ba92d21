package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/toy/toytest"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/unfold"
)

// candidates are the engines that promise to visit every trace.
var candidates = []Candidate{
	{Engine: por.Source{}, Promise: Once},
	{Engine: por.DPOR{}, Promise: Once},
	{Engine: por.Optimal{}, Promise: Once | Unblocked},
	{Engine: unfold.QPOR{K: 1}, Promise: Once, Name: "qpor 1"},
	{Engine: unfold.QPOR{K: 2}, Promise: Once, Name: "qpor 2"},
	{Engine: unfold.Optimal{}, Promise: Once | Unblocked},
	{Engine: unfold.Optimal{Comb: true}, Promise: Once | Unblocked},
	{Engine: bpor.Source{Complete: true}},
	{Engine: bpor.Lazy{Slack: bpor.Enough}, Promise: Once},
	{Engine: bpor.Optimal{Slack: bpor.Enough}, Promise: Once | Unblocked},
	{Engine: bpor.Iterative{UpTo: bpor.Preemptions(1 << 30)}, Promise: Once},
	{Engine: por.Hunt{Time: time.Hour}, Promise: Once},
}

// unrepaired names families of programs on which engines are known to disagree,
// with the reason. They are judged if GOPOR_FAMILY names them, or is "all".
var unrepaired = map[string]string{
	"deadlines-any": "the firing of a context's deadline touches the clock, and a cancel that comes before it does not",
	"memory":        "memory is divided in the order in which its uses are published",
}

// families returns those that the environment wants, by default all that are not
// known to fail.
func families(t testing.TB, known ...map[string]string) (list []*Family) {
	names := os.Getenv("GOPOR_FAMILY")
	for i := range Families {
		f := &Families[i]
		failing := slices.ContainsFunc(known, func(m map[string]string) bool { return m[f.Name] != "" })
		if names == "" && !failing || names == "all" || slices.Contains(strings.Split(names, ","), f.Name) {
			list = append(list, f)
		}
	}
	if list == nil {
		t.Fatalf("GOPOR_FAMILY: no family is called %q", names)
	}
	return list
}

// seeds says how many programs there are to be, and where they come from: number i
// is drawn with seed(i).
func seeds(t testing.TB, n int64) (int64, func(i int64) *rand.Rand) {
	if testing.Short() {
		n /= 5
	}
	n = toytest.Number(t, "GOPOR_PROGRAMS", n)
	fresh := uint64(toytest.Number(t, "GOPOR_SEED", int64(rand.Uint64()>>33)))
	fixed := int64(0)
	if os.Getenv("GOPOR_SEED") == "" {
		fixed = n / 4
	}
	t.Logf("GOPOR_SEED=%d for programs from number %d on", fresh, fixed)
	return n, func(i int64) *rand.Rand {
		seed := fresh
		if i < fixed {
			seed = 1
		}
		return rand.New(rand.NewPCG(seed, uint64(i)))
	}
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
// families in turn.
func TestPrograms(t *testing.T) {
	n, source := seeds(t, 8000)
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	list := families(t, unrepaired)
	var mu sync.Mutex
	var judges []*Judge
	var failed atomic.Int64
	big := make([]int64, len(list))
	begin := time.Now()
	parallel(n, func() *Judge {
		j := &Judge{Candidates: candidates, Most: 500}
		mu.Lock()
		defer mu.Unlock()
		judges = append(judges, j)
		return j
	}, func(j *Judge, i int64) bool {
		k := i % int64(len(list))
		p := Generate(list[k], source(i))
		err := j.Verify(p)
		if errors.Is(err, ErrTooBig) {
			atomic.AddInt64(&big[k], 1)
		} else if err != nil {
			mu.Lock()
			defer mu.Unlock()
			complain(t, fmt.Sprintf("program %d, %s", i, list[k].Name), p)
			failed.Add(1)
		}
		return failed.Load() < most
	})
	var sum Judge
	for _, j := range judges {
		sum.Programs += j.Programs
		sum.Executions += j.Executions
		sum.Classes += j.Classes
	}
	seconds := time.Since(begin).Seconds()
	t.Logf("%d programs judged in %.1f s, %.0f a second, of %.1f interleavings and %.1f traces; too big:", sum.Programs, seconds, float64(sum.Programs)/seconds,
		float64(sum.Executions)/float64(sum.Programs), float64(sum.Classes)/float64(sum.Programs))
	for k, f := range list {
		t.Logf("%14s %d of %d", f.Name, big[k], (n+int64(len(list)-1-k))/int64(len(list)))
	}
}

// complain reports that p fails, after making it smaller.
func complain(t *testing.T, what string, p *Program) {
	t.Helper()
	judge := func(q *Program) error { return (&Judge{Candidates: candidates, Most: 500}).Verify(q) }
	first := judge(p)
	q := Shrink(p, func(q *Program) bool {
		err := judge(q)
		return err != nil && !errors.Is(err, ErrTooBig)
	})
	t.Errorf("%s: %v\nit shrinks to a program for testdata/corpus, of which is said:\n%v\n%v", what, first, judge(q), q)
}

func TestYield(t *testing.T) {
	for i := range Families {
		f := &Families[i]
		j := Judge{Most: 500}
		for k := range int64(500) {
			j.Verify(Generate(f, rand.New(rand.NewPCG(1, uint64(k)))))
		}
		t.Logf("%14s %d of 500, %.1f interleavings %.1f traces", f.Name, j.Programs, float64(j.Executions)/float64(j.Programs), float64(j.Classes)/float64(j.Programs))
	}
}
