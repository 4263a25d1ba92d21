package por

import "github.com/gopor/gopor/sched"

// Node is a machine or a process of a distributed system; see [sched.Node].
type Node = sched.Node

// NewNode makes a node, which runs boot when it is started: see [sched.NewNode]. The calling test
// has to be under control: in Check or Explore, or by por check.
func NewNode(name string, boot func()) *Node { return sched.NewNode(name, boot) }

// Partition cuts nodes off from those of other groups, until [Heal]: see [sched.Partition].
func Partition(groups ...[]*Node) { sched.Partition(groups...) }

// Heal ends a partition for nodes.
func Heal(nodes ...*Node) { sched.Heal(nodes...) }

// MayCrash is a place at which the calling goroutine's node may stop: see [sched.MayCrash].
func MayCrash() { sched.MayCrash() }

// Sometimes declares that some execution should come to a call of Reached with that name: see
// [sched.Sometimes].
func Sometimes(name string) { sched.Sometimes(name) }

// Reached says that the execution has come to what the name says: see [sched.Reached].
func Reached(name string) { sched.Reached(name) }

// Always fails the execution if ok is false: see [sched.Always].
func Always(name string, ok bool) { sched.Always(name, ok) }
