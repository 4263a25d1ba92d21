package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
)

// promises says what the engines of package por are held to.
var promises = map[string]Promise{
	"dfs":           Exhaustive,
	"dpor":          SleepSets,
	"source":        SleepSets,
	"optimal":       Optimal,
	"auto":          Optimal,
	"reverse":       Optimal,
	"epor":          SleepSets,
	"epor-sh":       SleepSets,
	"epor-adaptive": SleepSets,
	"random":        Sampling,
	"pct":           Sampling,
	"pos":           Sampling,
	"surw":          Sampling,

	"stateful-dfs": Stateful,
	"s-por":        Stateful,
	"de-s-por":     Stateful,
	"dl-s-por":     Stateful,

	"naive-bpor":            SleepSets,
	"classic-bpor":          Complete,
	"nidhugg-bpor":          SleepSets,
	"nidhugg-bpor-complete": Complete,
	"source-bpor":           SleepSets,
	"source-bpor-complete":  Complete,
	"lazy-bpor":             SleepSets,
	"lazy-bpor-slack":       SleepSets,
	"lazy-bpor-estimate":    SleepSets,
	"optimal-bpor":          Optimal,
	"iterative-bpor":        SleepSets,
	"hunt":                  {Samples: 300},

	"qpor":           SleepSets,
	"unfold-optimal": Optimal,
	"unfold-comb":    Optimal,
}

func subjects(t testing.TB) []Subject {
	var all []Subject
	only := os.Getenv("GOPOR_ENGINE")
	for _, name := range engine.Names() {
		promise, ok := promises[name]
		if !ok {
			t.Errorf("the suite does not know what engine %s promises", name)
		}
		if only == "" || only == name {
			e, _ := engine.Named(name)
			all = append(all, Subject{Engine: e, Promise: promise})
		}
	}
	return all
}

// corpus returns the programs in testdata, by the names of their files.
func corpus(t *testing.T) map[string]*toy.Program {
	files, err := filepath.Glob("testdata/corpus/*.toy")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	programs := make(map[string]*toy.Program)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if programs[file], err = toy.Parse(string(text)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return programs
}

// TestCorpus holds the engines to their promises on the programs in testdata.
func TestCorpus(t *testing.T) {
	all := subjects(t)
	for file, p := range corpus(t) {
		if err := VerifyAll(all, p, oracle.Limits{}); err != nil {
			t.Errorf("%s:\n%v", file, err)
		}
	}
}

// TestRandom holds the engines to their promises on random programs.
func TestRandom(t *testing.T) { Random(t, subjects(t), 1500) }

// TestLarger is TestRandom for the engines that visit every trace once, with programs
// that have too many interleavings for brute force, and dozens of traces.
func TestLarger(t *testing.T) {
	once := slices.DeleteFunc(subjects(t), func(s Subject) bool { return !s.Promise.Once })
	judged := 0
	for i, p := range toytest.Programs(t, 1500) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if errors.Is(err, oracle.ErrTooBig) || len(all.Classes) < 30 {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
		judged++
		for _, s := range once {
			if err := Verify(s.Engine, s.Promise, toy.New(p), toy.New(p), all); err != nil {
				t.Fatalf("program %d, %s: %v\n%v", i, s.name(), err, p)
			}
		}
	}
	t.Logf("%d programs have from 30 to 300 traces", judged)
}

// TestImpatient is TestRandom with engines that keep nobody waiting for long,
// which they otherwise do in executions only that are longer than these, and that take a few
// goroutines for a crowd.
func TestImpatient(t *testing.T) {
	for _, patience := range []int{1, 3} {
		for _, crowd := range []int{64, 1} {
			t.Run(fmt.Sprintf("patience=%d/crowd=%d", patience, crowd), func(t *testing.T) {
				defer search.SetPatience(patience, crowd)()
				Random(t, subjects(t), 300)
			})
		}
	}
}

// FuzzEngines draws programs from bytes.
func FuzzEngines(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		data := make([]byte, 80)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	all := subjects(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := toy.FromBytes(data)
		if err := VerifyAll(all, p, Small); err != nil && !errors.Is(err, oracle.ErrTooBig) {
			complain(t, all, p)
		}
	})
}
