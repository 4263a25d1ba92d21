package sched_test

import (
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
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

// TestUsedGroup uses a WaitGroup again after a Wait. A goroutine may be done before the Add for the
// next one, so the counter is zero meanwhile. What it has written comes before the Wait for all of
// them, whichever goroutine waits. Without that Wait it races.
func TestUsedGroup(t *testing.T) {
	for name, test := range map[string]struct {
		o     exec.Options
		other bool // another goroutine waits
		racy  bool
	}{
		"main waits":              {},
		"another one waits":       {other: true},
		"step by step":            {o: exec.Options{Model: sched.ModelWaitGroup}},
		"another, step by step":   {o: exec.Options{Model: sched.ModelWaitGroup}, other: true},
		"one is not waited for":   {racy: true},
		"one is not, in any case": {other: true, racy: true},
	} {
		t.Run(name, func(t *testing.T) {
			test.o.Races = sched.RaceFail
			got := closures.Exact(t, test.o, func() string {
				var wg sched.WaitGroup
				var vars [2]sched.Var[int]
				wg.Add(1)
				wg.Done()
				wg.Wait()
				for i := range vars {
					wg.Add(1)
					sched.Go(func() {
						if test.racy && i == 0 {
							wg.Done()
						}
						vars[i].Store(1)
						if !test.racy || i > 0 {
							wg.Done()
						}
					})
				}
				wait := func() {
					wg.Wait()
					for i := range vars {
						vars[i].Load()
					}
				}
				if test.other {
					sched.Go(wait).Join()
				} else {
					wait()
				}
				return ""
			})
			if _, race := got.Failures[trace.FailRace]; race != test.racy {
				t.Errorf("a race: %v; %v", race, got.Failures)
			}
		})
	}
}
