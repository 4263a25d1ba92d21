package sched

import (
	"fmt"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Node is a machine or a process of a distributed system: a group of goroutines, with the
// sockets and timers that they have made. It stops as a process that is killed: its goroutines
// do nothing more, deferred calls do not run, locks stay locked, and its sockets are closed one
// after the other. Files stay as they are, unless [FaultTorn] makes the stop a power failure. Then
// the node can be started again.
//
// A goroutine belongs to the node of the goroutine that has started it. Goroutines of a node that
// has stopped are not leaked. A test stops its nodes before it ends: those that run are left
// behind. With [FaultCrash] a node may stop, and start again, at any use of a socket, and with
// [FaultTorn] also before it changes a file; with [FaultIsolate] it may be cut off.
//
// A Node belongs to the execution in which it was made.
type Node struct {
	m     *machine.Machine
	epoch uint64
	s     *machine.NodeState
	boot  func()
}

// NewNode makes a node, which does not run. Start runs boot in a goroutine of the node. Names of
// nodes are their own.
func NewNode(name string, boot func()) *Node {
	g := machine.Enter("NewNode")
	switch {
	case name == "" || strings.ContainsAny(name, " \t\n"):
		panic(fmt.Sprintf("sched: NewNode: %q is not a name: it has to be a word", name))
	case boot == nil:
		panic("sched: NewNode of a nil function")
	case g.NodeNamed(name) != nil:
		panic("sched: NewNode: there is a node " + name)
	case g.Node() != nil:
		panic("sched: NewNode: a goroutine of node " + g.Node().Name + " makes a node; let the test make it")
	}
	n := &Node{g.M, g.M.Epoch, g.NewNode(name), boot}
	n.s.Recover = n.recover
	return n
}

// enter returns the calling goroutine, which has to be one of the node's execution.
func (n *Node) enter(what string) *machine.Goroutine {
	g := machine.Enter(what)
	if n.m != g.M || n.epoch != g.M.Epoch {
		panic("sched: " + what + " of a node of an earlier execution: make it in the closure")
	}
	return g
}

// Name returns the name of the node.
func (n *Node) Name() string { return n.s.Name }

// Addr returns an IP address of the node's own: 127.0.1.1 for the first one.
func (n *Node) Addr() string {
	return fmt.Sprintf("127.0.%d.%d", 1+n.s.Number/250, n.s.Number%250)
}

// Start lets the node run, in a new goroutine. It panics if the node runs.
func (n *Node) Start() {
	g := n.enter("Node.Start")
	if g.Node() != nil {
		panic("sched: Start of node " + n.s.Name + " by a goroutine of node " + g.Node().Name)
	}
	g.AskNumbers(trace.OpNode, n.s, machine.NodeStart, 0)
	if !g.Reply.Ok {
		panic("sched: Start of node " + n.s.Name + ", which runs")
	}
	n.s.StartIn(g, n.boot)
}

// Stop stops the node as a process that is killed, and closes its sockets. [FaultTorn] may make a
// power failure of it. It panics if it was
// stopped before, and not started since. That the node has crashed by a fault makes no
// difference.
func (n *Node) Stop() {
	g := n.enter("Node.Stop")
	if g.Node() == n.s {
		panic("sched: Stop of node " + n.s.Name + " by a goroutine of its own")
	}
	if g.StopSite().Kind == faults.Torn {
		g.AskNumbers(trace.OpFault, n.s, uint64(faults.Torn), 0)
	} else {
		g.AskNumbers(trace.OpNode, n.s, machine.NodeStop, 0)
	}
	if !g.Reply.Ok {
		panic("sched: Stop of node " + n.s.Name + ", which does not run")
	}
	n.close(g)
}

// Skew moves the wall clock of the node by d, ahead or back, for what its goroutines are told from
// now on. Calls add up. A clock that was moved before Start is off from the beginning, and stays so
// after a stop. The monotonic clock does not move, as it does not where a clock is set: differences
// of times that Now has returned, timers and deadlines are right. Times without a reading of the
// monotonic clock are of the wall clock alone: those of other nodes that came in a message, from
// [time.Unix] or [time.Time.Round].
func (n *Node) Skew(d time.Duration) {
	g := n.enter("Node.Skew")
	if d < -mostSkew || d > mostSkew {
		panic(fmt.Sprintf("sched: Skew of node %s by %v: a clock moves by %v at most", n.s.Name, d, mostSkew))
	}
	g.AskNumbers(trace.OpNode, n.s, machine.NodeSkew, uint64(d))
}

// mostSkew is how far a clock moves at once.
const mostSkew = 24 * time.Hour

// close closes the sockets of the node.
func (n *Node) close(g *machine.Goroutine) {
	for _, s := range n.s.Sockets() {
		s.CloseByNode(g)
	}
}

// recover is what follows after a crash by a fault.
func (n *Node) recover(after time.Duration) {
	g := machine.Enter("NewNode")
	n.close(g)
	g.Sleep(after)
	g.AskNumbers(trace.OpNode, n.s, machine.NodeRecover, 0)
	if g.Reply.Ok {
		n.s.StartIn(g, n.boot)
	}
}

// MayCrash is a place at which a fault of the calling goroutine's node may come, as before a use
// of a socket. It is for nodes that have other ways to talk to each other. It does nothing where
// there are no such faults, or the goroutine belongs to no node.
func MayCrash() {
	g := machine.Enter("MayCrash")
	n := g.Node()
	if n == nil {
		return
	}
	if f := g.Site(n.Faults()); f.Kind&faults.OfNodes != 0 {
		n.FaultAt(g, f)
	}
}

// Partition cuts nodes off from those of other groups, until [Heal]. Nodes in no group, and
// goroutines of no node, reach all. What is written to a connection between two groups arrives
// when the partition ends, a dial is tried again until then, and a datagram is lost.
func Partition(groups ...[]*Node) {
	machine.Enter("Partition")
	seen := make(map[*Node]bool)
	for _, nodes := range groups {
		for _, n := range nodes {
			if seen[n] {
				panic("sched: Partition: node " + n.Name() + " is named twice")
			}
			seen[n] = true
		}
	}
	for i, nodes := range groups {
		for _, n := range nodes {
			n.enter("Partition").AskNumbers(trace.OpNode, n.s, machine.NodeGroup, uint64(i+1))
		}
	}
}

// Heal ends that the nodes are cut off from others.
func Heal(nodes ...*Node) {
	for _, n := range nodes {
		n.enter("Heal").AskNumbers(trace.OpNode, n.s, machine.NodeGroup, 0)
	}
}
