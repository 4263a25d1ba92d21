package toy

import (
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Runner runs a toy program. It implements [trace.Program], and [trace.Run] by
// itself.
type Runner struct {
	p        *Program
	m        *machine.Machine
	objs     []machine.ModelObject // by object of p; the channel of a timer or ticker
	timers   []machine.ModelObject // by object of p
	gs       []thread              // by goroutine, all that there can be
	queue    []trace.ID            // released, and not moved on yet
	cases    []machine.ModelCase
	failures []trace.Failure
	judged   bool
	live     bool
	err      error

	byHistory bool // keys of states know no more of threads than that
}

// thread is a goroutine between two requests.
type thread struct {
	body  []Instr
	index int32 // of the body, -1 for none
	pc    int32
	phase phase // of a Wait
	ended bool
	regs  [Regs]int64
	log   []int64    // all results
	kids  []trace.ID // the latest child, by thread
	onces []onceFrame
}

// phase is how far a Wait has come.
type phase uint8

const (
	atStart phase = iota
	adding        // to the list of goroutines that wait
	unlocking
	waiting
	locking
)

// onceFrame is a function of a Once that is being run.
type onceFrame struct {
	obj machine.ModelObject
	end int32 // it ends before this instruction
}

// New returns a runner of p. It panics if p does not pass its check.
func New(p *Program) *Runner {
	if err := p.Check(); err != nil {
		panic(err)
	}
	r := &Runner{p: p, m: machine.NewMachine(machine.Config{Time: machine.TimeMode(p.Time), Lag: p.Lag})}
	r.m.Reset()
	ids := []trace.ID{0}
	for _, nm := range p.names() {
		ids = append(ids, r.m.Spawn(ids[nm.parent]))
	}
	r.gs = make([]thread, r.m.NumGoroutines())
	return r
}

// Program returns what r runs.
func (r *Runner) Program() *Program { return r.p }

// Start implements [trace.Program].
func (r *Runner) Start() trace.Run {
	if r.live {
		panic("toy: Start before the previous execution was closed")
	}
	r.live, r.judged, r.err = true, false, nil
	r.failures, r.queue = r.failures[:0], r.queue[:0]
	for i := range r.gs {
		r.gs[i].index = -1
	}
	r.m.Reset()
	r.makeObjects()
	r.launch(0, 0)
	r.advance()
	return r
}

func (r *Runner) makeObjects() {
	r.objs, r.timers = r.objs[:0], r.timers[:0]
	for _, o := range r.p.Objects {
		kind, n := machine.ObjCell, o.N
		switch o.Kind {
		case Chan:
			kind = machine.ObjChan
		case Timer, Ticker:
			kind, n = machine.ObjChan, 1
		case Mutex:
			kind = machine.ObjMutex
		case RWMutex:
			kind = machine.ObjRWMutex
		case WaitGroup:
			kind = machine.ObjWaitGroup
		case Once:
			kind = machine.ObjOnce
		case Cond:
			kind = machine.ObjCond
		case Pool:
			kind = machine.ObjOpaque
		case After:
			r.objs, r.timers = append(r.objs, -1), append(r.timers, -1)
			continue
		}
		r.objs, r.timers = append(r.objs, r.m.NewObject(kind, n)), append(r.timers, -1)
	}
	for i, o := range r.p.Objects {
		switch o.Kind {
		case Timer:
			r.timers[i] = r.m.NewTimer(0, r.objs[i], 1, o.N, 0)
		case Ticker:
			r.timers[i] = r.m.NewTimer(0, r.objs[i], 1, o.N, o.N)
		case After:
			r.timers[i] = r.m.NewTimer(0, -1, int64(o.Ref), o.N, 0)
		}
	}
}

// launch runs goroutine id, which is new, up to its first request.
func (r *Runner) launch(id trace.ID, index int) {
	g := &r.gs[id]
	*g = thread{body: r.p.Threads[index], index: int32(index), log: g.log[:0], kids: g.kids[:0], onces: g.onces[:0]}
	r.run(id)
}

// advance moves on every goroutine that an event has released.
func (r *Runner) advance() {
	r.queue = r.m.Granted(r.queue)
	for len(r.queue) > 0 {
		id := r.queue[0]
		r.queue = append(r.queue[:0], r.queue[1:]...)
		if r.gs[id].index < 0 {
			r.launch(id, int(r.m.Result(id).Val)) // spawned by a timer
		} else {
			r.resume(id)
		}
		r.queue = r.m.Granted(r.queue)
	}
}

// resume goes on after the latest request of goroutine id, which was granted.
func (r *Runner) resume(id trace.ID) {
	g := &r.gs[id]
	in := &g.body[g.pc]
	res := r.m.Result(id)
	if res.Fault != "" {
		r.fault(id, res)
		return
	}
	if in.Code == Wait {
		r.waitOn(id, g, in)
		return
	}
	if codes[in.Code].result {
		if codes[in.Code].kind == trace.OpTimer && r.p.Objects[in.Obj].Kind == Ticker {
			res.OK = false // a ticker does not tell
		}
		g.note(in, result(in, res))
	}
	g.pc++
	if in.Code == Do {
		if res.OK {
			g.onces = append(g.onces, onceFrame{r.objs[in.Obj], g.pc + int32(in.N)})
		} else {
			g.pc += int32(in.N)
		}
	}
	r.run(id)
}

// note keeps the result of in.
func (g *thread) note(in *Instr, n int64) {
	g.log = append(g.log, n)
	if in.Code == Select || in.Code == Recv { // the case, and what was received
		n >>= 8
	}
	if in.Dst >= 0 {
		g.regs[in.Dst] = n
	}
}

// result encodes what an instruction has returned in a number.
func result(in *Instr, res machine.ModelResult) int64 {
	switch in.Code {
	case TryLock, TryRLock, CAS, Do, Stop, Reset:
		if res.OK {
			return 1
		}
		return 0
	case Recv:
		return received(res)<<8 | 1
	case Select:
		n := int64(res.Case) << 8
		if res.Case < len(in.Cases) && !in.Cases[res.Case].Send {
			n |= received(res) & 0xff
		}
		return n
	}
	return res.Val
}

func received(res machine.ModelResult) int64 {
	if res.OK {
		return res.Val
	}
	return -1
}

// waitOn takes a Wait to its next request.
func (r *Runner) waitOn(id trace.ID, g *thread, in *Instr) {
	lock := r.objs[r.p.Objects[in.Obj].Ref]
	switch g.phase {
	case adding:
		g.phase = unlocking
		r.m.Publish(id, machine.ModelRequest{Kind: trace.OpUnlock, Obj: lock})
		return
	case unlocking:
		g.phase = waiting
		if r.m.CondWait(id, r.objs[in.Obj]) {
			return
		}
		fallthrough
	case waiting:
		g.phase = locking
		r.m.Publish(id, machine.ModelRequest{Kind: trace.OpLock, Obj: lock})
	case locking:
		g.phase = atStart
		g.pc++
		r.run(id)
	}
}

// fault ends goroutine id after its request has failed.
func (r *Runner) fault(id trace.ID, res machine.ModelResult) {
	f := trace.Failure{Kind: trace.FailPanic, G: id, Step: r.m.Len() - 1, Msg: res.Fault}
	if res.Fatal {
		f.Kind, f.Msg = trace.FailFatal, res.Fault
	}
	r.failures = append(r.failures, f)
	g := &r.gs[id]
	for len(g.onces) > 0 {
		r.leaveOnce(id)
	}
	r.end(id)
}

func (r *Runner) end(id trace.ID) {
	r.gs[id].ended = true
	r.m.End(id)
	r.advance()
}

// leaveOnce returns from the innermost function of a Once.
func (r *Runner) leaveOnce(id trace.ID) {
	g := &r.gs[id]
	top := g.onces[len(g.onces)-1]
	g.onces = g.onces[:len(g.onces)-1]
	r.m.OnceDone(id, top.obj)
	r.advance()
}

// run goes on up to the next request of goroutine id, or its end.
func (r *Runner) run(id trace.ID) {
	g := &r.gs[id]
	for {
		if n := len(g.onces); n > 0 && g.pc >= g.onces[n-1].end {
			r.leaveOnce(id)
			continue
		}
		if int(g.pc) >= len(g.body) {
			r.end(id)
			return
		}
		in := &g.body[g.pc]
		switch in.Code {
		case If:
			if (g.regs[in.Reg] == g.value(in.Args[0])) != in.Not {
				g.pc += int32(in.N)
			}
			g.pc++
		case Spawn:
			g.pc++
			kid := r.m.Spawn(id)
			for int(in.N) >= len(g.kids) {
				g.kids = append(g.kids, 0)
			}
			g.kids[in.N] = kid
			r.launch(kid, int(in.N))
		case Join:
			if int(in.N) < len(g.kids) && g.kids[in.N] != 0 {
				r.m.Publish(id, machine.ModelRequest{Kind: trace.OpJoin, Obj: -1, Arg: int64(g.kids[in.N])})
				return
			}
			g.pc++
		default:
			r.publish(id, g, in)
			return
		}
	}
}

func (g *thread) value(v Value) int64 {
	if v.IsReg {
		return g.regs[v.N]
	}
	return v.N
}

// publish makes in, which is an event, the next request of goroutine id.
func (r *Runner) publish(id trace.ID, g *thread, in *Instr) {
	info := &codes[in.Code]
	q := machine.ModelRequest{Kind: info.kind, Obj: -1, Arg: g.value(in.Args[0]), Arg2: g.value(in.Args[1])}
	if info.on != 0 {
		q.Obj = r.objs[in.Obj]
	}
	if info.n {
		q.Arg = in.N
	}
	switch in.Code {
	case Stop:
		q.Obj, q.Arg2 = r.timers[in.Obj], 0
	case Reset:
		q.Obj, q.Arg2 = r.timers[in.Obj], 1
	case WGAdd:
		if in.N == -1 { // WaitGroup.Add does the same
			q.Kind = trace.OpWGDone
		}
	case Do:
		q.Arg = 0
	case Wait:
		g.phase = adding
	case Select:
		r.cases = r.cases[:0]
		for _, k := range in.Cases {
			r.cases = append(r.cases, machine.ModelCase{Ch: r.objs[k.Obj], Send: k.Send, Val: g.value(k.Val)})
		}
		q.Cases, q.Default = r.cases, in.Default
	}
	r.m.Publish(id, q)
}

// Pending implements [trace.Run].
func (r *Runner) Pending() []*trace.Op {
	if !r.live || r.err != nil {
		return nil
	}
	return r.m.Pending()
}

// Changed returns those of the pending operations that may be others than in the state before.
func (r *Runner) Changed() []*trace.Op { return r.m.Changed() }

// Spawned returns the latest events that had happened before goroutine g was made, if it has done nothing yet.
func (r *Runner) Spawned(g trace.ID) []int32 { return r.m.Spawned(g) }

// Step implements [trace.Run].
func (r *Runner) Step(c trace.Choice) (*trace.Event, error) {
	r.m.Describing(true)
	return r.move(c)
}

func (r *Runner) move(c trace.Choice) (*trace.Event, error) {
	if !r.live {
		return nil, trace.ErrClosed
	}
	if r.err != nil {
		return nil, r.err
	}
	ev, err := r.m.Step(c)
	if err != nil {
		r.err = err
		return nil, err
	}
	running := r.gs[c.G].index >= 0 && r.m.Running(c.G)
	r.advance()
	if running {
		r.resume(c.G)
		r.advance()
	}
	return ev, nil
}

// Replay implements [trace.Run].
func (r *Runner) Replay(s trace.Schedule) error {
	r.m.Describing(false)
	for _, c := range s {
		if _, err := r.move(c); err != nil {
			return err
		}
	}
	return nil
}

// Len implements [trace.Run].
func (r *Runner) Len() int { return r.m.Len() }

// Close implements [trace.Run].
func (r *Runner) Close() { r.live = false }

// Outcome implements [trace.Run].
func (r *Runner) Outcome() []trace.Failure {
	if r.live && !r.judged && len(r.Pending()) == 0 {
		r.judged = true
		r.judge()
	}
	return r.failures
}

// judge adds the failures that show at the end, as a closure's run does.
func (r *Runner) judge() {
	if len(r.failures) > 0 || r.err != nil {
		return
	}
	waiting := 0
	for i := range r.gs {
		if g := &r.gs[i]; g.index >= 0 && !g.ended {
			waiting++
		}
	}
	switch {
	case waiting == 0:
	case !r.gs[0].ended:
		r.failures = append(r.failures, trace.Failure{Kind: trace.FailDeadlock, Step: r.m.Len() - 1, Msg: "all goroutines wait"})
	default:
		r.failures = append(r.failures, trace.Failure{Kind: trace.FailLeak, G: -1, Step: r.m.Len() - 1,
			Msg: format.LeakMessage(waiting)})
	}
}
