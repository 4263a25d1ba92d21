package live

import "unsafe"

// This file is how package net uses the network of an execution: connections, listeners and
// sockets of datagrams that are in memory. Package net makes errors of statuses, and names of
// addresses.
//
// A name is a network and a port, such as "tcp 8080", or the path of a Unix socket, as in
// "unix /tmp/s". A place is what was bound of a name, or is looked for: the address with its
// family, as in "4127.0.0.1" and "6::1"; "4", "6" and "*" stand for all addresses of a family, and
// for all. The place of a Unix socket is "", or SocketFile if it has a file.

// SocketFile is the place of a Unix socket with a file. A socket that is bound to it takes it over:
// the file of the one before was removed, so that one is not found any more.
const SocketFile = "file"

// SocketStatus is what has come of an operation of a socket.
type SocketStatus int

const (
	SocketOK         SocketStatus = iota
	SocketEnd                     // the peer has ended what it writes
	SocketReset                   // ECONNRESET
	SocketBroken                  // EPIPE
	SocketClosed                  // the program, or the end of the execution, has closed it
	SocketTimeout                 // the deadline has passed
	SocketRefused                 // no listener has the name
	SocketInUse                   // EADDRINUSE
	SocketAgain                   // EAGAIN: there is nothing yet
	SocketUnanswered              // ETIMEDOUT: nothing has come back
)

// SocketSource says which sockets an execution has.
type SocketSource uint8

const (
	SocketsLoopback SocketSource = iota // in memory on this machine, others are real
	SocketsReal                         // all are real
	SocketsClosed                       // in memory, and no others
)

// network is what an Execution does for package net. A status other than SocketOK comes with no
// socket.
type network interface {
	// SocketPort returns the port that a listener of the caller would get, if it asks for any: the
	// same in every execution, and another one with each call.
	SocketPort() int
	// SocketListen makes a listener.
	SocketListen(name, place string) (SocketDoor, SocketStatus)
	// SocketDial makes a connection to the listener of a name. From is an address for Accept to
	// return. The connection is that of a Unix socket if unix is set. Limit returns how many
	// nanoseconds the caller waits, if it does not wait for ever.
	SocketDial(name, place, from string, unix bool, limit func() (wait int64, ok bool)) (SocketConn, SocketStatus)
	// SocketOpen makes a socket of datagrams. A name of "" is none: nothing can be sent to it.
	SocketOpen(name, place string) (SocketBox, SocketStatus)
	// SocketStandIn makes a real socket that has data to read, or its beginning of that length, and
	// after it what a status stands for. It returns nil if the system has no such sockets.
	SocketStandIn(data []byte, s SocketStatus) (socket StandIn, length int)
	// SocketNetwork returns which sockets the caller's execution has.
	SocketNetwork() SocketSource
	// SocketTwin returns the listener in memory that stands for a real one, a *net.netFD, in the
	// caller's execution. If a door is given it is that from now on.
	SocketTwin(listener unsafe.Pointer, door SocketDoor) any
	// SocketNote notes that the program has used something of a connection that is not under
	// control, such as "a file descriptor".
	SocketNote(what string)
}

// SocketHalf is one direction of a socket.
type SocketHalf int

const (
	SocketReads  SocketHalf = 1 << iota // what is read from it, or accepted
	SocketWrites                        // what is written to it
)

// A Socket is what all sockets have.
type Socket interface {
	// Close closes the socket.
	Close() SocketStatus
	// Ask returns SocketClosed if the socket is closed.
	Ask() SocketStatus
	// SetDeadline lets operations of these halves that are under way after wait, in nanoseconds,
	// and all later ones, end with SocketTimeout. A wait that is not positive has passed. With
	// never set there is no deadline.
	SetDeadline(halves SocketHalf, wait int64, never bool) SocketStatus
}

// A SocketDoor is a listener.
type SocketDoor interface {
	Socket
	// Accept waits for a connection, and returns it with the address that it was dialled from.
	Accept() (c SocketConn, from string, s SocketStatus)
}

// A SocketConn is an end of a connection. Its Close sends a reset if there is something that was
// not read.
type SocketConn interface {
	Socket
	// Read waits for data, and returns up to n bytes, which must not be changed. No bytes with
	// SocketOK is what a Read of no bytes returns. Joins reports whether the caller reads on until
	// it has what it needs; it is asked only if the answer matters.
	Read(n int, joins func() bool) ([]byte, SocketStatus)
	// Peek returns what a Read would return next, and leaves it there. With wait set it waits for
	// that; else it returns SocketAgain if there is nothing.
	Peek(wait bool) ([]byte, SocketStatus)
	// Write writes a copy of data. It may wait while much was written that is not read. If it
	// fails meanwhile, n bytes were written.
	Write(data []byte) (n int, s SocketStatus)
	// Shut ends what is read or written.
	Shut(half SocketHalf) SocketStatus
	// Reset lets Close send a reset in any case, if on is set.
	Reset(on bool) SocketStatus
}

// A StandIn is a real socket that stands for a connection in memory, for one use of its descriptor.
type StandIn interface {
	FD() uintptr
	// End closes the socket. It returns how many bytes were not read, and what was written.
	End() (left int, written []byte)
}

// A SocketBox is a socket of datagrams.
type SocketBox interface {
	Socket
	// Send sends a copy of data to the box of that name, if there is one. A socket that is
	// connected hears of it at its next operation if there is none.
	Send(name, place, from string, data []byte, connected bool) SocketStatus
	// Receive waits for a datagram, and returns it with the address that it was sent from.
	Receive() (data []byte, from string, s SocketStatus)
}
