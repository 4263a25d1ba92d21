package timeout

import (
	"errors"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

type asker func(work func() int, d time.Duration, quit *sched.Chan[struct{}]) (int, error)

// slow works exactly as long as the caller is ready to wait: time is virtual,
// so the test takes none.
func slow() int {
	sched.Sleep(time.Second)
	return 42
}

// late asks for something that may be late.
func late(ask asker) {
	if v, err := ask(slow, time.Second, nil); err == nil && v != 42 {
		panic("a wrong result")
	}
}

// abandoned asks for something while another goroutine calls it all off.
func abandoned(ask asker) {
	quit := sched.NewChan[struct{}](0)
	sched.Go(quit.Close)
	_, err := ask(func() int { return 42 }, time.Second, quit)
	if errors.Is(err, ErrTimeout) {
		panic("no time has passed, and yet there was a timeout")
	}
}

// TestClean takes the order of deadlines for granted: TestCleanAnyOrder does not.
func TestClean(t *testing.T) {
	por.Check(t, func() { late(Clean) }, por.Exhaustive(), por.Grant(sched.AssumeClock))
	por.Check(t, func() { abandoned(Clean) }, por.Exhaustive(), por.Grant(sched.AssumeClock))
}

// TestCleanAnyOrder lets the timer fire at any moment, as it may on a machine
// that is busy with other things.
func TestCleanAnyOrder(t *testing.T) {
	por.Check(t, func() {
		Clean(func() int { return 42 }, time.Second, nil)
	}, por.Time(sched.TimeAnyOrder), por.Exhaustive())
}

func TestLeaky(t *testing.T) {
	for name, f := range map[string]func(asker){"late": late, "abandoned": abandoned} {
		res, err := por.Explore(func() { f(Leaky) })
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailLeak {
			t.Errorf("%s: the leak was not found: %s", name, res.Verdict)
			continue
		}
		t.Logf("%s: %s", name, res.Failures[0].Report)
	}
}
