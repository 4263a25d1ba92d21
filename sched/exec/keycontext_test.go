package exec_test

import (
	"context"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// timed is an error that has a time.
type timed struct {
	error
	at time.Time
}

// contextsBefore are loops of somebody who has cancelled a context before, and forgets how.
var contextsBefore = map[string]struct {
	before, turn func(*relatives)
	dated        bool // no turn leads back
}{
	"which cause": {
		before: func(f *relatives) { f.cancel([]error{errA, errB}[sched.Choose(2)]) },
		turn:   func(f *relatives) { f.note(sched.Cause(f.root) == errA) },
	},
	"a cause that is known": {
		before: func(f *relatives) { f.cancel([]error{nil, context.DeadlineExceeded}[sched.Choose(2)]) },
		turn:   func(f *relatives) { f.note(sched.Cause(f.root) == context.Canceled) },
	},
	"an error that is the cause of another": {
		before: func(f *relatives) {
			f.late, f.cancelLate = sched.WithTimeout(f.root, time.Millisecond)
			perhaps(func() { f.cancel(context.DeadlineExceeded) })
			sched.Sleep(2 * time.Millisecond)
			f.cancel(context.DeadlineExceeded)
		},
		turn: func(f *relatives) { f.note(f.late.Err() == context.Canceled) },
	},
	"a cause that has a time": {
		dated:  true,
		before: func(f *relatives) { f.cancel(timed{errA, sched.Now()}) },
		turn: func(f *relatives) {
			sched.Sleep(time.Millisecond)
			f.note(sched.Since(sched.Cause(f.root).(timed).at) > 5*time.Millisecond/2)
		},
	},
}

// TestKeysOfContextsBefore: what a context was cancelled with is part of a state when the
// goroutine that has cancelled it has forgotten that.
func TestKeysOfContextsBefore(t *testing.T) {
	for name, test := range contextsBefore {
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
			c := exec.New(func() {
				f := new(relatives)
				f.x.Store(0)
				f.root, f.cancel = sched.WithCancelCause(sched.Background())
				test.before(f)
				for {
					sched.Loop()
					test.turn(f)
				}
			}, exec.Options{})
			if f, err := oracle.EqualFuturesTo(c, k, 34, 8); err != nil || (f.Merged == 0) != test.dated {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}

// TestKeysOfCancelling: which goroutine waits for which contexts to be cancelled is part of a
// state. The first one that cancels a context waits for the cancelling of its parent as well, if
// that goes on. No other goroutine does.
func TestKeysOfCancelling(t *testing.T) {
	c := exec.New(func() {
		var x sched.Int64
		root, cancelRoot := sched.WithCancel(sched.Background())
		child, cancelChild := sched.WithCancel(root)
		sched.WithCancel(root)
		sched.WithCancel(child)
		sched.Go(func() { cancelChild(); x.Load() })
		cancelRoot()
	}, exec.Options{AllowLeaks: true})
	defer c.Shutdown()
	for _, k := range []trace.Keying{{Tracked: true}, {}, {Tracked: true, Exact: true}} {
		if f, err := oracle.EqualFutures(c, k, oracle.Limits{}); err != nil || k.Tracked && f.Merged == 0 {
			t.Errorf("%v: %+v, %v", k, f, err)
		}
	}
}

// TestKeysOfFunctions: which goroutine runs the function of a context, and which one cancels it, is
// part of a state when the goroutine that has made the context has forgotten when that was.
func TestKeysOfFunctions(t *testing.T) {
	c := exec.New(func() {
		var x sched.Int64
		x.Store(0)
		root, cancel := sched.WithCancel(sched.Background())
		more := true
		for more {
			sched.Loop()
			switch sched.Choose(3) {
			case 0:
				sched.ContextAfterFunc(root, func() { x.Store(1) })
			case 1:
				sched.ContextAfterFunc(root, func() { x.Swap(1) })
			default:
				more = false
			}
		}
		cancel()
	}, exec.Options{AllowLeaks: true})
	defer c.Shutdown()
	if f, err := oracle.EqualFuturesTo(c, trace.Keying{Tracked: true}, 13, 6); err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}
