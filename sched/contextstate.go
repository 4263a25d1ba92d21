package sched

import (
	"context"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
	"slices"
)

// contextState is a context that can be cancelled, as an object. It goes by the
// identity of its Done channel: waiting in a select and asking for the error
// are reads, cancelling is a write. Whoever cancels a context also takes it off its
// parent, which is a read of the parent: the cancelling of that must not overlook it.
//
// As in package context, a tree is cancelled one after the other: first the context
// itself, then what is derived from it, in any order. Each of these is an event of
// an agent, a goroutine that has no other. Whoever cancels the context waits for
// them; so does everybody who would wait for the lock that package context
// holds meanwhile: who cancels it again, asks for the cause or derives from it.
//
// Agents do not wait for each other. Package context finishes the tree below one
// child before it turns to the next; here the two can be in progress at once.
type contextState struct {
	done     *chanState
	origin   *contextState // what it was derived from, or nil
	parent   *contextState // cancels this one: origin, or nil if it does not, or no more
	place    int           // among the parent's children
	children []*contextState
	err      error // not nil once cancelled
	cause    error
	timer    *timerState    // cancels at the deadline, or nil
	runner   *goroutine     // started when cancelled, or nil, to run ...
	fn       func()         // ... this; nil if it was stopped
	accesses []trace.Access // of the latest cancelling that was looked at
	// heard is told of the cancelling, unless nil.
	heard func(err, cause error)

	maker   *goroutine // whose ...
	number  int        // ... number-th context this is: the name of its agent
	agent   *goroutine // cancels it since the parent is cancelled, or nil
	left    int        // children that are still being cancelled
	events  []int32    // what the end of the cancelling comes after
	waiters []*goroutine
}

func (s *contextState) head() *header { return s.done.head() }
func (s *contextState) reset()        { *s = contextState{} }
func (s *contextState) kind() string  { return "context" }

func (s *contextState) blame(*Machine) string {
	if s.left > 0 {
		return "which is being cancelled"
	}
	return ""
}

// Requests to a context. OpCtxNew has the child in x. OpCtxErr has arg set if it is for
// the cause. OpCancel has error and cause in x and y, and arg set if s.fn is not to be
// run; it replies whether it was this one that cancelled.

func (s *contextState) describe(m *Machine, g *goroutine) bool {
	if g.op.Kind == trace.OpCancel && s.err == nil {
		s.describeCancel(m, g)
		return false
	}
	g.op.Touch(s.done.id, trace.ModeRead)
	if g.op.Kind == trace.OpCancel && s.leavesAgain(g) {
		g.op.TouchAlso(s.origin.done.id, trace.ModeRead)
	}
	return true // a context that is cancelled stays so
}

// leavesAgain reports whether g, which cancels s after somebody else has, takes it
// off its parent nevertheless: package context does so if there is a deadline.
func (s *contextState) leavesAgain(g *goroutine) bool {
	return s.timer != nil && s.origin != nil && g != s.agent
}

// describeCancel sets g's accesses to those of cancelling s: s itself, the other
// channels of selects that wait for it, its parent, and the clock, if a timer that
// may fire at any moment is stopped.
func (s *contextState) describeCancel(m *Machine, g *goroutine) {
	o := &g.op
	o.Touch(s.done.id, trace.ModeWrite)
	for i := range s.done.recvq {
		s.done.touchSelects(g, &s.done.recvq[i])
	}
	if s.origin != nil {
		o.TouchAlso(s.origin.done.id, trace.ModeRead)
	}
	if s.timer != nil && s.timer.armed && m.Time == machine.TimeAnyOrder {
		o.TouchAlso(clockObject, trace.ModeAll)
	}
	// Selects may have come in any order: what they wait for is to be the same list. An
	// event keeps the slice, so make a new one only if it differs.
	as := o.Accesses()
	slices.SortFunc(as, func(a, b trace.Access) int { return int(a.Obj - b.Obj) })
	if !slices.Equal(s.accesses, as) {
		s.accesses = slices.Clone(as)
	}
	o.ShareAccesses(s.accesses)
}

func (s *contextState) perform(m *Machine, g *goroutine, alt int32) {
	g.cancels = 0
	switch g.op.Kind {
	case trace.OpCtxErr:
		if m.mm != nil && s.err != nil {
			m.mm.acquire(s.done.id, g)
		}
		if g.req.arg != 0 {
			s.await(m, g)
		}
	case trace.OpCtxNew:
		s.derive(m, g, g.req.x.(*contextState))
	case trace.OpCancel:
		g.reply.ok = s.err == nil
		again := !g.reply.ok && s.leavesAgain(g)
		if g.reply.ok {
			if g.req.arg != 0 {
				s.fn = nil
			}
			cause, _ := g.req.y.(error)
			s.leaveParent()
			s.cancel(m, g, g.req.x.(error), cause)
		}
		if g == s.agent {
			g.state = stateEnded
			s.report(m)
			return
		}
		s.await(m, g)
		if (g.reply.ok || again) && s.origin != nil {
			s.origin.await(m, g)
		}
	}
}

// await lets g's request wait until the cancelling of s is over, if it goes on.
// What follows comes after all of it in any case.
func (s *contextState) await(m *Machine, g *goroutine) {
	if s.left == 0 {
		m.edges(g, s.events)
		return
	}
	g.cancels++
	g.state = stateWaiting
	s.waiters = append(s.waiters, g)
}

// edges orders the next event of w after each of evs.
func (m *Machine) edges(w *goroutine, evs []int32) {
	for _, ev := range evs {
		m.edge(w, ev)
	}
}

// derive makes child, which g has just made, depend on s.
func (s *contextState) derive(m *Machine, g *goroutine, child *contextState) {
	child.origin = s
	if s.err == nil {
		child.parent, child.place = s, len(s.children)
		s.children = append(s.children, child)
		return
	}
	if m.mm != nil {
		m.mm.acquire(s.done.id, g)
	}
	s.await(m, g)
	if g.state == stateRunning {
		child.cancel(m, g, s.err, s.cause)
	}
}

// leaveParent takes s off its parent's children.
func (s *contextState) leaveParent() {
	p := s.parent
	if p == nil {
		return
	}
	last := len(p.children) - 1
	p.children[last].place = s.place
	p.children[s.place] = p.children[last]
	p.children[last] = nil
	p.children = p.children[:last]
	s.parent = nil
}

// cancel cancels s, which is not cancelled yet, as g's current event, and sends for
// the agents of its children.
func (s *contextState) cancel(m *Machine, g *goroutine, err, cause error) {
	if cause == nil {
		cause = err
	}
	s.err, s.cause = err, cause
	if m.mm != nil {
		m.mm.publish(s.done.id, g)
	}
	s.done.close(m, g, m.current())
	if s.timer != nil {
		s.timer.armed = false
		m.dropDeadline(s.timer)
	}
	if s.fn != nil {
		s.runner.state = stateRunning
		m.after(s.runner, g)
		s.runner.body, s.fn = s.fn, nil
		m.released = append(m.released, s.runner)
	}
	if s.heard != nil {
		s.heard(err, cause)
	}
	s.events = append(s.events, m.current())
	s.left = len(s.children)
	for _, child := range s.children {
		child.parent = nil
		child.send(m, g, err, cause)
	}
	s.children = nil
}

// send sends for the agent of s, as something that g does.
func (s *contextState) send(m *Machine, g *goroutine, err, cause error) {
	a := m.agentOf(s.maker, s.number)
	s.agent, a.pseudo = a, true
	m.after(a, g)
	a.op.Kind, a.op.PC = trace.OpCancel, g.op.PC
	a.req = request{obj: s, x: err, y: cause, mem: a.req.mem, cases: a.req.cases}
	m.post(a)
}

// report tells the parent, once the agent of s has come and the cancelling of s is
// over.
func (s *contextState) report(m *Machine) {
	if s.agent == nil || s.agent.state != stateEnded || s.left > 0 {
		return
	}
	p := s.origin
	p.events = append(append(p.events, s.agent.last), s.events...)
	if p.left--; p.left > 0 {
		return
	}
	for _, w := range p.waiters {
		p.release(m, w)
	}
	p.waiters = nil
	p.report(m)
}

// release lets w go on, unless there is another context that it waits for.
func (s *contextState) release(m *Machine, w *goroutine) {
	m.edges(w, s.events)
	if w.cancels--; w.cancels > 0 {
		return
	}
	if w.op.Kind == trace.OpCtxNew {
		w.req.x.(*contextState).cancel(m, w, s.err, s.cause)
	}
	m.release(w)
}

// expire cancels s at its deadline.
func (s *contextState) expire(m *Machine, g *goroutine) {
	if s.err == nil {
		s.leaveParent()
		s.cancel(m, g, context.DeadlineExceeded, s.cause)
	}
}

// describeCancel describes the firing of a timer that cancels a context; one
// that comes too late only notices that.
func (t *timerState) describeCancel(m *Machine, g *goroutine) bool {
	if !t.armed {
		g.op.Touch(t.ctx.done.id, trace.ModeRead)
		return true
	}
	t.ctx.describeCancel(m, g)
	return false
}
