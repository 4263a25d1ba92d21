package enginetest

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched/exec"
)

// published returns an instance of a program of the papers.
func published(t *testing.T, name string, n, m int) *exec.Closure {
	t.Helper()
	p, ok := paper.Named(name)
	if !ok {
		t.Fatalf("no program %q", name)
	}
	if err := p.Check(n, m); err != nil {
		t.Fatal(err)
	}
	c := exec.New(p.Make(n, m), p.Options)
	t.Cleanup(c.Shutdown)
	return c
}

// TestPapers holds the engines to what the oracle finds in the papers' programs at
// small sizes, and the oracle to the papers' counts.
func TestPapers(t *testing.T) {
	engines := subjects(t)
	for _, p := range []struct {
		name string
		n, m int
	}{
		{"readers-writers", 4, 0}, {"ring", 3, 0}, {"branching", 2, 0}, {"lastzero", 3, 0}, {"lastzero-down", 3, 0}, {"shared-pointer", 2, 0},
		{"ssb", 2, 0}, {"ssb-locks", 1, 0}, {"mpat", 2, 0}, {"pi", 2, 0},
		{"micro", 2, 1}, {"micro", 2, 2}, {"micro", 3, 1}, {"writer-n-readers", 3, 0}, {"account", 0, 0}, {"lazy", 0, 0}, {"indexer-mod", 3, 0},
		{"locks", 2, 2}, {"locks", 3, 1}, {"abba", 0, 0}, {"pipeline", 1, 1}, {"fan-in", 2, 2}, {"meet", 2, 1}, {"meet", 2, 2},
		{"waitgroup", 3, 0}, {"readers", 3, 0}, {"readers", 2, 1}, {"select-two", 0, 0},
	} {
		t.Run(fmt.Sprintf("%s(%d,%d)", p.name, p.n, p.m), func(t *testing.T) {
			program, second := published(t, p.name, p.n, p.m), published(t, p.name, p.n, p.m)
			all, err := oracle.Enumerate(program, oracle.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := all.Check(); err != nil {
				t.Error(err)
			}
			named, _ := paper.Named(p.name)
			if want, known := named.Traces(p.n, p.m); !known || int64(len(all.Classes)) != want {
				t.Errorf("%d traces, want %d (known: %v)", len(all.Classes), want, known)
			}
			t.Logf("%d interleavings of %d traces", all.Executions, len(all.Classes))
			for _, s := range engines {
				if err := Verify(s.Engine, s.Promise, program, second, all); err != nil {
					t.Errorf("%s: %v", s.name(), err)
				}
			}
		})
	}
}

// TestBounds checks the least preemptions of the classes of micro(2,2)
// against the figures of the bounded-POR paper.
func TestBounds(t *testing.T) {
	all, err := oracle.Enumerate(published(t, "micro", 2, 2), oracle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for bound, want := range []int{2, 8, 22, 32, 34} {
		got, within := 0, WithinPreemptions(bound)
		for _, c := range all.Classes {
			if within(c) {
				got++
			}
		}
		if got != want {
			t.Errorf("%d traces with at most %d preemptions, want %d", got, bound, want)
		}
	}
}
