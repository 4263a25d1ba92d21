package conformance

import (
	"errors"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// kind is a kind of object.
type kind struct {
	name   string
	n      []int64 // the numbers that its declaration may have; nil if it has none
	ref    string  // kinds of objects that it is made of, by name, separated by spaces
	root   bool    // it may also be made without the objects of ref
	fn     bool    // it runs a function, which sees the objects that are declared before
	global bool    // it need not be made
	make   func(e *env, o *Object, ref any, slots []any) any
}

// durations are in milliseconds. They meet each other.
var durations = []int64{1, 2, 3}

var kindList = []*kind{
	{name: "atomic", n: []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, global: true, make: func(_ *env, o *Object, _ any, _ []any) any { return newNumber(o.N) }},
	{name: "bool", global: true, make: func(*env, *Object, any, []any) any { return new(flag) }},
	{name: "pointer", n: []int64{0, 1}, global: true, make: func(e *env, o *Object, _ any, _ []any) any { return e.newPointer(o.N) }},
	{name: "value", global: true, make: func(*env, *Object, any, []any) any { return new(value) }},
	{name: "vars", global: true, make: func(*env, *Object, any, []any) any { return newVars() }},
	{name: "memory", global: true, make: func(*env, *Object, any, []any) any { return new(memory) }},
	{name: "mutex", global: true, make: func(*env, *Object, any, []any) any { return new(sched.Mutex) }},
	{name: "rwmutex", global: true, make: func(*env, *Object, any, []any) any { return new(sched.RWMutex) }},
	{name: "waitgroup", global: true, make: func(*env, *Object, any, []any) any { return new(sched.WaitGroup) }},
	{name: "once", global: true, make: func(*env, *Object, any, []any) any { return new(sched.Once) }},
	{name: "oncefunc", fn: true, make: func(e *env, o *Object, _ any, slots []any) any {
		slots = slices.Clone(slots)
		return sched.OnceFunc(func() { e.current().run(o.Fn, slots) })
	}},
	{name: "cond", n: []int64{0, 1}, ref: "mutex rwmutex", global: true, make: func(_ *env, o *Object, ref any, _ []any) any { return newCond(o.N, ref) }},
	{name: "map", global: true, make: func(*env, *Object, any, []any) any { return new(sched.Map) }},
	{name: "pool", n: []int64{0, 1}, global: true, make: func(_ *env, o *Object, _ any, _ []any) any { return newPool(o.N) }},
	{name: "chan", n: []int64{0, 1, 2}, global: true, make: func(_ *env, o *Object, _ any, _ []any) any { return sched.NewChan[int64](int(o.N)) }},
	{name: "gun", n: []int64{0, 1}, make: func(_ *env, o *Object, _ any, _ []any) any { return newGun(o.N) }},
	{name: "history", make: func(*env, *Object, any, []any) any { return &history{returned: make(map[trace.ID]int64)} }},
	{name: "nilchan", make: func(*env, *Object, any, []any) any { return (*sched.Chan[int64])(nil) }},
	{name: "cancelctx", n: []int64{0, 1}, ref: contexts, root: true, make: func(_ *env, o *Object, ref any, _ []any) any { return newCancel(o.N, parent(ref)) }},
	{name: "timeoutctx", n: durations, ref: contexts, root: true, make: func(_ *env, o *Object, ref any, _ []any) any { return newTimeout(o.N, parent(ref)) }},
	{name: "valuectx", n: []int64{0, 1}, ref: contexts, root: true, make: func(_ *env, o *Object, ref any, _ []any) any { return newDerived(o.N, parent(ref)) }},
	{name: "ctxafter", ref: contexts, fn: true, make: func(e *env, o *Object, ref any, slots []any) any {
		slots = slices.Clone(slots)
		return sched.ContextAfterFunc(parent(ref), func() { e.newActor().run(o.Fn, slots) })
	}},
	{name: "timer", n: durations, make: func(_ *env, o *Object, _ any, _ []any) any { return sched.NewTimer(span(o.N)) }},
	{name: "ticker", n: durations, make: func(_ *env, o *Object, _ any, _ []any) any { return sched.NewTicker(span(o.N)) }},
	{name: "after", n: durations, fn: true, make: func(e *env, o *Object, _ any, slots []any) any {
		slots = slices.Clone(slots)
		return sched.AfterFunc(span(o.N), func() { e.newActor().run(o.Fn, slots) })
	}},
}

// history is a history, and how many calls of everybody have returned in it.
type history struct {
	sched.History
	returned map[trace.ID]int64
}

// call begins a call, and returns which calls have returned.
func (h *history) call() (sum int64) {
	h.Call("")
	for id, n := range h.returned {
		sum += n << (4 * id)
	}
	return sum
}

func (h *history) end(g trace.ID) {
	h.Return("")
	h.returned[g]++
}

// newGun makes a channel that is only closed.
func newGun(n int64) *sched.Chan[int64] {
	c := sched.NewChan[int64](int(n))
	hook.Chans.OnlyClosed(c)
	return c
}

const contexts = "cancelctx timeoutctx valuectx"

var kinds = func() map[string]*kind {
	m := make(map[string]*kind)
	for _, k := range slices.Concat(kindList, socketKinds) {
		m[k.name] = k
	}
	return m
}()

// span is a number of milliseconds.
func span(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// context is a context and what cancels it.
type context struct {
	sched.Context
	cancel func(cause int64)
}

func parent(ref any) sched.Context {
	if c, ok := ref.(*context); ok {
		return c
	}
	return sched.Background()
}

var causes = []error{nil, errors.New("one"), errors.New("two")}

// newCancel makes a context that can be cancelled with a cause, or without.
func newCancel(n int64, parent sched.Context) *context {
	if n == 0 {
		c, cancel := sched.WithCancel(parent)
		return &context{c, func(int64) { cancel() }}
	}
	c, cancel := sched.WithCancelCause(parent)
	return &context{c, func(cause int64) { cancel(causes[cause]) }}
}

func newTimeout(n int64, parent sched.Context) *context {
	c, cancel := sched.WithTimeout(parent, span(n))
	return &context{c, func(int64) { cancel() }}
}

// newDerived makes a context that has a value, or that is not cancelled when its
// parent is.
func newDerived(n int64, parent sched.Context) *context {
	if n == 0 {
		return &context{sched.WithValue(parent, contextKey{}, n), func(int64) {}}
	}
	return &context{sched.WithoutCancel(parent), func(int64) {}}
}

type contextKey struct{}

// newCond makes a condition variable; with n, of the readers' side of an RWMutex.
func newCond(n int64, ref any) any {
	switch l := ref.(type) {
	case *sched.Mutex:
		return sched.NewCond(l)
	case *sched.RWMutex:
		if n == 1 {
			return sched.NewCond(l.RLocker())
		}
		return sched.NewCond(l)
	}
	return nil
}

// newPool makes a pool; with n, one that makes what it lacks.
func newPool(n int64) *sched.Pool {
	p := new(sched.Pool)
	if n == 1 {
		p.New = func() any { return int64(-1) }
	}
	return p
}
