package por

import (
	"fmt"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// A model is a program for tests: threads over shared integers and locks,
// interpreted without any goroutine, and simple enough to be believed. It keeps
// the rules of the seam: operations are requests, locks are granted in the order
// of the requests, and what grants a request comes before the next event of the
// goroutine that waited.
type model struct {
	cells   int
	locks   int
	threads []code // thread 0 starts; the others when spawned, or at once if nobody spawns
	spawned bool   // threads other than 0 wait to be spawned
	lazy    bool   // objects get their numbers when an operation on them is first published

	run modelRun
}

type code []instr

// instr is one instruction: an operation if do is set, or a local step.
type instr struct {
	kind trace.Kind
	acc  func(r *modelRun, t *thread, op *trace.Op)
	alts func(r *modelRun, t *thread) int32
	do   func(r *modelRun, t *thread, alt int32)
	jump func(t *thread) int // of a local step: the next pc
}

type thread struct {
	id      trace.ID
	code    code
	pc      int
	reg     [4]int
	started bool
	ended   bool
	waiting bool
	last    int32 // number of its last event, -1 if none
	order   []int32
	op      trace.Op
}

type mutexState struct {
	holder  int // thread, or -1
	queue   []int
	release int32 // the latest unlock, or -1
}

type modelRun struct {
	m       *model
	cell    []int
	lock    []mutexState
	threads []thread
	joiners []int // joiners[i] waits for thread want[i]
	want    []int
	n       int32
	numbers []int32 // numbers[i] is the number of object i if numbers are given late, or -1
	given   int32
	ops     []*trace.Op
	ev      trace.Event
	open    bool
}

func (m *model) Start() trace.Run {
	r := &m.run
	if r.open {
		panic("model: two runs at once")
	}
	if r.m == nil {
		*r = modelRun{m: m, cell: make([]int, m.cells), lock: make([]mutexState, m.locks), threads: make([]thread, len(m.threads))}
	}
	clear(r.cell)
	for i := range r.lock {
		r.lock[i] = mutexState{holder: -1, queue: r.lock[i].queue[:0], release: -1}
	}
	r.numbers, r.given = r.numbers[:0], 0
	for range m.cells + m.locks {
		r.numbers = append(r.numbers, -1)
	}
	r.joiners, r.want, r.n, r.open = r.joiners[:0], r.want[:0], 0, true
	for i := range r.threads {
		t := &r.threads[i]
		*t = thread{id: trace.ID(i), code: m.threads[i], last: -1, order: t.order[:0]}
		if i == 0 || !m.spawned {
			t.started = true
			r.publish(t)
		}
	}
	return r
}

// publish runs local steps and publishes the next operation of t.
func (r *modelRun) publish(t *thread) {
	for t.pc < len(t.code) && t.code[t.pc].do == nil {
		t.pc = t.code[t.pc].jump(t)
	}
	if t.pc < len(t.code) {
		if r.m.lazy {
			r.describe(t)
		}
		return
	}
	t.ended = true
	for i, w := range r.want {
		if w == int(t.id) {
			j := &r.threads[r.joiners[i]]
			j.waiting = false
			r.follow(j, t)
			r.publish(j)
		}
	}
}

// follow puts the next event of j after all of t, which has ended.
func (r *modelRun) follow(j, t *thread) {
	if t.last >= 0 {
		j.order = append(j.order, t.last)
	}
	j.order = append(j.order, t.order...)
}

// describe sets the pending operation of t.
func (r *modelRun) describe(t *thread) {
	in := &t.code[t.pc]
	t.op.G, t.op.Kind, t.op.Alts, t.op.Obj = t.id, in.kind, 1, -1
	t.op.SetAccesses()
	if in.acc != nil {
		in.acc(r, t, &t.op)
	}
	if in.alts != nil {
		t.op.Alts = in.alts(r, t)
	}
	if r.m.lazy {
		as := slices.Clone(t.op.Accesses())
		for i, a := range as {
			if r.numbers[a.Obj] < 0 {
				r.numbers[a.Obj] = 2*r.given + 1 // odd: of this execution only
				r.given++
			}
			as[i].Obj = r.numbers[a.Obj]
		}
		t.op.SetAccesses(as...)
	}
}

func (r *modelRun) Pending() []*trace.Op {
	r.ops = r.ops[:0]
	for i := range r.threads {
		t := &r.threads[i]
		if !t.started || t.ended || t.waiting {
			continue
		}
		r.describe(t)
		r.ops = append(r.ops, &t.op)
	}
	return r.ops
}

func (r *modelRun) Step(c trace.Choice) (*trace.Event, error) {
	if !r.open {
		return nil, trace.ErrClosed
	}
	if int(c.G) >= len(r.threads) {
		return nil, fmt.Errorf("model: no thread %d", c.G)
	}
	t := &r.threads[c.G]
	if !t.started || t.ended || t.waiting {
		return nil, fmt.Errorf("model: thread %d is not ready at %d", c.G, r.n)
	}
	in := &t.code[t.pc]
	r.describe(t)
	if c.Alt >= t.op.Alts {
		return nil, fmt.Errorf("model: thread %d has no alternative %d at %d", c.G, c.Alt, r.n)
	}
	r.ev.Op, r.ev.Alt = t.op, c.Alt
	r.ev.Order = append(r.ev.Order[:0], t.order...)
	t.order = t.order[:0]
	t.last = r.n
	t.pc++
	in.do(r, t, c.Alt)
	if !t.waiting {
		r.publish(t)
	}
	r.n++
	return &r.ev, nil
}

func (r *modelRun) Replay(s trace.Schedule) error {
	for _, c := range s {
		if _, err := r.Step(c); err != nil {
			return err
		}
	}
	return nil
}

func (r *modelRun) Len() int                 { return int(r.n) }
func (r *modelRun) Outcome() []trace.Failure { return nil }
func (r *modelRun) Close()                   { r.open = false }

func access(obj int, write bool) trace.Access {
	if write {
		return trace.Access{Obj: int32(obj), Mode: trace.ModeWrite}
	}
	return trace.Access{Obj: int32(obj), Mode: trace.ModeRead}
}

// reg names a register of a thread, at its lower bits, to load an index from.
type index func(t *thread) int

func at(i int) index                 { return func(*thread) int { return i } }
func atReg(base, r int) index        { return func(t *thread) int { return base + t.reg[r] } }
func (m *model) lockObj(l int) int32 { return int32(m.cells + l) }

func read(i index, dst int) instr {
	return instr{kind: trace.OpLoad,
		acc: func(_ *modelRun, t *thread, op *trace.Op) { op.SetAccesses(access(i(t), false)) },
		do:  func(r *modelRun, t *thread, _ int32) { t.reg[dst] = r.cell[i(t)] }}
}

func write(i index, val index) instr {
	return instr{kind: trace.OpStore,
		acc: func(_ *modelRun, t *thread, op *trace.Op) { op.SetAccesses(access(i(t), true)) },
		do:  func(r *modelRun, t *thread, _ int32) { r.cell[i(t)] = val(t) }}
}

// add increments a cell in one step.
func add(i index, n int) instr {
	return instr{kind: trace.OpAdd,
		acc: func(_ *modelRun, t *thread, op *trace.Op) { op.SetAccesses(access(i(t), true)) },
		do:  func(r *modelRun, t *thread, _ int32) { r.cell[i(t)] += n }}
}

// move does x[dst] := x[src] + n in one step.
func move(dst, src index, n int) instr {
	return instr{kind: trace.OpUpdate,
		acc: func(_ *modelRun, t *thread, op *trace.Op) {
			op.SetAccesses(access(src(t), false), access(dst(t), true))
		},
		do: func(r *modelRun, t *thread, _ int32) { r.cell[dst(t)] = r.cell[src(t)] + n }}
}

// cas replaces old by new; reg[dst] tells whether it did. It is a read if it fails.
func cas(i index, old, new index, dst int) instr {
	return instr{kind: trace.OpCAS,
		acc: func(r *modelRun, t *thread, op *trace.Op) {
			op.SetAccesses(access(i(t), r.cell[i(t)] == old(t)))
		},
		do: func(r *modelRun, t *thread, _ int32) {
			t.reg[dst] = 0
			if r.cell[i(t)] == old(t) {
				r.cell[i(t)] = new(t)
				t.reg[dst] = 1
			}
		}}
}

func choose(n, dst int) instr {
	return instr{kind: trace.OpChoose,
		alts: func(*modelRun, *thread) int32 { return int32(n) },
		do:   func(_ *modelRun, t *thread, alt int32) { t.reg[dst] = int(alt) }}
}

// take sets one of the cells that are not 0 to 0, which one being open, and
// reg[dst] to its index, or to -1 if all are 0.
func take(cells []int, dst int) instr {
	ready := func(r *modelRun) (set []int) {
		for _, c := range cells {
			if r.cell[c] != 0 {
				set = append(set, c)
			}
		}
		return set
	}
	return instr{kind: trace.OpSelect,
		acc: func(_ *modelRun, _ *thread, op *trace.Op) {
			var as []trace.Access
			for _, c := range cells {
				as = append(as, access(c, true))
			}
			op.SetAccesses(as...)
		},
		alts: func(r *modelRun, _ *thread) int32 { return max(1, int32(len(ready(r)))) },
		do: func(r *modelRun, t *thread, alt int32) {
			t.reg[dst] = -1
			if set := ready(r); len(set) > 0 {
				r.cell[set[alt]] = 0
				t.reg[dst] = set[alt]
			}
		}}
}

func lock(l index) instr {
	return instr{kind: trace.OpLock,
		acc: func(r *modelRun, t *thread, op *trace.Op) {
			op.SetAccesses(trace.Access{Obj: r.m.lockObj(l(t)), Mode: trace.ModeAcquire})
		},
		do: func(r *modelRun, t *thread, _ int32) {
			s := &r.lock[l(t)]
			if s.holder >= 0 {
				s.queue = append(s.queue, int(t.id))
				t.waiting = true
				return
			}
			r.grant(s, t)
		}}
}

func (r *modelRun) grant(s *mutexState, t *thread) {
	s.holder = int(t.id)
	if s.release >= 0 {
		t.order = append(t.order, s.release)
	}
}

// trylock sets reg[dst] to 1 if it got the lock.
func trylock(l index, dst int) instr {
	return instr{kind: trace.OpTryLock,
		acc: func(r *modelRun, t *thread, op *trace.Op) {
			op.SetAccesses(trace.Access{Obj: r.m.lockObj(l(t)), Mode: trace.ModeTry})
		},
		do: func(r *modelRun, t *thread, _ int32) {
			s := &r.lock[l(t)]
			t.reg[dst] = 0
			if s.holder < 0 {
				t.reg[dst] = 1
				s.holder = int(t.id)
			}
		}}
}

func unlock(l index) instr {
	return instr{kind: trace.OpUnlock,
		acc: func(r *modelRun, t *thread, op *trace.Op) {
			op.SetAccesses(trace.Access{Obj: r.m.lockObj(l(t)), Mode: trace.ModeRelease})
		},
		do: func(r *modelRun, t *thread, _ int32) {
			s := &r.lock[l(t)]
			if s.holder != int(t.id) {
				panic("model: unlock by a thread that does not hold the lock")
			}
			s.holder, s.release = -1, r.n
			if len(s.queue) > 0 {
				next := &r.threads[s.queue[0]]
				s.queue = s.queue[:copy(s.queue, s.queue[1:])]
				next.waiting = false
				r.grant(s, next)
				r.publish(next)
			}
		}}
}

func spawn(i int) instr {
	return instr{kind: trace.OpYield,
		do: func(r *modelRun, t *thread, _ int32) {
			n := &r.threads[i]
			n.started = true
			n.order = append(n.order, r.n)
			n.last = r.n
			r.publish(n)
		}}
}

func join(i int) instr {
	return instr{kind: trace.OpJoin,
		do: func(r *modelRun, t *thread, _ int32) {
			o := &r.threads[i]
			if !o.ended {
				r.joiners, r.want = append(r.joiners, int(t.id)), append(r.want, i)
				t.waiting = true
				return
			}
			r.follow(t, o)
		}}
}

// local computes on registers.
func local(f func(t *thread)) instr {
	return instr{jump: func(t *thread) int { f(t); return t.pc + 1 }}
}

// skip skips n instructions if cond holds; n may be negative.
func skip(n int, cond func(t *thread) bool) instr {
	return instr{jump: func(t *thread) int {
		if cond(t) {
			return t.pc + 1 + n
		}
		return t.pc + 1
	}}
}
