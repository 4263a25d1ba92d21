package sched

import (
	"context"

	"github.com/gopor/gopor/internal/hb"
)

// contextState is a context that can be cancelled, as an object. It goes by the
// identity of its Done channel: waiting in a select and asking for the error
// are reads, cancelling is a write, of the context and all that is derived from
// it; so is taking it off its parent a read of the parent, which a cancelling
// of the parent must not overlook.
//
// A tree of contexts is cancelled in one step. In package context a goroutine
// may see a parent's Done closed a moment before the child's.
type contextState struct {
	done     *chanState
	parent   *contextState // cancels this one; nil if there is none, or no more
	place    int           // among the parent's children
	children []*contextState
	err      error // not nil once cancelled
	cause    error
	timer    *timerState // cancels at the deadline, or nil
	runner   *goroutine  // started when cancelled, or nil, to run ...
	fn       func()      // ... this; nil if it was stopped
	accesses []Access    // of the latest cancelling that was looked at
	// heard is told of the cancelling, unless nil.
	heard func(err, cause error)
}

func (s *contextState) head() *header         { return s.done.head() }
func (s *contextState) reset()                {}
func (s *contextState) kind() string          { return "context" }
func (s *contextState) blame(*Machine) string { return "" }

// Requests to a context. OpCtxNew has the child in g.x. OpCancel has error and
// cause in g.x and g.y, and g.arg set if s.fn is not to be run; g.ok is whether
// it was this one that cancelled.

func (s *contextState) describe(m *Machine, g *goroutine) bool {
	if g.op.Kind == OpCancel && s.err == nil {
		s.describeCancel(m, g)
		return false
	}
	g.op.touch1(s.done.id, ModeRead)
	return true // a context that is cancelled stays so
}

// describeCancel sets g's accesses to those of cancelling s.
func (s *contextState) describeCancel(m *Machine, g *goroutine) {
	o := &g.op
	o.nacc, o.more = 0, nil
	if s.parent != nil {
		o.touchIn(s.parent.done.id, ModeRead)
	}
	s.touchTree(o, g)
	if m.time == TimeAnyOrder && s.due() {
		o.touchAlso(clockObject) // as does the firing that will come too late
	}
	if o.more == nil {
		return
	}
	// An event keeps the slice, so make a new one only if it differs.
	if sameAccesses(s.accesses, o.more) {
		o.more = s.accesses
	} else {
		s.accesses = o.more
	}
}

func sameAccesses(a, b []hb.Access) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// touchTree adds what cancelling s and all that is derived from it touches:
// they themselves, and the other channels of selects that wait for them.
func (s *contextState) touchTree(o *Op, g *goroutine) {
	o.touchWrite(s.done.id)
	for i := range s.done.recvq {
		s.done.touchSelects(g, &s.done.recvq[i])
	}
	for _, child := range s.children {
		child.touchTree(o, g)
	}
}

// due reports whether s or something derived from it has a deadline to come.
func (s *contextState) due() bool {
	if s.timer != nil && s.timer.armed {
		return true
	}
	for _, child := range s.children {
		if child.due() {
			return true
		}
	}
	return false
}

// touchWrite adds a write of obj, which replaces a read that was added before.
func (o *Op) touchWrite(obj int32) {
	o.touchIn(obj, ModeWrite)
	as := o.acc[:o.nacc]
	if o.more != nil {
		as = o.more
	}
	for i := range as {
		if as[i].Obj == obj {
			as[i].Mode = ModeWrite
		}
	}
}

func (s *contextState) perform(m *Machine, g *goroutine, alt int32) {
	switch g.op.Kind {
	case OpCtxErr:
		if m.mm != nil && s.err != nil {
			m.mm.acquire(s.head(), g)
		}
	case OpCtxNew:
		s.adopt(m, g, g.x.(*contextState))
	case OpCancel:
		g.ok = s.err == nil
		if !g.ok {
			return
		}
		if g.arg != 0 {
			s.fn = nil
		}
		cause, _ := g.y.(error)
		s.leaveParent()
		s.cancel(m, g, g.x.(error), cause)
	}
}

// adopt makes child, which g has just made, depend on s.
func (s *contextState) adopt(m *Machine, g *goroutine, child *contextState) {
	if s.err != nil {
		if m.mm != nil {
			m.mm.acquire(s.head(), g)
		}
		child.cancel(m, g, s.err, s.cause)
		return
	}
	child.parent, child.place = s, len(s.children)
	s.children = append(s.children, child)
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

// cancel cancels s, which is not cancelled yet, and all that is derived from
// it, as g's current event.
func (s *contextState) cancel(m *Machine, g *goroutine, err, cause error) {
	if cause == nil {
		cause = err
	}
	s.err, s.cause = err, cause
	if m.mm != nil {
		m.mm.publish(s.head(), g)
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
		m.granted = append(m.granted, s.runner)
	}
	if s.heard != nil {
		s.heard(err, cause)
	}
	for _, child := range s.children {
		child.parent = nil
		child.cancel(m, g, err, cause)
	}
	s.children = nil
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
		g.op.touch1(t.ctx.done.id, ModeRead)
		return true
	}
	t.ctx.describeCancel(m, g)
	return false
}
