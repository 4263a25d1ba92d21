package sched_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// custom is a Context of the program's own making, with a Done channel of its
// own.
type custom struct {
	sched.Context
	done *sched.Chan[struct{}]
	err  sched.Pointer[error]
}

func newCustom() *custom {
	return &custom{Context: sched.Background(), done: sched.NewChan[struct{}](0)}
}

func (c *custom) Done() *sched.Chan[struct{}] { return c.done }

func (c *custom) Err() error {
	if p := c.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (c *custom) cancel(err error) { c.err.Store(&err); c.done.Close() }

// withAfterFunc has an AfterFunc method, which is used instead of a goroutine.
type withAfterFunc struct {
	*custom
	f       func()
	stopped int
}

func (c *withAfterFunc) AfterFunc(f func()) func() bool {
	c.f = f
	return func() bool { c.stopped++; c.f = nil; return true }
}

// wrapped is a native context in a type of the program's own.
type wrapped struct{ sched.Context }

type key struct{ name string }

func (k key) String() string { return k.name }

func TestContextCustomParent(t *testing.T) {
	mine := errors.New("mine")
	found := closures.Exact(t, exec.Options{}, func() string {
		p := newCustom()
		c, cancel := sched.WithCancel(sched.WithValue(p, key{"a"}, 1))
		sched.Go(func() { p.cancel(mine) })
		c.Done().Recv()
		defer cancel()
		return fmt.Sprint(c.Err(), sched.Cause(c))
	})
	if found.List() != "mine mine" || len(found.Failures) != 0 {
		t.Errorf("%s, %v", found.List(), found.Failures)
	}
	found = closures.Outcomes(t, exec.Options{}, func() string {
		p := newCustom()
		c, cancel := sched.WithCancelCause(p)
		g, stop := sched.WithTimeout(wrapped{c}, time.Second)
		defer stop()
		sched.Go(func() { cancel(mine) }) // the goroutine that watches p ends
		g.Done().Recv()
		return fmt.Sprint(g.Err(), sched.Cause(g), p.Err())
	})
	if found.List() != "context canceled mine <nil>" || len(found.Failures) != 0 {
		t.Errorf("%s, %v", found.List(), found.Failures)
	}
	got := closures.Alone(t, func() string {
		p := &withAfterFunc{custom: newCustom()}
		c, cancel := sched.WithTimeout(p, time.Second)
		first := p.f != nil
		p.custom.cancel(mine)
		p.f()
		text := fmt.Sprint(first, c.Err(), p.stopped)
		cancel()
		p = &withAfterFunc{custom: newCustom()}
		c, cancel = sched.WithTimeout(p, time.Second)
		cancel()
		cancel()
		return fmt.Sprint(text, c.Err(), p.stopped)
	})
	if want := "true mine 0context canceled 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContextTree(t *testing.T) {
	mine := errors.New("mine")
	got := closures.Alone(t, func() string {
		root, cancelRoot := sched.WithCancelCause(sched.Background())
		a, _ := sched.WithCancel(sched.WithValue(root, key{"a"}, 1))
		b, cancelB := sched.WithTimeoutCause(wrapped{a}, time.Hour, errors.New("late"))
		free := sched.WithoutCancel(b)
		other, cancelOther := sched.WithCancel(root)
		cancelOther()
		cancelB()
		text := fmt.Sprint(b.Err(), a.Err(), other.Err(), "/")
		cancelRoot(mine)
		c, _ := sched.WithDeadline(b, sched.Now().Add(-1))
		_, hasDeadline := c.Deadline()
		text += fmt.Sprint(sched.Cause(root), sched.Cause(a), sched.Cause(b), sched.Cause(other), sched.Cause(c), hasDeadline, "/")
		return text + fmt.Sprint(free.Err(), free.Done() == nil, sched.Cause(free), free.Value(key{"a"}), free.Value(key{"b"}))
	})
	want := "context canceled <nil> context canceled/" +
		"mine mine context canceled context canceled context canceled true/" +
		"<nil> true <nil> 1 <nil>"
	if strings.ReplaceAll(got, " /", "/") != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestContextDeadline(t *testing.T) {
	late := errors.New("late")
	got := closures.Alone(t, func() string {
		start := sched.Now()
		a, cancel := sched.WithTimeoutCause(sched.Background(), 2*time.Second, late)
		defer cancel()
		b, stop := sched.WithTimeout(a, time.Hour) // a's comes first
		defer stop()
		d, ok := b.Deadline()
		b.Done().Recv()
		past, _ := sched.WithDeadlineCause(sched.Background(), start, late)
		return fmt.Sprint(d.Sub(start), ok, sched.Since(start), b.Err() == context.DeadlineExceeded, sched.Cause(b),
			sched.Until(start), past.Err() == context.DeadlineExceeded, sched.Cause(past))
	})
	if want := "2s true 2s true late -2.000000031s true late"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContextStrings(t *testing.T) {
	type k struct{}
	ours := closures.Alone(t, func() string {
		a, _ := sched.WithCancel(sched.Background())
		b := sched.WithValue(sched.WithoutCancel(a), key{"name"}, "value")
		c := sched.WithValue(sched.TODO(), k{}, nil)
		d, _ := sched.WithDeadline(b, sched.Now().Add(time.Second))
		return strings.ReplaceAll(fmt.Sprintln(a, b, c, d), exec.DefaultStart().Add(time.Second).In(time.Local).String()+" m=+2.000000000", "T")
	})
	a, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := context.WithValue(context.WithoutCancel(a), key{"name"}, "value")
	c := context.WithValue(context.TODO(), k{}, nil)
	want := fmt.Sprint(a, b, c)
	if !strings.HasPrefix(strings.ReplaceAll(ours, "\n", ""), want) || !strings.HasSuffix(ours, ".WithDeadline(T [1s])\n") {
		t.Errorf("got %s, want %s", ours, want)
	}
}

func TestContextAfterFunc(t *testing.T) {
	got := alone1(t, func() {
		n := 0
		stop := sched.ContextAfterFunc(sched.Background(), func() { n++ })
		if !stop() || stop() {
			panic("stop of what never runs")
		}
		ctx, cancel := sched.WithCancel(sched.Background())
		done := sched.NewChan[int](0)
		stop1 := sched.ContextAfterFunc(ctx, func() { n += 10; done.Send(1) })
		stop2 := sched.ContextAfterFunc(ctx, func() { n++ })
		if !stop2() || stop2() {
			panic("stop before cancel")
		}
		cancel()
		if stop1() || stop2() {
			panic("stop after cancel")
		}
		done.Recv()
		sched.ContextAfterFunc(ctx, func() { n += 10; done.Send(1) })
		done.Recv()
		if n != 20 {
			panic(n)
		}
	})
	if got != "" {
		t.Error(got)
	}
}

// TestContextTooLate derives from a context that is being cancelled: once, twice or
// not too late. If not, the error is asked for before the child is cancelled too, and
// the child cancelled first or second by the deferred call, or afterwards.
func TestContextTooLate(t *testing.T) {
	found := closures.Exact(t, exec.Options{}, func() string {
		ctx, cancel := sched.WithCancel(sched.Background())
		sched.Go(cancel)
		ran := sched.NewChan[int](1)
		sched.ContextAfterFunc(ctx, func() { ran.Send(1) })
		c, stop := sched.WithTimeout(ctx, time.Second)
		defer stop()
		ran.Recv()
		return fmt.Sprint(c.Err())
	})
	if found.List() != "<nil> | context canceled" || found.Traces != 5 || len(found.Failures) != 0 {
		t.Errorf("%d traces: %s, %v", found.Traces, found.List(), found.Failures)
	}
}
