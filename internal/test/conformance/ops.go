package conformance

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// op is a kind of step.
type op struct {
	name   string
	on     string // kinds of objects that it is for, by name, separated by spaces; "" for no object
	args   []arg
	panics bool // it may, so it is tried rather than not
	weight int  // how often it is drawn, 0 for twice
	do     func(a *actor, o any, s *Step, slots []any) int64
}

// arg says what values an argument may have: those from low to high, or the
// functions after the one that has the step.
type arg struct {
	low, high int64
	fn        bool
}

const (
	cells   = "atomic bool pointer value"
	mutexes = "mutex rwmutex"
	sources = "chan nilchan gun timer ticker cancelctx timeoutctx valuectx"
	chans   = "chan nilchan"
)

var (
	val  = arg{low: 0, high: 3}
	one  = arg{low: 1, high: 3}
	key  = arg{low: 1, high: 2}
	fun  = arg{fn: true}
	bit  = arg{low: 0, high: 1}
	at   = arg{low: 0, high: memorySize - 1}
	size = arg{low: 1, high: memorySize}
)

var opList = []*op{
	{name: "load", on: cells, do: func(_ *actor, o any, _ *Step, _ []any) int64 { return o.(cell).load() }},
	{name: "store", on: cells, args: []arg{val}, panics: true, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(cell).store(s.Args[0]); return 0 }},
	{name: "swap", on: cells, args: []arg{val}, panics: true, do: func(_ *actor, o any, s *Step, _ []any) int64 { return o.(cell).swap(s.Args[0]) }},
	{name: "cas", on: cells, args: []arg{val, val}, panics: true, do: func(_ *actor, o any, s *Step, _ []any) int64 { return truth(o.(cell).cas(s.Args[0], s.Args[1])) }},
	{name: "add", on: "atomic", args: []arg{one}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return o.(number).add(s.Args[0]) }},
	{name: "and", on: "atomic", args: []arg{val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return o.(number).and(s.Args[0]) }},
	{name: "or", on: "atomic", args: []arg{val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return o.(number).or(s.Args[0]) }},
	{name: "count", on: "atomic", args: []arg{one}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return unused(o.(number).add, s.Args[0]) }},
	{name: "mask", on: "atomic", args: []arg{val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return unused(o.(number).and, s.Args[0]) }},
	{name: "setbits", on: "atomic", args: []arg{val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return unused(o.(number).or, s.Args[0]) }},
	{name: "spin", on: "atomic", args: []arg{val}, do: spin},

	{name: "get", on: "vars", args: []arg{bit}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return o.(*vars)[s.Args[0]].Load() }},
	{name: "set", on: "vars", args: []arg{bit, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*vars)[s.Args[0]].Store(s.Args[1]); return 0 }},
	{name: "update", on: "vars", args: []arg{bit, one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return o.(*vars)[s.Args[0]].Update(func(v int64) int64 { return v*2 + s.Args[1] })
	}},
	{name: "transfer", on: "vars", args: []arg{bit}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		v := o.(*vars)
		sched.Transfer(v[s.Args[0]], v[1-s.Args[0]], func(x int64) int64 { return x + 1 })
		return 0
	}},
	{name: "read", on: "memory", args: []arg{at, size}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return o.(*memory).read(s.Args[0], min(memorySize, s.Args[0]+s.Args[1]))
	}},
	{name: "write", on: "memory", args: []arg{at, size, one}, do: func(a *actor, o any, s *Step, _ []any) int64 {
		v := s.Args[2] + 31*int64(a.id) + 5*int64(len(a.log)) // no other operation writes that
		o.(*memory).write(s.Args[0], min(memorySize, s.Args[0]+s.Args[1]), v)
		return 0
	}},
	{name: "addword", on: "memory", args: []arg{at, one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return int64(hook.Add(o.(*memory).number(s.Args[0]), uint32(s.Args[1])))
	}},
	{name: "countword", on: "memory", args: []arg{at, one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return unused(func(v int64) int64 { return int64(hook.Add(o.(*memory).number(s.Args[0]), uint32(v))) }, s.Args[1])
	}},
	{name: "countwide", on: "memory", args: []arg{at, one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return unused(func(v int64) int64 { return int64(hook.Add(o.(*memory).wide(s.Args[0]), uint64(v))) }, s.Args[1])
	}},
	{name: "casword", on: "memory", args: []arg{at, val, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return truth(hook.CompareAndSwap(o.(*memory).number(s.Args[0]), uint32(s.Args[1]), uint32(s.Args[2])))
	}},

	{name: "lock", on: mutexes, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(sched.Locker).Lock(); return 0 }},
	{name: "unlock", on: mutexes, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(sched.Locker).Unlock(); return 0 }},
	{name: "trylock", on: mutexes, do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		return truth(o.(interface{ TryLock() bool }).TryLock())
	}},
	{name: "rlock", on: "rwmutex", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.RWMutex).RLock(); return 0 }},
	{name: "runlock", on: "rwmutex", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.RWMutex).RUnlock(); return 0 }},
	{name: "tryrlock", on: "rwmutex", do: func(_ *actor, o any, _ *Step, _ []any) int64 { return truth(o.(*sched.RWMutex).TryRLock()) }},

	{name: "wgadd", on: "waitgroup", args: []arg{{low: -1, high: 2}}, panics: true, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		o.(*sched.WaitGroup).Add(int(s.Args[0]))
		return 0
	}},
	{name: "done", on: "waitgroup", panics: true, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.WaitGroup).Done(); return 0 }},
	{name: "wgwait", on: "waitgroup", panics: true, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.WaitGroup).Wait(); return 0 }},
	{name: "wggo", on: "waitgroup", args: []arg{fun}, do: func(a *actor, o any, s *Step, slots []any) int64 {
		o.(*sched.WaitGroup).Go(func() { a.env.newActor().run(int(s.Args[0]), slots) })
		return 0
	}},
	{name: "do", on: "once", args: []arg{fun}, panics: true, do: func(a *actor, o any, s *Step, slots []any) (first int64) {
		o.(*sched.Once).Do(func() { first = 1; a.run(int(s.Args[0]), slots) })
		return first
	}},
	{name: "dofunc", on: "oncefunc", panics: true, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(func())(); return 0 }},
	{name: "wait", on: "cond", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.Cond).Wait(); return 0 }},
	{name: "waitlocked", on: "cond", do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		c := o.(*sched.Cond)
		c.L.Lock()
		c.Wait()
		c.L.Unlock()
		return 0
	}},
	{name: "signal", on: "cond", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.Cond).Signal(); return 0 }},
	{name: "broadcast", on: "cond", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.Cond).Broadcast(); return 0 }},

	{name: "begincall", on: "history", do: func(_ *actor, o any, _ *Step, _ []any) int64 { return o.(*history).call() }},
	{name: "endcall", on: "history", do: func(a *actor, o any, _ *Step, _ []any) int64 { o.(*history).end(a.id); return 0 }},

	{name: "mapload", on: "map", args: []arg{key}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return found(o.(*sched.Map).Load(s.Args[0])) }},
	{name: "mapstore", on: "map", args: []arg{key, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*sched.Map).Store(s.Args[0], s.Args[1]); return 0 }},
	{name: "loadorstore", on: "map", args: []arg{key, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return found(o.(*sched.Map).LoadOrStore(s.Args[0], s.Args[1]))
	}},
	{name: "loadanddelete", on: "map", args: []arg{key}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return found(o.(*sched.Map).LoadAndDelete(s.Args[0])) }},
	{name: "delete", on: "map", args: []arg{key}, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*sched.Map).Delete(s.Args[0]); return 0 }},
	{name: "mapswap", on: "map", args: []arg{key, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { return found(o.(*sched.Map).Swap(s.Args[0], s.Args[1])) }},
	{name: "mapcas", on: "map", args: []arg{key, val, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return truth(o.(*sched.Map).CompareAndSwap(s.Args[0], s.Args[1], s.Args[2]))
	}},
	{name: "mapcad", on: "map", args: []arg{key, val}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		return truth(o.(*sched.Map).CompareAndDelete(s.Args[0], s.Args[1]))
	}},
	{name: "range", on: "map", do: func(_ *actor, o any, _ *Step, _ []any) (r int64) {
		o.(*sched.Map).Range(func(k, v any) bool { r = r*100 + k.(int64)*10 + v.(int64) + 1; return true })
		return r
	}},
	{name: "first", on: "map", do: func(_ *actor, o any, _ *Step, _ []any) (r int64) {
		o.(*sched.Map).Range(func(k, v any) bool { r = k.(int64)*10 + v.(int64) + 1; return false })
		return r
	}},
	{name: "clear", on: "map", do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.Map).Clear(); return 0 }},
	{name: "poolput", on: "pool", args: []arg{val}, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*sched.Pool).Put(s.Args[0]); return 0 }},
	{name: "poolget", on: "pool", do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		v, ok := o.(*sched.Pool).Get().(int64)
		return found(v, ok)
	}},

	{name: "send", on: chans, args: []arg{val}, panics: true, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*sched.Chan[int64]).Send(s.Args[0]); return 0 }},
	{name: "recv", on: sources, do: func(_ *actor, o any, _ *Step, _ []any) int64 { return receive(o) }},
	{name: "close", on: chans + " gun", weight: 1, panics: true, do: func(_ *actor, o any, _ *Step, _ []any) int64 { o.(*sched.Chan[int64]).Close(); return 0 }},
	{name: "len", on: chans + " gun", do: func(_ *actor, o any, _ *Step, _ []any) int64 { return int64(o.(*sched.Chan[int64]).Len()) }},
	{name: "all", on: "chan", args: []arg{fun}, do: func(a *actor, o any, s *Step, slots []any) (n int64) {
		for v := range o.(*sched.Chan[int64]).All() {
			n = n*10 + v + 1
			a.run(int(s.Args[0]), slots)
		}
		return n
	}},
	{name: "select", panics: true, do: func(_ *actor, _ any, s *Step, slots []any) int64 { return choose(s, slots) }},
	{name: "within", on: sources, weight: 1, args: []arg{one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		k, result := receiving(o)
		i := sched.Select(k, sched.RecvCase(sched.After(span(s.Args[0])), nil, nil))
		return int64(i)<<8 | result()
	}},

	{name: "cancel", on: contexts, weight: 5, args: []arg{{low: 0, high: 2}}, do: func(_ *actor, o any, s *Step, _ []any) int64 { o.(*context).cancel(s.Args[0]); return 0 }},
	{name: "err", on: contexts, do: func(_ *actor, o any, _ *Step, _ []any) int64 { return text(o.(*context).Err()) }},
	{name: "cause", on: contexts, do: func(_ *actor, o any, _ *Step, _ []any) int64 { return text(sched.Cause(o.(*context).Context)) }},
	{name: "info", on: contexts, weight: 1, do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		v, ok := o.(*context).Value(contextKey{}).(int64)
		d, dead := o.(*context).Deadline()
		return found(v, ok)<<8 | truth(dead)<<16 | int64(d.Nanosecond()/1e6)
	}},
	{name: "stopafter", on: "ctxafter", do: func(_ *actor, o any, _ *Step, _ []any) int64 { return truth(o.(func() bool)()) }},

	{name: "stop", on: "timer ticker after", do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		if t, ok := o.(*sched.Ticker); ok {
			t.Stop()
			return 0
		}
		return truth(o.(*sched.Timer).Stop())
	}},
	{name: "reset", on: "timer ticker after", args: []arg{one}, do: func(_ *actor, o any, s *Step, _ []any) int64 {
		if t, ok := o.(*sched.Ticker); ok {
			t.Reset(span(s.Args[0]))
			return 0
		}
		return truth(o.(*sched.Timer).Reset(span(s.Args[0])))
	}},
	{name: "sleep", args: []arg{{low: 0, high: 3}}, do: func(_ *actor, _ any, s *Step, _ []any) int64 { hook.SleepAt(span(s.Args[0]), site(s)); return 0 }},
	{name: "now", do: func(*actor, any, *Step, []any) int64 { return int64(sched.Since(beginning) / time.Millisecond) }},

	{name: "gosched", do: func(_ *actor, _ any, s *Step, _ []any) int64 { hook.GoschedAt(site(s)); return 0 }},
	{name: "choose", args: []arg{{low: 1, high: 3}}, do: func(_ *actor, _ any, s *Step, _ []any) int64 { return int64(sched.Choose(int(s.Args[0]))) }},
	{name: "goroutines", do: func(*actor, any, *Step, []any) int64 { return int64(sched.NumGoroutine()) }},
	{name: "go", args: []arg{fun}, do: func(a *actor, _ any, s *Step, slots []any) int64 {
		a.kids = append(a.kids, sched.Go(func() { a.env.newActor().run(int(s.Args[0]), slots) }))
		return 0
	}},
	{name: "join", args: []arg{bit}, do: func(a *actor, _ any, s *Step, _ []any) int64 {
		if s.Args[0] < int64(len(a.kids)) {
			a.kids[s.Args[0]].Join()
		}
		return 0
	}},
	{name: "call", args: []arg{fun}, panics: true, do: func(a *actor, _ any, s *Step, slots []any) int64 { a.run(int(s.Args[0]), slots); return 0 }},
	{name: "repeat", args: []arg{{low: 2, high: 3}, fun}, do: func(a *actor, _ any, s *Step, slots []any) int64 {
		for range s.Args[0] {
			a.run(int(s.Args[1]), slots)
		}
		return 0
	}},
	{name: "panic", args: []arg{val}, panics: true, do: func(_ *actor, _ any, s *Step, _ []any) int64 { panic(fmt.Sprint("mine ", s.Args[0])) }},
	{name: "goexit", do: func(*actor, any, *Step, []any) int64 { sched.Goexit(); return 0 }},
}

var allOps = slices.Concat(opList, socketOps)

var ops = func() map[string]*op {
	m := make(map[string]*op)
	for _, o := range allOps {
		m[o.name] = o
	}
	return m
}()

// beginning is when virtual time begins.
var beginning = exec.DefaultStart()

// site tells the step from others, as the place of a call does.
func site(s *Step) uintptr { return uintptr(unsafe.Pointer(s)) }

// spin polls, fairly, until an atomic has a value.
func spin(_ *actor, o any, s *Step, _ []any) (turns int64) {
	for o.(number).load() != s.Args[0] {
		hook.GoschedAt(site(s))
		turns++
	}
	return turns
}

// found is a value that there may be, as a number.
func found(v any, ok bool) int64 {
	n, _ := v.(int64)
	return n<<1 | truth(ok)
}

// text is an error as a number.
func text(err error) int64 {
	if err == nil {
		return 0
	}
	return int64(hashText(err.Error()) >> 8)
}

func receive(o any) int64 {
	switch o := o.(type) {
	case *sched.Chan[int64]:
		return found(o.Recv2())
	case *sched.Timer:
		return millis(o.C.Recv())
	case *sched.Ticker:
		return millis(o.C.Recv())
	}
	o.(*context).Done().Recv()
	return 0
}

func millis(t time.Time) int64 { return int64(t.Sub(beginning) / time.Millisecond) }

// receiving returns the case of receiving from o, and what it has received.
func receiving(o any) (sched.Case, func() int64) {
	var v int64
	var t time.Time
	var ok bool
	moment := func() int64 {
		if t.IsZero() {
			return 0
		}
		return millis(t)
	}
	switch o := o.(type) {
	case *sched.Chan[int64]:
		return sched.RecvCase(o, &v, &ok), func() int64 { return found(v, ok) }
	case *sched.Timer:
		return sched.RecvCase(o.C, &t, nil), moment
	case *sched.Ticker:
		return sched.RecvCase(o.C, &t, nil), moment
	}
	return sched.RecvCase(o.(*context).Done(), nil, &ok), func() int64 { return truth(ok) }
}

// choose performs a select. Cases of objects that were not made are those of nil channels.
func choose(s *Step, slots []any) int64 {
	var buf [4]sched.Case
	list := buf[:0]
	result := func() int64 { return 0 }
	var results []func() int64
	for _, k := range s.Cases {
		o := slots[k.Obj]
		if o == nil {
			o = (*sched.Chan[int64])(nil)
		}
		if k.Send {
			list, results = append(list, sched.SendCase(o.(*sched.Chan[int64]), k.Val)), append(results, result)
			continue
		}
		c, r := receiving(o)
		list, results = append(list, c), append(results, r)
	}
	if s.Default {
		list, results = append(list, sched.Default), append(results, result)
	}
	i := sched.Select(list...)
	return int64(i)<<8 | results[i]()&0xff
}
