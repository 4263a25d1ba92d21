package budget

import (
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		took  time.Duration
		kind  trace.FailureKind
		steps int
		from  int
	}{
		{0, trace.FailDeadlock, 1e6, 0}, // nothing is known of the time
		{time.Millisecond, trace.FailDeadlock, 1e6, 0},
		{time.Second, trace.FailDeadlock, 1e6, 998_000},
		{time.Second, trace.FailDeadlock, 1500, 0},
		{time.Second, trace.FailRace, 1e6, 0},
	} {
		l := Long{Took: test.took, From: 77}
		l.Decide(&trial.Trial{Steps: test.steps, Primary: trace.Failure{Kind: test.kind}}, 10*time.Second)
		if l.From != test.from || (l.Note() == "") != (test.from == 0) {
			t.Errorf("%+v: from %d, %q", test, l.From, l.Note())
		}
	}
}

func TestAtLeast(t *testing.T) {
	l := new(Long)
	l.Ends() // when it has begun is not known
	if d := l.AtLeast(time.Second); d != time.Second {
		t.Error(d)
	}
	l.begun = time.Now().Add(-time.Minute)
	if l.Ends(); l.AtLeast(time.Second) < Runs*time.Minute {
		t.Error(l.latest)
	}
	l.Begins()
	if l.Ends(); l.AtLeast(time.Minute) != time.Minute {
		t.Error(l.latest)
	}
}

func TestPlanned(t *testing.T) {
	c := exec.New(func() {}, exec.Options{})
	defer c.Shutdown()
	got := Planned("crash:0:4:100ms,reset::2", c)
	if want := []string{"crash at use 5 of a socket by g1, for 100ms", "reset at use 3 of a socket by main"}; !slices.Equal(got, want) && !slices.Equal(got, []string{want[1], want[0]}) {
		t.Errorf("%q", got)
	}
}
