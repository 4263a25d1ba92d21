package sched

import "github.com/gopor/gopor/internal/faults"

// Faults is a set of kinds of faults, which the network in memory, nodes and files may have: see
// por.Faults. A fault comes right before a use of a socket or a change of a file, and is an
// operation of the goroutine that uses it. Unix sockets have none.
//
// The kinds [FaultSync], [FaultFull] and [FaultTorn] are for native code, and for files that the
// execution has made itself, or that are below t.TempDir. They need Linux, macOS or a BSD.
type Faults uint16

// The kinds of faults.
const (
	// FaultReset resets a TCP connection before a Read or a Write: each end reads what had
	// arrived, and hears ECONNRESET once. What one end has written, and the other end has not
	// read, arrives or is lost; both are explored. Later Writes fail with EPIPE, and Reads
	// return io.EOF.
	FaultReset Faults = Faults(faults.Reset)
	// FaultRefuse has a dial fail with ECONNREFUSED.
	FaultRefuse Faults = Faults(faults.Refuse)
	// FaultSlow has a dial take 100 ms, or a minute, of virtual time.
	FaultSlow Faults = Faults(faults.Slow)
	// FaultDelay holds back what is written to a TCP connection, from a Write on, for 100 ms or a
	// minute of virtual time. Then all of it arrives, in its order.
	FaultDelay Faults = Faults(faults.Delay)
	// FaultShort resets a TCP connection when a Write has written half of its bytes. The Write
	// returns their number, and ECONNRESET.
	FaultShort Faults = Faults(faults.Short)
	// FaultLose has a UDP datagram be lost.
	FaultLose Faults = Faults(faults.Lose)
	// FaultDouble has a UDP datagram arrive twice.
	FaultDouble Faults = Faults(faults.Double)
	// FaultLate has a UDP datagram arrive after the next one that is sent to the same socket.
	// If there is none it is lost.
	FaultLate Faults = Faults(faults.Late)
	// FaultCrash stops a [Node] before it uses a socket, or at a call of [MayCrash], and starts
	// it again after 100 ms or a minute of virtual time.
	FaultCrash Faults = Faults(faults.Crash)
	// FaultIsolate cuts a [Node] off from all other nodes, as [Partition] does, before it uses a
	// socket or at a call of [MayCrash], for 100 ms or a minute of virtual time.
	FaultIsolate Faults = Faults(faults.Isolate)

	// FaultSync has the Sync of a file fail with EIO, if the file was changed since it was last
	// synced. Either these changes are lost at once, or they stay, and a later Sync may succeed.
	// Both are explored. Each other descriptor that was open then has its next Sync fail, too. The
	// Sync of a folder fails and loses nothing.
	FaultSync Faults = Faults(faults.Sync)
	// FaultFull has a Write that makes a file larger, or fills a hole, write half of its bytes and
	// fail with ENOSPC. What makes a file or a folder fails with ENOSPC and does not make it. Later
	// calls succeed.
	FaultFull Faults = Faults(faults.Full)
	// FaultTorn stops a [Node] by a power failure, before it uses a socket or changes a file, or
	// at a call of [MayCrash], while it has changes of files that are not synced. It starts again
	// after 100 ms or a minute of virtual time. A call of Node.Stop may also be a power failure.
	// What was not synced is lost; or it stays; or it stays but for half of the last write; or it
	// stays in the file of the last write only. All four are explored. Which files there are, with
	// which names, is never lost.
	FaultTorn Faults = Faults(faults.Torn)

	// FaultSkew has the wall clock of a [Node] jump by a minute, ahead or back, before it uses a
	// socket or at a call of [MayCrash]: see [Node.Skew].
	FaultSkew Faults = Faults(faults.Skew)

	// FaultsAll is all of them.
	FaultsAll = Faults(faults.All)
)

// String returns the names that -check.faults has for the kinds, with commas between them.
func (f Faults) String() string { return faults.Kind(f).String() }
