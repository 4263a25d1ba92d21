package por_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/trace"
)

// What rewritten code of a library has at package level.
var (
	sharedOnce sync.Once
	sharedMu   sync.Mutex
	sharedPool = sync.Pool{New: func() any { return new([8]byte) }}
	sharedMap  sync.Map
	sharedSeq  int // guarded by sharedMu
)

func useShared() {
	sharedOnce.Do(func() { sharedMap.Clear() })
	sharedMu.Lock()
	sharedSeq++
	sharedMu.Unlock()
	sharedPool.Put(sharedPool.Get())
}

// TestParallelShared has parallel tests search programs that use the same objects at
// package level. They neither fail nor race, and each explores all traces.
func TestParallelShared(t *testing.T) {
	explore := func(t *testing.T) string {
		res, err := por.Explore(func() {
			h, k := sched.Go(useShared), sched.Go(useShared)
			useShared()
			h.Join()
			k.Join()
		}, por.Grant(sched.AssumeModel))
		if err != nil || len(res.Failures) > 0 || !res.Exhaustive {
			t.Error(res, err)
			return ""
		}
		return fmt.Sprint(res.Stats.Executions)
	}
	want := explore(t)
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if got := explore(t); got != want {
				t.Errorf("%s executions, %s when alone", got, want)
			}
		})
	}
}

// TestWaitingTakesNoTime has a search wait for another one for longer than it may
// take itself, and longer than its watchdog is patient.
func TestWaitingTakesNoTime(t *testing.T) {
	var once sched.Once
	holder := exec.New(func() { once.Do(func() {}) }, exec.Options{})
	defer holder.Shutdown()
	run := holder.Start()
	if _, err := run.Step(trace.Choice{}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		res, err := por.Explore(func() { once.Do(func() {}) }, por.MaxTime(200*time.Millisecond))
		if err == nil && !res.Exhaustive {
			err = fmt.Errorf("%s", res.Verdict)
		}
		done <- err
	}()
	time.Sleep(400 * time.Millisecond)
	run.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
