package sched_test

import (
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// TestNegativeGroup says that an Add which makes a negative counter zero releases the goroutines that wait, as does
// the Add of package sync.
func TestNegativeGroup(t *testing.T) {
	type group interface {
		Add(int)
		Wait()
	}
	below := func(wg group) {
		defer func() { recover() }()
		wg.Add(-1)
	}
	got := closures.Exact(t, exec.Options{}, func() string {
		var wg sched.WaitGroup
		below(&wg)
		waits := sched.Go(func() { wg.Wait() })
		wg.Add(1)
		waits.Join()
		return "released"
	})
	if got.Failing > 0 || !got.Outcomes["released"] || len(got.Outcomes) != 1 {
		t.Errorf("%d failing traces, outcomes %v, want released only", got.Failing, got.Outcomes)
	}
	for range 1000 {
		var wg sync.WaitGroup
		below(&wg)
		var waits sync.WaitGroup
		waits.Go(wg.Wait)
		wg.Add(1)
		waits.Wait()
	}
}
