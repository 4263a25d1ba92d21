//go:build unix

package native

import (
	"syscall"

	"github.com/gopor/gopor/internal/live"
)

// standIn is a pair of real sockets: the program uses the first, and the second is its peer.
type standIn struct{ own, peer int }

// SocketStandIn makes a pair of sockets, of which the program gets the first. That one has as much
// of the data to read as there is room for, and after it the end or a reset if the status is one.
func (execution) SocketStandIn(data []byte, status live.SocketStatus) (_ live.StandIn, length int) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		syscall.ForkLock.RUnlock()
		return nil, 0
	}
	for _, fd := range pair {
		syscall.CloseOnExec(fd)
		syscall.SetNonblock(fd, true)
	}
	syscall.ForkLock.RUnlock()
	s := &standIn{pair[0], pair[1]}
	standIns.Store(s.own, nil)
	if len(data) > 0 {
		if length, err = syscall.Write(s.peer, data); err != nil {
			s.End()
			return nil, 0
		}
	}
	switch status {
	case live.SocketEnd:
		syscall.Shutdown(s.peer, syscall.SHUT_WR)
	case live.SocketReset:
		syscall.Write(s.own, []byte{0})
		syscall.Close(s.peer) // with something unread
		s.peer = -1
	}
	return s, length
}

func (s *standIn) FD() uintptr { return uintptr(s.own) }

func (s *standIn) End() (left int, written []byte) {
	left = len(drain(s.own))
	standIns.Delete(s.own)
	syscall.Close(s.own)
	if s.peer >= 0 {
		written = drain(s.peer)
		syscall.Close(s.peer)
	}
	return left, written
}

// drain returns what can be read from a socket at once.
func drain(fd int) (all []byte) {
	var part [4096]byte
	for {
		n, err := syscall.Read(fd, part[:])
		switch {
		case err == syscall.EINTR:
		case n <= 0 || err != nil:
			return all
		default:
			all = append(all, part[:n]...)
		}
	}
}
