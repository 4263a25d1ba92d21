package irs

import (
	"testing"

	"github.com/gopor/gopor/examples/paper"
)

// TestCandidates verifies from each of the candidates on: all are executions, and all lead to
// the same in the end.
func TestCandidates(t *testing.T) {
	p, _ := paper.Named("lastzero")
	f := p.Make(6, 0)
	want, _ := p.Traces(6, 0)
	first := make(map[string]bool)
	for k := range 6 {
		c := closure(t, f, p.Options)
		o := Options{Sched: p.Options, First: candidate(c, k)}
		var longest *Prefix
		o.Relaxed = func(p *Prefix) {
			if longest == nil {
				longest = p
			}
		}
		r, err := VerifyProgram(t.Context(), c, o)
		if err != nil || !r.Prefix.Complete || r.Stats.Executions != want {
			t.Errorf("candidate %d: %v, %d executions: %v", k, r.Prefix, r.Stats.Executions, err)
		}
		if len(longest.Events) != len(o.First) {
			t.Errorf("candidate %d has %d events, and its prefix %d", k, len(o.First), len(longest.Events))
		}
		text := ""
		for _, e := range longest.Events {
			text += longest.Name(e.G) + " "
		}
		first[text] = true
	}
	if len(first) < 5 {
		t.Errorf("there are %d candidates that differ", len(first))
	}
	o := Options{Sched: p.Options, Candidates: 5}
	if _, r := admissible(t, f, o); !r.Prefix.Complete || r.Stats.Executions != want {
		t.Errorf("the result is %v", r.Prefix)
	}
}

// TestFewest verifies programs that fail from each of the candidates on: the result has the
// fewest constraints, and is as safe as any.
func TestFewest(t *testing.T) {
	want := map[string]int{"condition looked at once": 2, "Add in the goroutine (cockroach1055)": 1}
	for _, b := range buggy {
		p, _ := admissible(t, b.f, explored)
		o := explored
		o.Candidates = 8
		var last *Prefix
		o.Relaxed = func(p *Prefix) { last = p }
		q, r := admissible(t, b.f, o)
		if n, ok := want[b.name]; len(q.Constraints) > len(p.Constraints) || ok && len(q.Constraints) != n || last != q || r.Failure == nil {
			t.Errorf("%s: %v, and of the candidates %v; relaxed to %v", b.name, p, q, last)
		}
		if err := judge(closure(t, b.f, explored.Sched), q); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
		for range 50 {
			if err := Run(disturbed(q), b.f); err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
		}
	}
}
