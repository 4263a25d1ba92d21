package toy

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Closure is a toy program as a closure on the primitives of package sched. It
// behaves as a [Runner] of the same program does, down to the numbers of its
// goroutines, except that asking for the time is no event in discrete time, and making a
// timer is one by lag.
type Closure struct {
	*exec.Closure
	p     *Program
	child map[childKey]trace.ID
	env   *env
}

// unit is what stands for a nanosecond of the program: every look at the clock shows the
// closure a time that is later by less than that, which the program has none of.
const unit = time.Microsecond

type childKey struct {
	parent trace.ID
	place  int32
}

// NewClosure translates p, which must pass its check.
func NewClosure(p *Program) *Closure {
	c := &Closure{p: p, child: make(map[childKey]trace.ID)}
	c.Closure = exec.New(c.main, exec.Options{Races: sched.RaceExplore, Time: p.Time, Lag: time.Duration(p.Lag) * unit})
	ids := []trace.ID{0}
	for i, nm := range p.names() {
		ids = append(ids, c.Lookup(p.Paths()[i]))
		c.child[childKey{ids[nm.parent], nm.place}] = ids[i+1]
	}
	return c
}

// Start implements [trace.Program].
func (c *Closure) Start() trace.Run {
	c.Closure.Start()
	return c
}

// AppendState appends the same text as [Runner.AppendState].
func (c *Closure) AppendState(b []byte) []byte {
	for i, o := range c.p.Objects {
		if o.Kind == Cell {
			b = append(append(b, o.Name...), '=')
			b = append(strconv.AppendInt(b, c.env.objs[i].cell.Load(), 10), ' ')
		}
	}
	return appendFailures(c.AppendLogs(b), c.Outcome())
}

// AppendLogs appends what the goroutines have seen, which is all that there is to know of
// an execution that was not run under control.
func (c *Closure) AppendLogs(b []byte) []byte {
	for id := range trace.ID(len(c.child) + 2) {
		if g := c.env.gs[id]; g != nil {
			b = append(strconv.AppendInt(append(b, "g"...), int64(id), 10), ':')
			b = appendThread(b, g.index, g.pc, g.ended, g.log)
		}
	}
	return b
}

// Main is the function that is run, for a caller that runs it in another way, once at a time. Its
// goroutines may run in parallel.
func (c *Closure) Main() { c.main() }

// env is what the goroutines of an execution share.
type env struct {
	c    *Closure
	p    *Program
	objs []object
	made *sched.WaitGroup // by lag, for all timers to be made; else nil
	mu   sync.Mutex
	gs   map[trace.ID]*actor
}

// object is any of the primitives.
type object struct {
	plain  *sched.Var[int64] // a cell, unless it is
	atomic *sched.Int64      // holds the value
	cell   atomic.Int64      // its value
	ch     *sched.Chan[int64]
	mutex  *sched.Mutex
	rw     *sched.RWMutex
	wg     *sched.WaitGroup
	once   *sched.Once
	cond   *sched.Cond
	pool   *sched.Pool
	tick   *sched.Chan[time.Time]
	timer  *sched.Timer
	ticker *sched.Ticker
}

// actor is a goroutine of the closure.
type actor struct {
	*env
	id     trace.ID
	index  int
	pc     int
	ended  bool
	regs   [Regs]int64
	log    []int64
	kids   map[int]*actorHandle
	places int32
	sleeps int
}

type actorHandle struct{ h sched.Handle }

func (c *Closure) main() {
	e := &env{c: c, p: c.p, objs: make([]object, len(c.p.Objects)), gs: make(map[trace.ID]*actor)}
	c.env = e
	a := &actor{env: e}
	for i := range c.p.Objects {
		e.make(i)
	}
	if c.p.Time == sched.TimeLag && slices.ContainsFunc(c.p.Objects, func(o Object) bool { return o.Kind == After }) {
		e.made = new(sched.WaitGroup)
		e.made.Add(1)
	}
	for i := range c.p.Objects {
		if c.p.Objects[i].Kind >= Timer {
			a.makeTimer(i)
		}
	}
	if e.made != nil {
		e.made.Done()
	}
	a.run(0, 0)
}

// make makes an object that is no timer.
func (e *env) make(i int) {
	o, decl := &e.objs[i], &e.p.Objects[i]
	switch decl.Kind {
	case Cell:
		o.cell.Store(decl.N)
		if e.isAtomic(i) {
			o.atomic = new(sched.Int64)
		} else {
			o.plain = sched.NewVar(decl.N)
		}
	case Chan:
		o.ch = sched.NewChan[int64](int(decl.N))
	case Mutex:
		o.mutex = new(sched.Mutex)
	case RWMutex:
		o.rw = new(sched.RWMutex)
	case WaitGroup:
		o.wg = new(sched.WaitGroup)
	case Once:
		o.once = new(sched.Once)
	case Pool:
		o.pool = new(sched.Pool)
	}
	for j := range e.p.Objects {
		if k := &e.p.Objects[j]; k.Kind == Cond && k.Ref == i {
			e.objs[j].cond = sched.NewCond(o.mutex)
		}
	}
}

// isAtomic reports whether a cell has to be an atomic: a Var has no
// compare-and-swap, no and, no or.
func (e *env) isAtomic(obj int) bool {
	for _, body := range e.p.Threads {
		for _, in := range body {
			if (in.Code == CAS || in.Code == And || in.Code == Or) && in.Obj == obj {
				return true
			}
		}
	}
	return false
}

func (a *actor) makeTimer(i int) {
	o, decl := &a.objs[i], a.p.Objects[i]
	d := time.Duration(decl.N) * unit
	id := a.child()
	switch decl.Kind {
	case Timer:
		o.timer = sched.NewTimer(d)
		o.tick = o.timer.C
	case Ticker:
		o.ticker = sched.NewTicker(d)
		o.tick = o.ticker.C
	case After:
		fired := int32(0)
		o.timer = sched.AfterFunc(d, func() {
			b := &actor{env: a.env}
			if a.made != nil { // by lag main is perhaps not there yet
				a.made.Wait()
			}
			fired++
			b.run(a.c.child[childKey{id, fired - 1}], decl.Ref)
		})
	}
}

// child returns the number of the next child of a.
func (a *actor) child() trace.ID {
	a.places++
	return a.c.child[childKey{a.id, a.places - 1}]
}

// run is the goroutine of a.
func (a *actor) run(id trace.ID, index int) {
	a.id, a.index = id, index
	a.mu.Lock()
	a.gs[id] = a
	a.mu.Unlock()
	a.kids = make(map[int]*actorHandle)
	defer func() { a.ended = true }()
	for _, in := range a.p.Threads[index] {
		if in.Code == Yield {
			yield() // the first time in a goroutine it is nothing
			break
		}
	}
	a.until(len(a.p.Threads[index]))
}

// yield is one place in the program, however often it is called.
//
//go:noinline
func yield() { sched.Gosched() }

// until performs instructions up to number end.
func (a *actor) until(end int) {
	body := a.p.Threads[a.index]
	for a.pc < end {
		in := &body[a.pc]
		switch in.Code {
		case If:
			if (a.regs[in.Reg] == a.value(in.Args[0])) != in.Not {
				a.pc += int(in.N)
			}
			a.pc++
		case Spawn:
			a.pc++
			id, index := a.child(), int(in.N)
			k := &actorHandle{}
			a.kids[index] = k
			k.h = sched.Go(func() { (&actor{env: a.env}).run(id, index) })
		case Do:
			a.do(in)
		default:
			r := a.perform(in)
			if codes[in.Code].result {
				a.note(in, r)
			}
			a.pc++
		}
	}
}

func (a *actor) value(v Value) int64 {
	if v.IsReg {
		return a.regs[v.N]
	}
	return v.N
}

func (a *actor) note(in *Instr, n int64) {
	t := thread{regs: a.regs, log: a.log}
	t.note(in, n)
	a.regs, a.log = t.regs, t.log
}

func (a *actor) do(in *Instr) {
	end, first := a.pc+1+int(in.N), false
	a.objs[in.Obj].once.Do(func() {
		first = true
		a.note(in, 1)
		a.pc++
		a.until(end)
	})
	if !first {
		a.note(in, 0)
		a.pc = end
	}
}

func truth(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}
