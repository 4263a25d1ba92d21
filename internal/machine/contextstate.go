package machine

import (
	"context"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// ContextState is a context that can be cancelled, as an object. It goes by the identity of its
// Done channel: waiting in a select and asking for the error are reads, cancelling is a write. The
// goroutine that cancels a context also takes it off its parent. That is a read of the parent, so
// it depends on the event that cancels the parent.
//
// As in package context, a tree is cancelled one after the other: first the context itself, then
// what is derived from it, in any order. Each of these is an event of an agent, a goroutine that
// has no other. The goroutine that cancels the context waits for the agents. So does each goroutine
// that would wait for the lock that package context holds meanwhile: to cancel the context again,
// to ask for the cause, or to derive from it.
//
// Agents do not wait for each other. Package context finishes the tree below one
// child before it turns to the next; here the two can be in progress at once.
type ContextState struct {
	Done     *ChanState
	origin   *ContextState // what it was derived from, or nil
	parent   *ContextState // cancels this one: origin, or nil if it does not, or no more
	place    int           // among the parent's children
	children []*ContextState
	Err      error // not nil once cancelled
	Cause    error
	Timer    *TimerState    // cancels at the deadline, or nil
	Runner   *Goroutine     // started when cancelled, to run Fn; or nil
	Fn       func()         // what Runner runs; nil if it was stopped
	accesses []trace.Access // of the latest cancelling that was looked at
	// The deadline, if it is dated, for the key of a state.
	deadline int64
	dated    bool
	// Heard is told of the cancelling, unless nil.
	Heard func(err, cause error)

	Maker   *Goroutine // the goroutine that has made it
	Number  int        // which of Maker's contexts it is: the name of its agent
	agent   *Goroutine // cancels it since the parent is cancelled, or nil
	left    int        // children that are still being cancelled
	events  []int32    // what the end of the cancelling comes after
	waiters []*Goroutine
}

func (s *ContextState) Head() *header { return s.Done.Head() }
func (s *ContextState) reset()        { *s = ContextState{} }
func (s *ContextState) Kind() string  { return "context" }

func (s *ContextState) blame(*Machine) string {
	if s.left > 0 {
		return "which is being cancelled"
	}
	return ""
}

// Requests to a context. OpCtxNew has the child in x. OpCtxErr has arg set if it is for the cause,
// and replies 1 if there is an error. OpCancel has error and cause in x and y, and arg set if s.fn
// is not to be run; it replies whether it was this one that cancelled.

func (s *ContextState) describe(m *Machine, g *Goroutine) bool {
	if g.Op.Kind == trace.OpCancel && s.Err == nil {
		s.describeCancel(m, g)
		return false
	}
	g.Op.Touch(s.Done.ID, trace.ModeRead)
	if g.Op.Kind == trace.OpCancel && s.leavesAgain(g) {
		g.Op.TouchAlso(s.origin.Done.ID, trace.ModeRead)
	}
	return true // a context that is cancelled stays so
}

// leavesAgain reports whether g, which cancels s after another goroutine has, takes it off its
// parent nevertheless. Package context does so if there is a deadline.
func (s *ContextState) leavesAgain(g *Goroutine) bool {
	return s.Timer != nil && s.origin != nil && g != s.agent
}

// describeCancel sets g's accesses to those of cancelling s: s itself, its parent, and the other
// channels of selects that wait for s. If a timer is stopped that may fire at any moment, the clock
// is one, too.
func (s *ContextState) describeCancel(m *Machine, g *Goroutine) {
	o := &g.Op
	o.Touch(s.Done.ID, trace.ModeWrite)
	for i := range s.Done.recvq {
		s.Done.touchSelects(g, &s.Done.recvq[i])
	}
	if s.origin != nil {
		o.TouchAlso(s.origin.Done.ID, trace.ModeRead)
	}
	if s.Timer != nil && s.Timer.armed && m.Time == TimeAnyOrder {
		m.readClock(g)
	}
	// What is listed so far is so in every execution, whatever numbers the objects have.
	// But selects may have come in any order: what they wait for is to be the same list. An
	// event keeps the slice, so make a new one only if it differs.
	as := o.Accesses()
	if len(as) <= 2 {
		return
	}
	slices.SortFunc(as, func(a, b trace.Access) int { return int(a.Obj - b.Obj) })
	if !slices.Equal(s.accesses, as) {
		s.accesses = slices.Clone(as)
	}
	o.ShareAccesses(s.accesses)
}

func (s *ContextState) perform(m *Machine, g *Goroutine, alt int32) {
	if g.Waits.cancels != 0 {
		g.Waits.cancels = 0
	}
	switch g.Op.Kind {
	case trace.OpCtxErr:
		g.Reply.Val = 0
		if s.Err != nil {
			g.Reply.Val = 1
		}
		if m.Memory.Races != nil && s.Err != nil {
			m.Memory.Races.acquire(s.Done.ID, g)
		}
		if m.Keys != nil && s.Err != nil {
			m.Keys.acquire(s.Done.ID, g)
		}
		if g.Req.Arg != 0 {
			s.await(m, g)
		}
	case trace.OpCtxNew:
		s.derive(m, g, g.Req.x.(*ContextState))
	case trace.OpCancel:
		g.Reply.Ok = s.Err == nil
		again := !g.Reply.Ok && s.leavesAgain(g)
		if g.Reply.Ok {
			if g.Req.Arg != 0 {
				s.Fn = nil
			}
			cause, _ := g.Req.y.(error)
			s.leaveParent()
			s.cancel(m, g, g.Req.x.(error), cause)
		}
		if g == s.agent {
			g.State = StateEnded
			s.report(m)
			return
		}
		s.await(m, g)
		if (g.Reply.Ok || again) && s.origin != nil {
			s.origin.await(m, g)
		}
	}
}

// Runs lets fn be run when s is cancelled, in a goroutine of its own. That comes after all that g
// has done so far, whichever goroutine cancels s.
func (s *ContextState) Runs(g *Goroutine, fn func()) {
	s.Fn, s.Runner = fn, g.M.Child(g)
	s.Runner.Origin.awaits = true
	if g.M.Memory.Races != nil {
		g.M.Memory.Races.local(s.Runner, g)
	}
	g.HandsOn()
}

// await lets g's request wait until the cancelling of s is over, if it goes on.
// What follows comes after all of it in any case.
func (s *ContextState) await(m *Machine, g *Goroutine) {
	if s.left == 0 {
		m.edges(g, s.events)
		return
	}
	g.waiting().cancels++
	g.State = StateWaiting
	s.waiters = append(s.waiters, g)
}

// edges orders the next event of w after each of evs.
func (m *Machine) edges(w *Goroutine, evs []int32) {
	for _, ev := range evs {
		m.edge(w, ev)
	}
}

// derive makes child, which g has just made, depend on s.
func (s *ContextState) derive(m *Machine, g *Goroutine, child *ContextState) {
	child.origin = s
	if s.Err == nil {
		child.parent, child.place = s, len(s.children)
		s.children = append(s.children, child)
		return
	}
	if m.Memory.Races != nil {
		m.Memory.Races.acquire(s.Done.ID, g)
	}
	if m.Keys != nil {
		m.Keys.acquire(s.Done.ID, g)
	}
	s.await(m, g)
	if g.State == StateRunning {
		child.cancel(m, g, s.Err, s.Cause)
	}
}

// leaveParent takes s off its parent's children.
func (s *ContextState) leaveParent() {
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
func (s *ContextState) cancel(m *Machine, g *Goroutine, err, cause error) {
	if cause == nil {
		cause = err
	}
	s.Err, s.Cause = err, cause
	if m.Memory.Races != nil {
		m.Memory.Races.release(s.Done.ID, g)
	}
	if m.Keys != nil {
		m.Keys.cancels(s, g)
	}
	s.Done.close(m, g, m.current())
	if s.Timer != nil {
		m.dropDeadline(s.Timer, g, true)
		s.Timer.armed = false
	}
	if s.Fn != nil {
		s.Runner.State = StateRunning
		if m.Keys != nil {
			m.Keys.begets(s, s.Runner)
		}
		m.after(s.Runner, g)
		s.Runner.Origin.Body, s.Fn = s.Fn, nil
		m.Released = append(m.Released, s.Runner)
	}
	if s.Heard != nil {
		s.Heard(err, cause)
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
func (s *ContextState) send(m *Machine, g *Goroutine, err, cause error) {
	a := m.agentOf(s.Maker, s.Number)
	s.agent, a.Pseudo = a, true
	if m.Keys != nil {
		m.Keys.begets(s, a)
	}
	m.after(a, g)
	a.Op.Kind, a.Op.PC = trace.OpCancel, g.Op.PC
	a.Req = request{Obj: s, x: err, y: cause, Mem: a.Req.Mem, Cases: a.Req.Cases}
	m.Post(a)
}

// report tells the parent, once the agent of s has come and the cancelling of s is
// over.
func (s *ContextState) report(m *Machine) {
	if s.agent == nil || s.agent.State != StateEnded || s.left > 0 {
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
func (s *ContextState) release(m *Machine, w *Goroutine) {
	m.edges(w, s.events)
	if w.Waits.cancels--; w.Waits.cancels > 0 {
		return
	}
	if w.Op.Kind == trace.OpCtxNew {
		w.Req.x.(*ContextState).cancel(m, w, s.Err, s.Cause)
	}
	m.release(w)
}

// expire cancels s at its deadline.
func (s *ContextState) expire(m *Machine, g *Goroutine) {
	if s.Err == nil {
		s.leaveParent()
		s.cancel(m, g, context.DeadlineExceeded, s.Cause)
	}
}

// describeCancel describes the firing of a timer that cancels a context; one
// that comes too late only notices that.
func (t *TimerState) describeCancel(m *Machine, g *Goroutine) bool {
	if !t.armed {
		g.Op.Touch(t.Ctx.Done.ID, trace.ModeRead)
		return true
	}
	t.Ctx.describeCancel(m, g)
	return false
}
