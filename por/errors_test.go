package por_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// broken is a program whose Start panics.
type broken struct{}

func (broken) Start() trace.Run { panic("no start") }

// TestErrors has a search fail for each reason that a caller can tell from the others.
func TestErrors(t *testing.T) {
	explore := func(f func(), opts ...por.Option) error {
		_, err := por.Explore(f, opts...)
		return err
	}
	_, wrong := por.ExploreProgram(broken{})
	for _, test := range []struct {
		name string
		err  error
		is   func(error) bool
	}{
		{"not deterministic", explore(notDeterministic(), por.Races(sched.RaceExplore)), is[*report.NotDeterministicError]},
		{"engine", explore(func() { sched.Choose(2) }, por.Engine(driving(func([]*trace.Op, int) trace.Choice { return trace.Choice{G: 99} }))), is[*report.EngineError]},
		{"program", wrong, is[*report.ProgramError]},
		{"stuck", explore(func() { <-make(chan int) }, por.Watchdog(time.Millisecond)), is[*report.StuckError]},
		{"too long", explore(writers(2), por.Engine(&quitter{}), por.MaxTime(50*time.Millisecond)), is[*report.TooLongError]},
		{"option", explore(func() {}, por.MaxSteps(-1)), func(error) bool { return true }},
	} {
		if test.err == nil || !test.is(test.err) {
			t.Errorf("%s: %T: %v", test.name, test.err, test.err)
		}
		kinds := 0
		for _, is := range []func(error) bool{is[*report.NotDeterministicError], is[*report.EngineError], is[*report.ProgramError], is[*report.StuckError], is[*report.TooLongError]} {
			if is(test.err) {
				kinds++
			}
		}
		if want := 1; kinds != want && (test.name != "option" || kinds != 0) {
			t.Errorf("%s: the error is of %d kinds: %v", test.name, kinds, test.err)
		}
	}
	if err := explore(func() {}); err != nil {
		t.Errorf("without a reason: %v", err)
	}
}

// is reports whether an error is one of type E, or wraps one.
func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
