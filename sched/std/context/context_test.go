package context_test

import (
	original "context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/std/context"
	"github.com/gopor/gopor/sched/std/internal/shadow"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
)

var mine, late = errors.New("mine"), errors.New("late")

// key is a key that a user has.
type key string

func (k key) String() string { return string(k) }

// closed reports whether c is, as the calling goroutine sees it.
func closed(c <-chan struct{}) bool {
	if !hook.Active() {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	return sched.Select(sched.RecvCase(shadow.Of(c), nil, nil), sched.Default) == 0
}

// embedding is a context of the user's own that is one of ours for the most.
type embedding struct {
	context.Context
	name string
}

// functions are those of one of the two packages.
type functions struct {
	WithCancel      func(context.Context) (context.Context, context.CancelFunc)
	WithCancelCause func(context.Context) (context.Context, context.CancelCauseFunc)
	WithDeadline    func(context.Context, time.Time, error) (context.Context, context.CancelFunc)
	WithTimeout     func(context.Context, time.Duration, error) (context.Context, context.CancelFunc)
	Cause           func(context.Context) error
}

var (
	twin = functions{context.WithCancel, context.WithCancelCause, context.WithDeadlineCause, context.WithTimeoutCause, context.Cause}
	real = functions{original.WithCancel, original.WithCancelCause, original.WithDeadlineCause, original.WithTimeoutCause, original.Cause}
)

// scenarios have one goroutine and do not wait.
var scenarios = map[string]func(p functions) string{
	"tree": func(p functions) string {
		root, cancelRoot := p.WithCancelCause(context.Background())
		a, cancelA := p.WithCancel(context.WithValue(root, key("a"), 1))
		b, cancelB := p.WithTimeout(embedding{a, "b"}, time.Hour, late)
		free := context.WithoutCancel(b)
		other, cancelOther := p.WithCancel(context.WithValue(free, key("c"), 3))
		defer cancelA()
		defer cancelOther()
		cancelB()
		text := fmt.Sprint(b.Err(), a.Err(), closed(b.Done()), closed(a.Done()), "/")
		cancelRoot(mine)
		cancelRoot(late)
		c, cancelC := p.WithCancel(b)
		defer cancelC()
		_, hasDeadline := c.Deadline()
		text += fmt.Sprint(p.Cause(root), p.Cause(a), p.Cause(b), p.Cause(c), a.Err() == original.Canceled, hasDeadline, "/")
		text += fmt.Sprint(free.Err(), free.Done() == nil, p.Cause(free), other.Err(), p.Cause(other), closed(other.Done()))
		return text + fmt.Sprint(c.Value(key("a")), other.Value(key("a")), other.Value(key("c")), other.Value(key("d")))
	},
	"deadlines": func(p functions) string {
		past, cancel := p.WithTimeout(context.Background(), -time.Second, late)
		defer cancel()
		below, cancel := p.WithTimeout(context.WithValue(past, key("x"), 0), time.Hour, mine)
		defer cancel()
		long, cancel := p.WithDeadline(context.Background(), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), nil)
		defer cancel()
		longer, cancel := p.WithDeadline(long, time.Date(4000, 1, 1, 0, 0, 0, 0, time.UTC), nil)
		defer cancel()
		d, ok := longer.Deadline()
		return fmt.Sprint(past.Err() == original.DeadlineExceeded, p.Cause(past), below.Err(), p.Cause(below), closed(below.Done()), d, ok, long.Err())
	},
	"text": func(p functions) string {
		a, cancel := p.WithCancel(context.Background())
		defer cancel()
		b := context.WithValue(context.WithoutCancel(a), key("name"), "value")
		c, cancel := p.WithCancel(context.WithValue(context.TODO(), struct{ int }{}, nil))
		defer cancel()
		d, cancel := p.WithDeadline(b, time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), nil)
		defer cancel()
		e, cancel := p.WithCancel(struct{ context.Context }{a})
		defer cancel()
		text, _, _ := strings.Cut(fmt.Sprint(d), "[")
		return fmt.Sprint(a, b, c, text, e)
	},
	"types": func(p functions) string {
		a, cancelA := p.WithCancel(context.Background())
		defer cancelA()
		b, cancelB := p.WithCancelCause(a)
		defer cancelB(nil)
		text := fmt.Sprintf("%T %T", a, b)
		c, cancelC := p.WithTimeout(b, time.Hour, nil)
		defer cancelC()
		at, _ := c.Deadline()
		for _, after := range []time.Duration{-time.Second, 0, time.Second} {
			d, cancel := p.WithDeadline(c, at.Add(after), nil)
			defer cancel()
			text += fmt.Sprintf(" %T", d)
		}
		for _, timeout := range []time.Duration{-1, time.Minute, 3 * time.Hour} {
			d, cancel := p.WithTimeout(c, timeout, nil)
			defer cancel()
			text += fmt.Sprintf(" %T", d)
		}
		return fmt.Sprintf("%s %T %T", text, c, context.WithoutCancel(context.WithValue(c, key("a"), 1)))
	},
	"panics": func(p functions) string {
		return stdtest.Caught(func() { p.WithCancel(nil) }) + stdtest.Caught(func() { p.WithCancelCause(nil) }) +
			stdtest.Caught(func() { p.WithTimeout(nil, 1, nil) }) + stdtest.Caught(func() { context.WithValue(nil, 1, 2) })
	},
	"functions of the original": func(p functions) string {
		a, cancelA := p.WithCancelCause(context.WithValue(context.Background(), key("a"), 1))
		b, cancelB := original.WithCancel(a)
		defer cancelB()
		c, cancelC := p.WithCancel(context.WithValue(b, key("b"), 2))
		defer cancelC()
		cancelA(mine)
		return fmt.Sprint(c.Err(), p.Cause(c), original.Cause(a), original.Cause(b), b.Err(), c.Value(key("a")), c.Value(key("b")))
	},
}

func TestLikeOriginal(t *testing.T) {
	for name, f := range scenarios {
		want := f(real)
		if got := f(twin); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
		}
		if got := stdtest.Alone(t, func() string { return f(twin) }); got != want {
			t.Errorf("%s under control:\ngot  %q\nwant %q", name, got, want)
		}
	}
}

// wait waits for a native channel as rewritten code does.
func wait(c <-chan struct{}) { native.Recv(c) }

// own is a context of the user's own, with a Done channel of its own.
type own struct {
	context.Context
	done chan struct{}
	err  *sched.Pointer[error]
}

func newOwn() own {
	return own{context.Background(), native.Made(make(chan struct{})), new(sched.Pointer[error])}
}

func (o own) Done() <-chan struct{} { return o.done }

func (o own) Err() error {
	if p := o.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (o own) cancel(err error) { o.err.Store(&err); native.Close(o.done) }

// schedOwn is the same for package sched.
type schedOwn struct {
	sched.Context
	done *sched.Chan[struct{}]
	err  *sched.Pointer[error]
}

func (o schedOwn) Done() *sched.Chan[struct{}] { return o.done }
func (o schedOwn) Err() error                  { return own{err: o.err}.Err() }
func (o schedOwn) cancel(err error)            { o.err.Store(&err); o.done.Close() }

// TestLikeSched compares programs with the primitives that they stand for.
func TestLikeSched(t *testing.T) {
	for name, c := range map[string]struct {
		twin, primitives func() string
		outcomes         string
	}{
		"timeout": {func() string {
			a, cancel := context.WithTimeoutCause(context.Background(), time.Second, late)
			sched.Go(cancel)
			sched.Sleep(time.Second)
			b, stop := context.WithCancel(a)
			defer stop()
			wait(b.Done())
			return fmt.Sprint(b.Err(), context.Cause(b))
		}, func() string {
			a, cancel := sched.WithTimeoutCause(sched.Background(), time.Second, late)
			sched.Go(cancel)
			sched.Sleep(time.Second)
			b, stop := sched.WithCancel(a)
			defer stop()
			b.Done().Recv()
			return fmt.Sprint(b.Err(), sched.Cause(b))
		}, "context canceled context canceled"},
		"deadline": {func() string {
			a, cancel := context.WithTimeoutCause(context.Background(), time.Second, late)
			defer cancel()
			wait(a.Done())
			return fmt.Sprint(a.Err(), context.Cause(a))
		}, func() string {
			a, cancel := sched.WithTimeoutCause(sched.Background(), time.Second, late)
			defer cancel()
			a.Done().Recv()
			return fmt.Sprint(a.Err(), sched.Cause(a))
		}, "context deadline exceeded late"},
		"own": {func() string {
			p := newOwn()
			c, cancel := context.WithCancel(context.WithValue(p, key("a"), 1))
			defer cancel()
			sched.Go(func() { p.cancel(mine) })
			wait(c.Done())
			return fmt.Sprint(c.Err(), context.Cause(c))
		}, func() string {
			p := schedOwn{sched.Background(), sched.NewChan[struct{}](0), new(sched.Pointer[error])}
			c, cancel := sched.WithCancel(sched.WithValue(p, key("a"), 1))
			defer cancel()
			sched.Go(func() { p.cancel(mine) })
			c.Done().Recv()
			return fmt.Sprint(c.Err(), sched.Cause(c))
		}, "mine mine"},
		"after": {func() string {
			a, cancel := context.WithCancel(context.Background())
			n := sched.NewChan[int](1)
			stop := context.AfterFunc(a, func() { n.Send(1) })
			h := sched.Go(cancel)
			stopped := stop()
			h.Join()
			if !stopped {
				n.Recv()
			}
			return fmt.Sprint(stopped)
		}, func() string {
			a, cancel := sched.WithCancel(sched.Background())
			n := sched.NewChan[int](1)
			stop := sched.ContextAfterFunc(a, func() { n.Send(1) })
			h := sched.Go(cancel)
			stopped := stop()
			h.Join()
			if !stopped {
				n.Recv()
			}
			return fmt.Sprint(stopped)
		}, "false | true"},
	} {
		t.Run(name, func(t *testing.T) {
			if found := stdtest.Same(t, c.twin, c.primitives); found.Outcomes != c.outcomes || found.Failures != "" {
				t.Errorf("%+v", found)
			}
		})
	}
}

// withAfterFunc is a context with a method that is used in place of a goroutine.
type withAfterFunc struct {
	own
	f *func()
}

func (c withAfterFunc) AfterFunc(f func()) func() bool {
	*c.f = f
	return func() bool { *c.f = nil; return true }
}

func TestAfterFuncMethod(t *testing.T) {
	got := stdtest.Alone(t, func() string {
		p := withAfterFunc{newOwn(), new(func())}
		c, cancel := context.WithCancel(p)
		defer cancel()
		p.cancel(mine)
		before := c.Err()
		(*p.f)()
		return fmt.Sprint(before, c.Err())
	})
	if got != "<nil> mine" {
		t.Error(got)
	}
}

// TestOutside derives from contexts that were made before.
func TestOutside(t *testing.T) {
	live, cancel := context.WithCancel(context.WithValue(context.Background(), key("a"), 1))
	defer cancel()
	dead, kill := original.WithCancelCause(live)
	kill(mine)
	found := stdtest.Explore(t, func() string {
		a, _ := context.WithCancel(embedding{live, "x"}) // never cancelled, and nobody waits for that
		b, stop := context.WithTimeout(dead, time.Second)
		defer stop()
		wait(b.Done())
		wait(dead.Done())
		return fmt.Sprint(a.Err(), a.Value(key("a")), b.Err(), context.Cause(b), context.Cause(dead), live.Err())
	})
	if found.Outcomes != "<nil> 1 context canceled mine mine <nil>" || found.Failures != "" || found.Traces != 1 {
		t.Errorf("%+v", found)
	}
}

// TestReleased has goroutines that are not controlled wait for contexts that
// are: they go on when these are cancelled, and also if the execution ends
// before that.
func TestReleased(t *testing.T) {
	type seen struct{ err, cause error }
	var results chan seen // of one case: a failing one is executed repeatedly
	watch := func(c context.Context) {
		results := results
		derived, cancel := original.WithCancel(c)
		go func() {
			defer cancel()
			<-derived.Done()
			results <- seen{c.Err(), original.Cause(derived)}
		}()
	}
	for name, c := range map[string]struct {
		f    func()
		want seen
	}{
		"cancelled": {func() {
			c, cancel := context.WithCancelCause(context.Background())
			watch(c)
			cancel(mine)
		}, seen{original.Canceled, mine}},
		"by the parent": {func() {
			p, cancel := context.WithCancelCause(context.Background())
			c, _ := context.WithCancel(p)
			watch(c)
			cancel(mine)
		}, seen{original.Canceled, mine}},
		"late": {func() {
			c, cancel := context.WithTimeoutCause(context.Background(), time.Hour, late)
			defer cancel()
			watch(c)
			wait(c.Done())
		}, seen{original.DeadlineExceeded, late}},
		"given up": {func() {
			c, cancel := context.WithCancel(context.Background())
			defer cancel()
			watch(c)
			sched.NewChan[int](0).Recv() // for ever
		}, seen{original.Canceled, original.Canceled}},
	} {
		results = make(chan seen, 100)
		if _, err := por.Explore(c.f, por.MaxExecutions(1)); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-results:
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %v, want %v", name, got, c.want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: still waiting", name)
		}
	}
}

// TestCancelOutside cancels what an execution has left behind.
func TestCancelOutside(t *testing.T) {
	var c context.Context
	var cancel context.CancelFunc
	stdtest.Explore(t, func() string {
		c, cancel = context.WithCancel(context.Background())
		return ""
	})
	before := c.Err()
	cancel()
	if <-c.Done(); before != nil || c.Err() != context.Canceled {
		t.Error(before, c.Err())
	}
}
