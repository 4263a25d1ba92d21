package enginetest

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gopor/gopor/internal/oracle"
	"github.com/gopor/gopor/internal/toy"
	"github.com/gopor/gopor/por"
)

// promises says what the engines of package por are held to.
var promises = map[string]Promise{
	"dfs":     Exhaustive,
	"dpor":    SleepSets,
	"source":  SleepSets,
	"optimal": Optimal,
	"random":  Sampling,
	"pct":     Sampling,
	"pos":     Sampling,
}

func subjects(t testing.TB) []Subject {
	var all []Subject
	only := os.Getenv("GOPOR_ENGINE")
	for _, name := range por.EngineNames() {
		promise, ok := promises[name]
		if !ok {
			t.Errorf("the suite does not know what engine %s promises", name)
		}
		if only == "" || only == name {
			e, _ := por.EngineNamed(name)
			all = append(all, Subject{Engine: e, Promise: promise})
		}
	}
	return all
}

// number returns the number in an environment variable.
func number(t testing.TB, name string, without int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

var small = oracle.Limits{Executions: 1000, Depth: 14}

// complain reports that p fails, after shrinking it.
func complain(t testing.TB, subjects []Subject, p *toy.Program, limits oracle.Limits) {
	t.Helper()
	fails := func(q *toy.Program) bool {
		err := VerifyAll(subjects, q, limits)
		return err != nil && !errors.Is(err, oracle.ErrTooBig)
	}
	q := toy.Shrink(p, fails)
	t.Errorf("%v\nthe program, for testdata/corpus:\n%v", VerifyAll(subjects, q, limits), q)
}

// TestCorpus holds the engines to their promises on the programs in testdata.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.toy")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	all := subjects(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := toy.Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := VerifyAll(all, p, oracle.Limits{}); err != nil {
			t.Errorf("%s:\n%v", file, err)
		}
	}
}

// TestRandom holds the engines to their promises on random programs:
// GOPOR_PROGRAMS of them, from GOPOR_SEED.
func TestRandom(t *testing.T) {
	n := number(t, "GOPOR_PROGRAMS", 1500)
	seed := uint64(number(t, "GOPOR_SEED", int64(rand.Uint64()>>33)))
	most := number(t, "GOPOR_FAILURES", 1)
	t.Logf("GOPOR_SEED=%d", seed)
	all := subjects(t)
	var big, failed int64
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		p := toy.Generate(rng.IntN)
		err := VerifyAll(all, p, small)
		if errors.Is(err, oracle.ErrTooBig) {
			big++
			continue
		}
		if err != nil {
			t.Logf("program %d of seed %d:", i, seed)
			complain(t, all, p, small)
			if failed++; failed >= most {
				break
			}
		}
	}
	t.Logf("%d programs, %d too big", n, big)
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
		if err := VerifyAll(all, p, small); err != nil && !errors.Is(err, oracle.ErrTooBig) {
			complain(t, all, p, small)
		}
	})
}
