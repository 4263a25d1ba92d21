package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/unfold"
)

var candidates = []Candidate{
	{Engine: por.Source{}, Promise: Once},
	{Engine: por.DPOR{}, Promise: Once},
	{Engine: por.Optimal{}, Promise: Once | Unblocked},
	{Engine: unfold.QPOR{K: 1}, Promise: Once, Name: "qpor 1"},
	{Engine: unfold.QPOR{K: 2}, Promise: Once, Name: "qpor 2"},
	{Engine: unfold.Optimal{}, Promise: Once | Unblocked},
	{Engine: bpor.Source{Complete: true}},
	{Engine: bpor.Lazy{Slack: bpor.Enough}, Promise: Once},
	{Engine: bpor.Optimal{Slack: bpor.Enough}, Promise: Once | Unblocked},
	{Engine: bpor.Iterative{UpTo: bpor.Preemptions(1 << 30)}, Promise: Once},
	{Engine: por.Hunt{Time: time.Hour}, Promise: Once},
}

func TestSmoke(t *testing.T) {
	for i := range Families {
		f := &Families[i]
		j := Judge{Candidates: candidates, Most: 300}
		big, failed := 0, 0
		begin := time.Now()
		for k := range 300 {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			p := Generate(f, r)
			if err := p.Check(); err != nil {
				t.Fatalf("%s %d: %v\n%s", f.Name, k, err, p)
			}
			q, err := Parse(p.String())
			if err != nil || q.String() != p.String() {
				t.Fatalf("%s %d: %v\n%s\n%s", f.Name, k, err, p, q)
			}
			err = j.Verify(p)
			if errors.Is(err, ErrTooBig) {
				big++
			} else if err != nil {
				if failed++; failed <= 2 {
					t.Errorf("%s %d: %v\n%s", f.Name, k, err, p)
				}
			}
		}
		t.Logf("%s: %d programs, %d too big, %d failed, %.1f executions, %.1f classes, %v each", f.Name, j.Programs, big, failed,
			float64(j.Executions)/float64(j.Programs+1), float64(j.Classes)/float64(j.Programs+1), time.Since(begin)/300)
	}
}
