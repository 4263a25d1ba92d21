package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/sched/trace"
)

// This file has nodes: goroutines that stop together, and start again. A goroutine belongs to
// the node of the goroutine that has started it, and so do timers. When a node stops, its
// goroutines move no more. Those that wait are taken off channels and listeners. Locks that
// they hold, or get later, stay held. A goroutine that was about to perform an operation still
// has that event, which does nothing: no event ever disables another.
//
// To stop a node, to cut it off from others and to end that depends on every event of every other
// goroutine. So nothing else has to say whether a node runs.

// NodeState is a node.
type NodeState struct {
	header
	Name   string
	Number int32 // of the nodes of the execution, from 1 on
	// Opened are the sockets that goroutines of the node have opened.
	Opened []Socket
	Disk   Disk // what its goroutines have done to files, nil for nothing
	// Recover is what a goroutine outside of the node does after a Crash by a plan.
	Recover func(time.Duration)
	skew    time.Duration // how far its wall clock is ahead
	stopped bool          // the program has not started it, or has stopped it since
	up      bool          // it runs
	life    int32         // how often it has stopped
	// It is cut off from nodes of other groups: 0 is for none, a negative number for one of its
	// own.
	group int32
	cutBy *TimerState
}

// Socket is what is closed when its node stops.
type Socket interface {
	CloseByNode(*Goroutine)
	// Number is the same in every schedule.
	Number() int32
}

// Disk is what the goroutines of a node have done to files. It is nil where that is not known.
type Disk interface {
	Unsynced() bool        // there are changes that a power failure may undo
	Stopped()              // the node has stopped, so its descriptors are closed
	Lose(alt int32) string // undoes changes in one of [Losses] ways, and says what in words
}

// Losses is how many ways there are of what a power failure leaves.
const Losses = 4

// Faults returns the kinds of faults of a node that make a difference to n.
func (n *NodeState) Faults() faults.Kind {
	if n.Disk != nil && n.Disk.Unsynced() {
		return faults.OfNodes
	}
	return faults.OfNodes &^ faults.Torn
}

func (n *NodeState) reset() { *n = NodeState{Opened: n.Opened[:0]} }

func (n *NodeState) Kind() string          { return "node" }
func (n *NodeState) Label() string         { return "node " + n.Name }
func (n *NodeState) blame(*Machine) string { return "" }

// Kinds of OpNode.
const (
	NodeMake = iota
	NodeStart
	NodeStop
	NodeGroup                         // arg2 is the number of the group
	NodeRecover                       // start after a crash, unless something else has come since
	NodeSkew    = uint64(faults.Skew) // the wall clock moves by arg2
)

// NewNode makes a node of g's execution.
func (g *Goroutine) NewNode(name string) *NodeState {
	m := g.M
	if m.Parallel != nil {
		m.Parallel.Refuse(g, "a node")
	}
	n := Take[NodeState](m)
	m.admitBy(g, n)
	n.Name, n.stopped = name, true
	g.AskNumbers(trace.OpNode, n, NodeMake, 0)
	return n
}

// NodeNamed returns the node of that name of the execution, or nil.
func (g *Goroutine) NodeNamed(name string) *NodeState {
	for _, n := range g.M.nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// Node returns the node of g, or nil.
func (g *Goroutine) Node() *NodeState { return g.Origin.node }

// dead reports whether g belongs to a node that has stopped since.
func (g *Goroutine) dead() bool {
	return g.Origin.node != nil && g.Origin.node.life != g.Origin.life && !g.Pseudo
}

// Up reports whether the node runs.
func (n *NodeState) Up() bool { return n.up }

// StartIn lets g, which is outside of the node, run f in a new goroutine of the node.
func (n *NodeState) StartIn(g *Goroutine, f func()) {
	node, life := g.Origin.node, g.Origin.life
	g.Origin.node, g.Origin.life = n, n.life
	defer func() { g.Origin.node, g.Origin.life = node, life }()
	g.Start(f)
}

func (n *NodeState) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(trace.Everything, trace.ModeAll)
	if g.Op.Kind == trace.OpFault && faults.Kind(g.Req.Arg) == faults.Torn {
		g.Op.Alts = Losses
	}
	return true
}

func (n *NodeState) perform(m *Machine, g *Goroutine, alt int32) {
	torn := g.Op.Kind == trace.OpFault && faults.Kind(g.Req.Arg) == faults.Torn
	switch {
	case g.Req.Arg == NodeSkew: // by the test or by a fault
		n.skew += time.Duration(g.Req.arg2)
	case g.Op.Kind == trace.OpFault && g.Req.arg2 > 0 && faults.Kind(g.Req.Arg) != faults.Isolate:
		kid := m.fork(g)
		kid.Origin.node = nil
		n.stop(m, kid)
		text := "crashes"
		if torn {
			text = n.lose(alt)
		}
		if m.Record {
			g.NoteResult(faults.Text(fmt.Sprintf("%s, starts again after %v", text, time.Duration(g.Req.arg2))))
		}
		d, recover := time.Duration(g.Req.arg2), n.Recover
		kid.Origin.Body = func() { recover(d) }
		m.Released = append(m.Released, kid)
	case g.Op.Kind == trace.OpFault && !torn:
		t := Take[TimerState](m)
		m.admitBy(g, t)
		m.newTimer(g, t)
		t.g.Origin.node, t.node = nil, n
		n.group, n.cutBy = -n.Number, t
		m.cutOff()
		m.startTimer(t, g, m.until(time.Duration(g.Req.arg2)))
	case g.Req.Arg == NodeMake:
		m.nodes = append(m.nodes, n)
		n.Number = int32(len(m.nodes))
	case g.Req.Arg == NodeStart, g.Req.Arg == NodeRecover:
		g.Reply.Ok = !n.up && !(g.Req.Arg == NodeRecover && n.stopped)
		n.up, n.stopped = n.up || g.Reply.Ok, n.stopped && !g.Reply.Ok
	case g.Req.Arg == NodeStop, torn:
		if g.Reply.Ok = !n.stopped; g.Reply.Ok {
			n.stopped = true
			n.stop(m, g)
		}
		if kinds := n.Faults() & m.Faults.Kinds & faults.Torn; kinds != 0 && g.Reply.Ok {
			m.sites.Add(Site{g.ID, faults.Stops + g.Waits.stops - 1, kinds})
		}
		if torn && g.Reply.Ok {
			g.NoteResult(faults.Text(n.lose(alt)))
		}
	case g.Req.Arg == NodeGroup:
		n.group, n.cutBy = int32(g.Req.arg2), nil
		m.cutOff()
	}
}

// heal ends that n is cut off from all others, unless something else has happened to it since.
func (n *NodeState) heal(m *Machine, t *TimerState) {
	if n.cutBy == t {
		n.group, n.cutBy = 0, nil
		m.cutOff()
	}
}

// apart reports whether two nodes are cut off from each other.
func apart(a, b *NodeState) bool {
	return a != nil && b != nil && a != b && a.group != b.group && (a.group < 0 || b.group < 0 || a.group != 0 && b.group != 0)
}

// cutOff lets directions of connections be as their nodes are.
func (m *Machine) cutOff() {
	var ways []*WayState
	for _, o := range m.Store.Objects {
		if w, ok := o.(*WayState); ok && w.fault.cut != apart(w.fault.writer, w.fault.reader) {
			ways = append(ways, w)
		}
	}
	slices.SortFunc(ways, func(a, b *WayState) int { return int(a.ID) - int(b.ID) })
	for _, w := range ways {
		w.part(m, !w.fault.cut)
	}
}

// stop stops the goroutines and timers of n. What w does next comes after all that they have
// done: the node may have left something for its next start, such as files.
func (n *NodeState) stop(m *Machine, w *Goroutine) {
	n.up = false
	n.life++
	for _, h := range m.Goroutines {
		if h.Origin.node != n || h.State == StateUnborn {
			continue
		}
		if h != w && !h.Pseudo {
			m.after(w, h)
		}
		if h.Pseudo {
			if t, ok := h.Req.Obj.(*TimerState); ok && t.armed {
				m.dropDeadline(t, nil, false)
				t.armed = false
			}
			continue
		}
		switch h.State {
		case stateReady:
			h.static = false
			m.pending.alter(h)
		case StateWaiting, stateYielding, stateHeld:
			h.abandon()
			h.State = stateDead
		case StateRunning: // it has performed this
			h.State = stateDead
		}
	}
	m.Clock.deadlines = slices.DeleteFunc(m.Clock.deadlines, func(d deadline) bool { return d.g != nil && d.g.dead() })
	if n.Disk != nil {
		n.Disk.Stopped()
	}
}

// lose undoes what a power failure does, and says what in words.
func (n *NodeState) lose(alt int32) string {
	if n.Disk != nil {
		if text := n.Disk.Lose(alt); text != "" {
			return "loses power (" + text + ")"
		}
	}
	return "loses power"
}

// abandoner is an object that does not give anything to a goroutine which is dead.
type abandoner interface{ abandon(g *Goroutine) }

// abandon takes g, which waits and will not move any more, off what it waits for.
func (g *Goroutine) abandon() {
	if g.Op.Kind == trace.OpSelect {
		for i := range g.Req.Cases {
			if c := g.Req.Cases[i].Ch; c != nil {
				c.abandon(g)
			}
		}
		return
	}
	if o, ok := g.Req.Obj.(abandoner); ok {
		o.abandon(g)
	}
}

// abandon is for a channel: waiters that are dead are stale. What receives and sends count is no
// more what they meet.
func (c *ChanState) abandon(*Goroutine) { c.looked = true }

func (d *DoorState) abandon(g *Goroutine) {
	d.accepts = slices.DeleteFunc(d.accepts, func(h *Goroutine) bool { return h == g })
	d.ranks--
}

func (b *BoxState) abandon(g *Goroutine) {
	b.receives = slices.DeleteFunc(b.receives, func(h *Goroutine) bool { return h == g })
}

// Opens notes that g has opened a socket, and Closes that s is closed.
func (g *Goroutine) Opens(s Socket) {
	if n := g.Origin.node; n != nil {
		n.Opened = append(n.Opened, s)
	}
}

// Sockets returns the sockets that goroutines of the node have opened, in the same order in every
// schedule, and forgets them.
func (n *NodeState) Sockets() (all []Socket) {
	all = slices.Clone(n.Opened)
	n.Opened = n.Opened[:0]
	slices.SortFunc(all, func(a, b Socket) int { return int(a.Number()) - int(b.Number()) })
	return all
}

// Closes notes that a socket was closed that g may have opened.
func (g *Goroutine) Closes(s Socket) {
	if n := g.Origin.node; n != nil {
		// Functions of package slices would make uses of memory that count as the program's.
		for i, o := range n.Opened {
			if o == s {
				last := len(n.Opened) - 1
				n.Opened[i], n.Opened[last] = n.Opened[last], nil
				n.Opened = n.Opened[:last]
				return
			}
		}
	}
}

// apartText says that what w carries does not arrive, "" if it does.
func (w *WayState) apartText() string {
	if r := w.fault.reader; w.fault.cut {
		return fmt.Sprintf("from which nothing arrives: nodes %s and %s are cut off from each other", w.fault.writer.Name, r.Name)
	}
	return ""
}

// Stopped reports whether g does not move any more since its node has stopped.
func (g *Goroutine) Stopped() bool { return g.State == stateDead }

// FaultAt makes the operation of a fault of n, the node of g. It does not return if n stops.
func (n *NodeState) FaultAt(g *Goroutine, f faults.Fault) {
	g.AskNumbers(trace.OpFault, n, uint64(f.Kind), uint64(f.For))
	if g.M.Record {
		g.NoteResult(faults.Text(f.Stays()))
	}
}
