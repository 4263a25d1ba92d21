package network

import (
	"io"
	"os"
	"syscall"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// A Status is the error of an operation of a socket. errors.Is compares it with the errors of
// packages os and syscall that the operating system has for it.
type Status int

// The errors of sockets.
const (
	// Reset: the peer has closed the connection without reading all of it, or has reset it.
	Reset Status = Status(live.SocketReset)
	// Broken: the caller has ended what it writes, or the peer does not read any more.
	Broken Status = Status(live.SocketBroken)
	// Closed: the caller's end was closed, or belongs to another execution.
	Closed Status = Status(live.SocketClosed)
	// Timeout: the deadline has passed.
	Timeout Status = Status(live.SocketTimeout)
	// Refused: no listener has the name, or no socket has received a datagram that was sent.
	Refused Status = Status(live.SocketRefused)
	// InUse: another socket has the name.
	InUse Status = Status(live.SocketInUse)
	// Again: there is nothing that could be read at once.
	Again Status = Status(live.SocketAgain)
	// Unanswered: the node of the listener is cut off, and stays so for two minutes.
	Unanswered Status = Status(live.SocketUnanswered)
)

var errorsOf = map[Status]error{
	Reset: syscall.ECONNRESET, Broken: syscall.EPIPE, Closed: os.ErrClosed,
	Timeout: os.ErrDeadlineExceeded, Refused: syscall.ECONNREFUSED, InUse: syscall.EADDRINUSE,
	Again: syscall.EAGAIN, Unanswered: syscall.ETIMEDOUT,
}

// Error returns what the operating system says.
func (s Status) Error() string { return errorsOf[s].Error() }

// Is reports whether s is that error of package os or syscall.
func (s Status) Is(target error) bool { return errorsOf[s] == target }

// Timeout reports whether s is the deadline that has passed.
func (s Status) Timeout() bool { return s == Timeout || s == Unanswered }

// failure returns a status of package machine as an error.
func failure(s machine.SocketStatus) error {
	switch s {
	case live.SocketOK:
		return nil
	case live.SocketEnd:
		return io.EOF
	}
	return Status(s)
}
