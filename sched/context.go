package sched

import (
	"context"
	"reflect"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Context is what context.Context is, with a Done channel of this package.
// The errors are those of package context.
//
// Deriving a context from one that can be cancelled, Err, Cause and cancelling
// are one scheduling point each. A tree of contexts is cancelled one after the
// other, parents first, and the call that cancels it returns after that.
// Deadline, Done and Value are none. A context that can be cancelled belongs to
// the execution that made it.
type Context interface {
	Deadline() (deadline time.Time, ok bool)
	Done() *Chan[struct{}]
	Err() error
	Value(key any) any
}

// A CancelFunc cancels a context, with cause context.Canceled.
type CancelFunc func()

// A CancelCauseFunc cancels a context with a cause; nil stands for
// context.Canceled.
type CancelCauseFunc func(cause error)

type emptyCtx struct{}

func (emptyCtx) Deadline() (deadline time.Time, ok bool) { return }
func (emptyCtx) Done() *Chan[struct{}]                   { return nil }
func (emptyCtx) Err() error                              { return nil }
func (emptyCtx) Value(any) any                           { return nil }

type backgroundCtx struct{ emptyCtx }

func (backgroundCtx) String() string { return "context.Background" }

type todoCtx struct{ emptyCtx }

func (todoCtx) String() string { return "context.TODO" }

// Background returns the empty context, which is never cancelled.
func Background() Context { return backgroundCtx{} }

// TODO returns the empty context, for where it is not clear yet which to use.
func TODO() Context { return todoCtx{} }

// cancelCtxKey is the key that a cancelCtx returns itself for.
var cancelCtxKey int

// cancelCtx is a context that can be cancelled.
type cancelCtx struct {
	Context // the parent
	done    Chan[struct{}]
	k       machine.Key[machine.ContextState]
	stop    func() bool // takes it off a parent of the program's own making
}

func (c *cancelCtx) Done() *Chan[struct{}] { return &c.done }

func (c *cancelCtx) Err() error {
	err, _ := c.ask("Context.Err", 0)
	return err
}

func (c *cancelCtx) Value(key any) any {
	switch key {
	case &cancelCtxKey:
		return c
	case &machine.ContextKey:
		return &c.k
	}
	return c.Context.Value(key)
}

func (c *cancelCtx) String() string { return contextName(c.Context) + ".WithCancel" }

// ask returns the error and the cause of c. The cause is known when all that is
// derived from c is cancelled; wait is 1 to wait for that.
func (c *cancelCtx) ask(what string, wait uint64) (err, cause error) {
	g := machine.Enter(what)
	s := machine.Own(g.M, &c.k)
	g.AskNumbers(trace.OpCtxErr, s, wait, 0)
	if g.M.Record {
		g.NoteResult(errorText(s.Err))
	}
	if s.Err == nil {
		return nil, nil
	}
	return s.Err, s.Cause
}

func errorText(err error) string {
	switch err {
	case nil:
		return "nil"
	case context.Canceled, context.DeadlineExceeded:
		return err.Error()
	}
	return reflect.TypeOf(err).String()
}

// cancel cancels c and reports whether it had not been cancelled before. If
// quietly is set, the function of a ContextAfterFunc is not run.
func (c *cancelCtx) cancel(err, cause error, quietly bool) bool {
	g := machine.Leave("CancelFunc")
	if g == nil {
		return false
	}
	s := machine.Own(g.M, &c.k)
	arg := uint64(0)
	if quietly {
		arg = 1
	}
	g.AskValues(trace.OpCancel, s, arg, err, cause)
	first := g.Reply.Ok
	if !first {
		g.NoteResult("was cancelled before")
	}
	return first
}

// cancelAndLeave is cancel, and takes c off a parent of the program's making.
func (c *cancelCtx) cancelAndLeave(err, cause error, quietly bool) bool {
	first := c.cancel(err, cause, quietly)
	if first && c.stop != nil {
		c.stop()
	}
	return first
}

// newCancelCtx returns a context of g that is cancelled when parent is, and
// then runs fn unless that is nil.
func newCancelCtx(g *machine.Goroutine, parent Context, fn func()) *cancelCtx {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	c := &cancelCtx{}
	c.init(g, parent, fn)
	return c
}

// init makes c depend on parent, as package context does it.
func (c *cancelCtx) init(g *machine.Goroutine, parent Context, fn func()) {
	c.Context = parent
	c.done.done = true
	done := machine.Create(g, &c.done.k)
	done.Signal = true
	s := machine.Take[machine.ContextState](g.M)
	s.Done = &done.ChanState
	machine.Lead(g.M, &c.k, s)
	g.M.Store.Objects = append(g.M.Store.Objects, s)
	s.Maker, s.Number = g, int(g.Made.Agents)
	g.Made.Agents++
	if fn != nil {
		s.Runs(g, fn)
	}
	p := native(parent)
	if p == nil {
		done := parent.Done()
		if done == nil {
			return // never cancelled
		}
		p, _ = parent.Value(&cancelCtxKey).(*cancelCtx)
		if p == nil || done != &p.done {
			c.follow(g, parent, done)
			return
		}
	}
	from := machine.Own(g.M, &p.k)
	g.AskValues(trace.OpCtxNew, from, 0, s, nil)
}

// follow makes c depend on a parent that is not one of this package.
func (c *cancelCtx) follow(g *machine.Goroutine, parent Context, done *Chan[struct{}]) {
	propagate := func() { c.cancel(parent.Err(), Cause(parent), false) }
	if Select(RecvCase(done, nil, nil), Default) == 0 {
		propagate()
		return
	}
	if p, ok := parent.(interface{ AfterFunc(func()) func() bool }); ok {
		c.stop = p.AfterFunc(propagate)
		return
	}
	g.Start(func() {
		if Select(RecvCase(parent.Done(), nil, nil), RecvCase(&c.done, nil, nil)) == 0 {
			propagate()
		}
	})
}

// native returns the context of this package which decides when c is cancelled,
// nil if there is none or c is of another making.
func native(c Context) *cancelCtx {
	for {
		switch ctx := c.(type) {
		case *valueCtx:
			c = ctx.Context
		case *cancelCtx:
			return ctx
		case *timerCtx:
			return &ctx.cancelCtx
		default:
			return nil
		}
	}
}

// WithCancel returns a context derived from parent that is cancelled when
// cancel is called or parent is cancelled. It panics if parent is nil.
func WithCancel(parent Context) (ctx Context, cancel CancelFunc) {
	c := newCancelCtx(machine.Enter("WithCancel"), parent, nil)
	return c, func() { c.cancelAndLeave(context.Canceled, nil, false) }
}

// WithCancelCause is WithCancel with a cause.
func WithCancelCause(parent Context) (ctx Context, cancel CancelCauseFunc) {
	c := newCancelCtx(machine.Enter("WithCancelCause"), parent, nil)
	return c, func(cause error) { c.cancelAndLeave(context.Canceled, cause, false) }
}

// Cause returns why c was cancelled, nil if it was not. It is c.Err() if no
// cause was given. A context of the program's own making that has a method Cause
// is asked for it.
func Cause(c Context) error {
	if n := native(c); n != nil {
		_, cause := n.ask("Cause", 1)
		return cause
	}
	if own, ok := c.(interface{ Cause() error }); ok {
		return own.Cause()
	}
	err := c.Err()
	if err == nil {
		return nil
	}
	if n, ok := c.Value(&cancelCtxKey).(*cancelCtx); ok {
		if _, cause := n.ask("Cause", 1); cause != nil {
			return cause
		}
	}
	return err
}

// ContextAfterFunc calls f in a goroutine of its own when ctx is cancelled, like
// context.AfterFunc. The function stop undoes that, and reports whether it came
// in time.
func ContextAfterFunc(ctx Context, f func()) (stop func() bool) {
	c := newCancelCtx(machine.Enter("ContextAfterFunc"), ctx, f)
	return func() bool { return c.cancelAndLeave(context.Canceled, nil, true) }
}

// WithoutCancel returns a context with the values of parent that is not
// cancelled when parent is. It panics if parent is nil.
func WithoutCancel(parent Context) Context {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	return withoutCancelCtx{parent}
}

type withoutCancelCtx struct{ c Context }

func (withoutCancelCtx) Deadline() (deadline time.Time, ok bool) { return }
func (withoutCancelCtx) Done() *Chan[struct{}]                   { return nil }
func (withoutCancelCtx) Err() error                              { return nil }

func (c withoutCancelCtx) Value(key any) any {
	if key == &cancelCtxKey || key == &machine.ContextKey {
		return nil
	}
	return c.c.Value(key)
}

func (c withoutCancelCtx) String() string { return contextName(c.c) + ".WithoutCancel" }

// WithValue returns a context derived from parent in which val belongs to key.
// It panics if parent or key is nil or key cannot be compared.
func WithValue(parent Context, key, val any) Context {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	if key == nil {
		panic("nil key")
	}
	if !reflect.TypeOf(key).Comparable() {
		panic("key is not comparable")
	}
	return &valueCtx{parent, key, val}
}

type valueCtx struct {
	Context
	key, val any
}

func (c *valueCtx) Value(key any) any {
	if c.key == key {
		return c.val
	}
	return c.Context.Value(key)
}

func (c *valueCtx) String() string {
	return contextName(c.Context) + ".WithValue(" + stringify(c.key) + ", " + stringify(c.val) + ")"
}

func stringify(v any) string {
	switch s := v.(type) {
	case interface{ String() string }:
		return s.String()
	case string:
		return s
	case nil:
		return "<nil>"
	}
	return reflect.TypeOf(v).String()
}

func contextName(c Context) string {
	if s, ok := c.(interface{ String() string }); ok {
		return s.String()
	}
	return reflect.TypeOf(c).String()
}
