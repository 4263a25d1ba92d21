//go:build gopor

package net

import (
	"internal/strconv"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// goporAccepts notes a listener of which a goroutine accepts that is not under control.
func (fd *netFD) goporAccepts() {
	if addr, ok := fd.laddr.(*TCPAddr); ok && !live.Sockets() {
		live.Accepts(addr.Port, unsafe.Pointer(fd))
	}
}

// goporTwin returns the listener in memory that stands for a real one in the execution of the
// caller, or nil if there is none.
func (fd *netFD) goporTwin() live.SocketDoor {
	if !live.Sockets() || fd.gopor != nil {
		return nil
	}
	door, _ := live.Caller.SocketTwin(unsafe.Pointer(fd), nil).(live.SocketDoor)
	return door
}

// goporLeaves reports whether a goroutine of an execution closes a listener that was made before
// it, and of which a server accepts. The listener stays. The one in memory is closed.
func (fd *netFD) goporLeaves() bool {
	addr, ok := fd.laddr.(*TCPAddr)
	if !ok || !live.Sockets() || !live.IsServed(addr.Port, unsafe.Pointer(fd)) {
		return false
	}
	door := fd.goporTwin()
	if door == nil {
		name, place := fd.goporName()
		door, _ = live.Caller.SocketListen(name, place) // so that none is made later
	}
	if door != nil {
		live.Caller.SocketTwin(unsafe.Pointer(fd), door)
		door.Close()
	}
	return true
}

// goporName returns the name and the place of a listener that is not in memory.
func (fd *netFD) goporName() (name, place string) {
	addr := fd.laddr.(*TCPAddr)
	return "tcp " + strconv.Itoa(addr.Port), goporFamily(addr.AddrPort().Addr().Unmap(), false)
}

// serve reports whether a server that was started before the execution has an address. The first
// goroutine to ask starts the server of the execution that stands for it.
func (o *goporOpening) serve(to goporPlace) bool {
	p, serve := live.AwaitServed(to.port)
	if serve == nil || live.Caller.SocketNetwork() == live.SocketsReal {
		return false
	}
	listener := (*netFD)(p)
	if listener.goporTwin() == nil {
		name, place := listener.goporName()
		door, status := live.Caller.SocketListen(name, place)
		if status == live.SocketOK {
			live.Caller.SocketTwin(p, door)
			go serve()
		}
	} // else it was closed, or another goroutine has just started the server
	return true
}
