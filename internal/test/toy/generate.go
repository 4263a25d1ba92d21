package toy

import (
	"fmt"

	"github.com/gopor/gopor/sched"
)

// Generate makes a small program. Each decision is one call of pick, which
// returns a number from 0 to n-1; the same answers give the same program. The
// programs lean towards few objects, used by several threads in matching ways.
func Generate(pick func(n int) int) *Program {
	g := generator{pick: pick, p: new(Program)}
	g.objects()
	threads := 2 + g.pick(5)/2 // 2, 2, 3, 3, 4
	g.p.Threads = make([][]Instr, threads)
	for t := 1; t < threads; t++ {
		g.body(t, threads)
	}
	g.main(threads)
	if err := g.p.Check(); err != nil {
		panic(fmt.Sprintf("%v\n%v", err, g.p))
	}
	return g.p
}

// FromBytes is Generate with the decisions read from data, and 0 where data is
// at its end.
func FromBytes(data []byte) *Program {
	return Generate(func(n int) int {
		if len(data) == 0 {
			return 0
		}
		k := int(data[0]) % n
		data = data[1:]
		return k
	})
}

type generator struct {
	pick func(n int) int
	p    *Program
}

func (g *generator) chance(percent int) bool { return g.pick(100) >= 100-percent }

// objects declares one to three objects.
func (g *generator) objects() {
	// How often each kind is drawn.
	weights := [numObjKinds]int{Cell: 4, Chan: 6, Mutex: 3, RWMutex: 3, WaitGroup: 3, Once: 1, Cond: 2, Pool: 1, Timer: 1, Ticker: 1, After: 1}
	total := 0
	for _, w := range weights {
		total += w
	}
	for range 1 + g.pick(3) {
		n := g.pick(total)
		kind := ObjKind(0)
		for n >= weights[kind] {
			n -= weights[kind]
			kind++
		}
		g.object(kind)
	}
	switch {
	case !g.timed():
	case g.chance(50):
		g.p.Time = sched.TimeAnyOrder
	case g.chance(50):
		g.p.Time, g.p.Lag = sched.TimeLag, int64(1+g.pick(3))
	}
}

func (g *generator) timed() bool {
	for _, o := range g.p.Objects {
		if o.Kind >= Timer {
			return true
		}
	}
	return false
}

func (g *generator) object(kind ObjKind) {
	i := len(g.p.Objects)
	o := Object{Kind: kind}
	switch kind {
	case Chan:
		o.N = int64(max(0, g.pick(5)-2))
	case Timer, Ticker:
		o.N = int64(1 + g.pick(2))
	case After:
		o.N, o.Ref = int64(g.pick(3)), 1
	case Cond:
		g.object(Mutex)
		o.Ref, i = i, i+1
	}
	const letters = "xcmwgokptuf"
	o.Name = fmt.Sprintf("%c%d", letters[kind], i)
	g.p.Objects = append(g.p.Objects, o)
}

// main starts the threads that no other thread starts, does something, and may
// wait for them.
func (g *generator) main(threads int) {
	body := &g.p.Threads[0]
	for range g.pick(3) - 1 {
		g.action(0, body)
	}
	started := make([]bool, threads)
	for _, th := range g.p.Threads[1:] {
		for _, in := range th {
			if in.Code == Spawn {
				started[in.N] = true
			}
		}
	}
	for _, o := range g.p.Objects {
		if o.Kind == After {
			started[o.Ref] = true
		}
	}
	for t := 1; t < threads; t++ {
		if !started[t] {
			*body = append(*body, Instr{Code: Spawn, Dst: -1, N: int64(t)})
		}
	}
	for range g.pick(3) {
		g.action(0, body)
	}
	if g.chance(15) {
		*body = append(*body, Instr{Code: Join, Dst: -1, N: int64(1 + g.pick(threads-1))})
	}
	g.branches(body)
}

func (g *generator) body(t, threads int) {
	body := &g.p.Threads[t]
	for range 1 + g.pick(3) {
		g.action(t, body)
	}
	if t+1 < threads && g.chance(15) {
		g.insert(body, Instr{Code: Spawn, Dst: -1, N: int64(t + 1)})
	}
	g.branches(body)
}

// insert puts in somewhere where it does not part an instruction from others
// that it counts.
func (g *generator) insert(body *[]Instr, in Instr) {
	for _, k := range *body {
		if k.Code == Do {
			*body = append(*body, in)
			return
		}
	}
	at := g.pick(len(*body) + 1)
	*body = append((*body)[:at], append([]Instr{in}, (*body)[at:]...)...)
}

// branches may make an instruction depend on the result of an earlier one.
func (g *generator) branches(body *[]Instr) {
	if !g.chance(30) {
		return
	}
	for i, in := range *body {
		if !codes[in.Code].result || i+1 == len(*body) || in.Code == Do && in.N > 0 {
			continue
		}
		(*body)[i].Dst = 1
		branch := Instr{Code: If, Dst: -1, Reg: 1, Args: [2]Value{Const(int64(g.pick(3) - 1))}, N: 1, Not: g.chance(50)}
		for _, k := range (*body)[:i] {
			if k.Code == Do {
				return
			}
		}
		if (*body)[i+1].Code == Do {
			branch.N += (*body)[i+1].N
		}
		*body = append((*body)[:i+1], append([]Instr{branch}, (*body)[i+1:]...)...)
		return
	}
}

// action appends something that a thread may do, one to three instructions.
func (g *generator) action(t int, body *[]Instr) {
	if g.chance(8) {
		g.local(body)
		return
	}
	obj := g.pick(len(g.p.Objects))
	add := func(in Instr) { in.Dst = -1; in.Obj = obj; *body = append(*body, in) }
	switch g.p.Objects[obj].Kind {
	case Cell:
		add(g.access())
	case Chan:
		g.channel(add)
	case Mutex:
		g.locking(t, body, add, Lock, Unlock, TryLock)
	case RWMutex:
		if g.chance(50) {
			g.locking(t, body, add, Lock, Unlock, TryLock)
		} else {
			g.locking(t, body, add, RLock, RUnlock, TryRLock)
		}
	case WaitGroup:
		g.waitGroup(add)
	case Once:
		add(Instr{Code: Do})
		i := len(*body) - 1
		if g.chance(60) {
			g.action(t, body)
		}
		(*body)[i].N = int64(len(*body) - i - 1)
	case Cond:
		g.cond(body, obj, add)
	case Pool:
		add(Instr{Code: Use})
	case Timer, Ticker, After:
		g.timer(t, obj, add)
	}
}

func (g *generator) value() Value {
	if g.chance(15) {
		return Reg(1)
	}
	return Const(int64(g.pick(3)))
}

func (g *generator) access() Instr {
	c := Read + Code(g.pick(int(CAS-Read)+1))
	return Instr{Code: c, Args: [2]Value{g.value(), g.value()}}
}

// local is something without an object.
func (g *generator) local(body *[]Instr) {
	in := Instr{Code: []Code{Choose, Yield, Sleep, Now}[g.pick(4)], Dst: -1}
	switch in.Code {
	case Choose:
		in.N = 2
	case Sleep:
		in.N = int64(1 + g.pick(2))
	}
	*body = append(*body, in)
}

func (g *generator) channel(add func(Instr)) {
	switch n := g.pick(20); {
	case n < 7:
		add(Instr{Code: Send, Args: [2]Value{g.value()}})
	case n < 14:
		add(Instr{Code: Recv})
	case n < 16:
		add(Instr{Code: Close})
	case n < 17:
		add(Instr{Code: Len})
	default:
		in := Instr{Code: Select, Default: g.chance(30)}
		for range 1 + g.pick(2) {
			if k := g.pick(len(g.p.Objects)); g.p.Objects[k].Kind == Chan {
				in.Cases = append(in.Cases, Case{Send: g.chance(50), Obj: k, Val: g.value()})
			} else if g.p.Objects[k].Kind == Timer || g.p.Objects[k].Kind == Ticker {
				in.Cases = append(in.Cases, Case{Obj: k})
			}
		}
		add(in)
	}
}

// locking mostly locks and unlocks, with something in between.
func (g *generator) locking(t int, body *[]Instr, add func(Instr), lock, unlock, try Code) {
	switch n := g.pick(20); {
	case n < 14:
		add(Instr{Code: lock})
		if g.chance(40) {
			g.action(t, body)
		}
		add(Instr{Code: unlock})
	case n < 17:
		add(Instr{Code: try})
		if len(*body) > 0 && g.chance(60) {
			(*body)[len(*body)-1].Dst = 0
			*body = append(*body, Instr{Code: If, Dst: -1, N: 1, Args: [2]Value{Const(0)}})
			add(Instr{Code: unlock})
		}
	case n < 18:
		add(Instr{Code: unlock})
	default:
		add(Instr{Code: lock})
	}
}

func (g *generator) waitGroup(add func(Instr)) {
	switch n := g.pick(20); {
	case n < 7:
		add(Instr{Code: WGAdd, N: int64(1 + g.pick(2))})
	case n < 13:
		add(Instr{Code: WGDone})
	case n < 14:
		add(Instr{Code: WGAdd, N: int64(-g.pick(3))})
	default:
		add(Instr{Code: WGWait})
	}
}

func (g *generator) cond(body *[]Instr, obj int, add func(Instr)) {
	lock := Instr{Code: Lock, Obj: g.p.Objects[obj].Ref, Dst: -1}
	unlock := Instr{Code: Unlock, Obj: lock.Obj, Dst: -1}
	switch n := g.pick(20); {
	case n < 9:
		*body = append(*body, lock)
		add(Instr{Code: Wait})
		*body = append(*body, unlock)
	case n < 10:
		add(Instr{Code: Wait})
	case n < 16:
		add(Instr{Code: Signal})
	default:
		add(Instr{Code: Broadcast})
	}
}

func (g *generator) timer(t, obj int, add func(Instr)) {
	o := &g.p.Objects[obj]
	n := g.pick(20)
	switch {
	case n < 12 && o.Kind != After:
		add(Instr{Code: Recv})
	case n < 16 || o.Kind == After && o.Ref <= t:
		add(Instr{Code: Stop})
	default:
		add(Instr{Code: Reset, N: int64(1 + g.pick(2))})
	}
}
