package lostupdate

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// count has two goroutines that count once each, and expects 2.
func count(c Counter) {
	var wg sched.WaitGroup
	for range 2 {
		wg.Go(c.Inc)
	}
	wg.Wait()
	if n := c.Value(); n != 2 {
		panic("an update was lost")
	}
}

func TestLocked(t *testing.T) {
	por.Check(t, func() { count(new(Locked)) }, por.Exhaustive())
}

func TestAdded(t *testing.T) {
	por.Check(t, func() { count(new(Added)) }, por.Exhaustive())
}

// TestTorn expects the bug to be found. In a test of your own, por.Check would
// fail with the report that is looked at here.
func TestTorn(t *testing.T) {
	res, err := por.Explore(func() { count(new(Torn)) })
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 {
		t.Fatalf("the bug was not found: %s", res.Verdict)
	}
	f := res.Failures[0]
	if f.Kind != trace.FailPanic || !strings.Contains(f.Msg, "an update was lost") {
		t.Errorf("%v: %s", f.Kind, f.Msg)
	}
	if f.Preemptions != 1 {
		t.Errorf("the simplest schedule has one preemption, not %d", f.Preemptions)
	}
	t.Log(f.Report)
}

// TestRacy expects a data race. It is found in the first execution, whether an
// update is lost in it or not; with races ignored, nothing would be found since
// plain accesses are then no scheduling points; explored, they are.
func TestRacy(t *testing.T) {
	for _, k := range []struct {
		mode sched.RaceMode
		want trace.FailureKind
	}{
		{sched.RaceFail, trace.FailRace},
		{sched.RaceExplore, trace.FailPanic},
	} {
		res, err := por.Explore(func() { count(new(Racy)) }, por.Races(k.mode))
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Failures) != 1 || res.Failures[0].Kind != k.want {
			t.Errorf("race mode %d: %s, %v", k.mode, res.Verdict, res.Failures)
		}
	}
}
