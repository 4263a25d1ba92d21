package conformance

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
)

// TestNeedless holds engines that leave races as they are, where these need not be reversed, to the
// outcomes of all executions. See [trace.Needless].
func TestNeedless(t *testing.T) {
	n, source := toytest.Seeds(t, 10_000)
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	list := families(t)
	var mu sync.Mutex
	var failed, visits, classes int64
	judge := func() *Judge {
		return &Judge{Candidates: []Candidate{{Engine: engine.Optimal{}, Promise: Unblocked | Outcomes}}, Most: 500, Needless: true}
	}
	parallel(n, judge, func(j *Judge, i int64) bool {
		k := i % int64(len(list))
		p := Generate(list[k], source(i))
		p.Polls = 0 // a select that has waited is no look, so a goroutine polls a look later
		j.Classes, j.Visits = 0, 0
		err := j.Verify(p)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !errors.Is(err, ErrTooBig) {
			complainBy(t, fmt.Sprintf("program %d, %s", i, list[k].Name), p, func(q *Program) error { return judge().Verify(q) })
			failed++
		}
		if err == nil {
			visits += j.Visits
			classes += j.Classes
		}
		return failed < most
	})
	t.Logf("%.3f of all traces are visited", float64(visits)/float64(classes))
	if failed == 0 && visits == classes {
		t.Error("all races are reversed")
	}
}

// TestNeedlessCorpus is TestNeedless for the programs in testdata, which no engine takes twice.
func TestNeedlessCorpus(t *testing.T) {
	for name, p := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			j := &Judge{Candidates: []Candidate{{Engine: engine.Optimal{}, Promise: Once | Unblocked | Outcomes}}, Most: 100_000, Needless: true}
			if err := j.Verify(p); err != nil {
				t.Error(err)
			}
		})
	}
}
