package sched_test

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// family is a tree of contexts.
type family struct {
	root, a, b, aa sched.Context
	cancel         sched.CancelFunc
	cancelA        sched.CancelFunc
	cancelAA       sched.CancelFunc
}

func newFamily() *family {
	f := &family{}
	f.root, f.cancel = sched.WithCancel(sched.Background())
	f.a, f.cancelA = sched.WithCancel(f.root)
	f.b, _ = sched.WithCancel(f.root)
	f.aa, f.cancelAA = sched.WithCancel(f.a)
	return f
}

// seen says which of the contexts are cancelled, one after the other.
func seen(cs ...sched.Context) (text string) {
	for _, c := range cs {
		if c.Err() == nil {
			text += "-"
		} else {
			text += "x"
		}
	}
	return text
}

// TestContextSteps has what can be seen while a tree is being cancelled, and what
// cannot, since whoever looks has waited for the end of it.
func TestContextSteps(t *testing.T) {
	for _, p := range []struct {
		name, want string
		f          func(f *family) string
	}{
		{"parent before child", "-- | -x | x- | xx", func(f *family) string {
			sched.Go(f.cancel)
			return seen(f.root, f.a)
		}},
		{"parent done before child", "- | x", func(f *family) string {
			sched.Go(f.cancel)
			f.root.Done().Recv()
			return seen(f.a)
		}},
		{"child done after parent", "x", func(f *family) string {
			sched.Go(f.cancel)
			f.a.Done().Recv()
			return seen(f.root)
		}},
		{"one child before the other", "- | x", func(f *family) string {
			sched.Go(f.cancel)
			f.a.Done().Recv()
			return seen(f.b)
		}},
		{"and the other before the one", "- | x", func(f *family) string {
			sched.Go(f.cancel)
			f.b.Done().Recv()
			return seen(f.a)
		}},
		{"whoever cancels waits", "xxxx", func(f *family) string {
			f.cancel()
			return seen(f.root, f.a, f.b, f.aa)
		}},
		{"whoever cancels again waits", "xxxx", func(f *family) string {
			sched.Go(f.cancel)
			f.cancel()
			return seen(f.root, f.a, f.b, f.aa)
		}},
		{"the cause comes last", "-- | xx", func(f *family) string {
			sched.Go(f.cancel)
			if sched.Cause(f.root) == nil {
				return "--"
			}
			return seen(f.aa, f.b)
		}},
		{"deriving waits", "-- | xx", func(f *family) string {
			sched.Go(f.cancel)
			if f.root.Err() == nil {
				return "--"
			}
			sched.WithCancel(f.root)
			return seen(f.a, f.aa)
		}},
		{"leaving does not wait if it is cancelled already", "- | x", func(f *family) string {
			sched.Go(f.cancel)
			f.a.Done().Recv()
			f.cancelA()
			return seen(f.b)
		}},
		{"unless it has a deadline", "x", func(f *family) string {
			c, leave := sched.WithTimeout(f.root, time.Hour)
			sched.Go(f.cancel)
			c.Done().Recv()
			leave()
			return seen(f.b)
		}},
		{"leaving first waits", "late | left before | left first", func(f *family) string {
			won := false
			stop := sched.ContextAfterFunc(f.root, func() {})
			sched.Go(f.cancel)
			was := f.root.Err() != nil
			won = stop()
			switch {
			case !won:
				return "late"
			case !was:
				return "left before"
			case seen(f.a, f.b) == "xx":
				return "left first"
			}
			return "left too early"
		}},
		{"a subtree first", "xx", func(f *family) string {
			sched.Go(f.cancel)
			f.cancelA()
			return seen(f.a, f.aa)
		}},
		{"in time", "canceled", func(f *family) string {
			ran := false
			stop := sched.ContextAfterFunc(f.root, func() { ran = true })
			sched.Go(f.cancel)
			f.root.Done().Recv()
			stopped := stop()
			sched.Sleep(1)
			if stopped == ran {
				return "stopped and run, or neither"
			}
			return "canceled"
		}},
	} {
		found := closures.Exact(t, exec.Options{Races: sched.RaceIgnore}, func() string { return p.f(newFamily()) })
		if found.List() != p.want || len(found.Failures) > 0 {
			t.Errorf("%s: got %s, want %s; %v", p.name, found.List(), p.want, found.Failures)
		}
	}
}
