//go:build gopor

// Package net is a part of the standard library's package of that name, for programs under
// control. It is compiled together with the files of the library. It has the connections,
// listeners and sockets of datagrams that controlled goroutines make on this machine: they are in
// memory. The functions of package live do what such a socket does. This package makes errors of
// what they return, and addresses of names.
package net

import (
	"context"
	"internal/poll"
	"io"
	"net/netip"
	"os"
	"syscall"

	"github.com/gopor/gopor/internal/live"
)

// A goporSocket is what a netFD has if it is in memory. One of door, conn and box is set.
type goporSocket struct {
	door live.SocketDoor
	conn live.SocketConn
	box  live.SocketBox
	peer *goporPlace // where a connected socket of datagrams sends to
	own  goporPlace  // where a socket of datagrams is
	raw  *goporRaw
}

// socket returns what all sockets have.
//
//go:norace
func (s *goporSocket) socket() live.Socket {
	switch {
	case s.door != nil:
		return s.door
	case s.conn != nil:
		return s.conn
	}
	return s.box
}

// A goporPlace is an address as package live knows it.
type goporPlace struct {
	name, place string
	ip          netip.Addr
	port        int
}

// goporProbed says that the capabilities of the machine are known. No execution has to find out.
var goporProbed bool

// What package net finds out once is found out before the first execution. Else its variables are
// put back after an execution in which a lookup outside has set them, and what guards them is not.
func init() {
	supportsIPv4()
	systemConf()
	getSystemDNSConfig()
	getSystemNSS()
	if acquireThread(context.Background()) == nil {
		releaseThread()
	}
	goporProbed = true
}

// goporError returns the error of a status. Call is the system call that would return it.
//
//go:norace
func goporError(status live.SocketStatus, call string) error {
	switch status {
	case live.SocketOK:
		return nil
	case live.SocketEnd:
		return io.EOF
	case live.SocketReset:
		return os.NewSyscallError(call, syscall.ECONNRESET)
	case live.SocketBroken:
		return os.NewSyscallError(call, syscall.EPIPE)
	case live.SocketTimeout:
		return os.ErrDeadlineExceeded
	case live.SocketRefused:
		return os.NewSyscallError(call, syscall.ECONNREFUSED)
	case live.SocketUnanswered:
		return os.NewSyscallError(call, syscall.ETIMEDOUT)
	case live.SocketInUse:
		return os.NewSyscallError(call, syscall.EADDRINUSE)
	}
	return poll.ErrNetClosing
}

// goporFD returns a netFD in memory.
//
//go:norace
func goporFD(family, sotype int, network string) *netFD {
	fd := &netFD{family: family, sotype: sotype, net: network, gopor: new(goporSocket)}
	fd.pfd.IsStream = sotype == syscall.SOCK_STREAM
	fd.pfd.ZeroReadIsEOF = sotype != syscall.SOCK_DGRAM
	fd.pfd.Sysfd-- // no descriptor: 0 would be the standard input
	return fd
}

// A goporOpening is a socket that is to be opened.
type goporOpening struct {
	*netFD
	ctx          context.Context
	proto        int
	only6        bool
	laddr, raddr sockaddr
	control      func(context.Context, string, string, syscall.RawConn) error

	local, remote syscall.Sockaddr
}

// goporOpen opens a socket in memory. It reports false if the socket has to be a real one.
//
//go:norace
func goporOpen(ctx context.Context, network string, family, sotype, proto int, only6 bool, laddr, raddr sockaddr,
	control func(context.Context, string, string, syscall.RawConn) error) (*netFD, bool, error) {

	if _, outside := ctx.(goporOutside); outside || !live.Sockets() || laddr == nil && raddr == nil {
		if own, ok := laddr.(*UnixAddr); ok && own != nil && goporHasFile(own.Name) {
			live.Save(own.Name, live.SaveName) // a real socket makes its file itself
		}
		return nil, false, nil
	}
	o := &goporOpening{goporFD(family, sotype, network), ctx, proto, only6, laddr, raddr, control, nil, nil}
	if what := o.outside(); what != "" {
		if err := goporClosedTo(what); err != nil {
			return nil, true, err
		}
		goporNote(what)
		fd, err := o.real()
		return fd, true, err
	}
	if family == syscall.AF_INET && !supportsIPv4() || family == syscall.AF_INET6 && !supportsIPv6() {
		return nil, false, nil
	}
	fd, err := o.open()
	return fd, true, err
}

// real opens a real socket.
//
//go:norace
func (o *goporOpening) real() (*netFD, error) {
	return socket(goporOutside{o.ctx}, o.net, o.family, o.sotype, o.proto, o.only6, o.laddr, o.raddr, o.control)
}

// open opens the socket as [socket] does.
//
//go:norace
func (o *goporOpening) open() (*netFD, error) {
	var err error
	if o.laddr != nil {
		if o.local, err = o.laddr.sockaddr(o.family); err != nil {
			return nil, err
		}
	}
	if o.raddr != nil {
		if o.remote, err = o.raddr.sockaddr(o.family); err != nil {
			return nil, err
		}
	}
	if err := o.callControl(); err != nil {
		return nil, err
	}
	switch {
	case o.family == syscall.AF_UNIX && o.raddr == nil:
		return o.listenUnix()
	case o.family == syscall.AF_UNIX:
		return o.dialUnix()
	case o.raddr == nil:
		return o.netFD, o.listen()
	case o.sotype == syscall.SOCK_DGRAM:
		return o.netFD, o.connect()
	}
	return o.dial()
}

// callControl calls the function that the program has given to set options of the socket.
func (o *goporOpening) callControl() error {
	if o.control == nil {
		return nil
	}
	addr := ""
	if o.raddr != nil {
		addr = o.raddr.String()
	} else if o.laddr != nil {
		addr = o.laddr.String()
	}
	return o.control(o.ctx, o.ctrlNetwork(), addr, newRawConn(o.netFD))
}

// goporAccept is netFD.accept.
//
//go:norace
func goporAccept(fd *netFD, door live.SocketDoor) (*netFD, error) {
	conn, from, status := door.Accept()
	if status != live.SocketOK {
		return nil, goporError(status, "accept")
	}
	c := goporFD(fd.family, fd.sotype, fd.net)
	c.gopor.conn = conn
	if fd.family == syscall.AF_UNIX {
		c.laddr, c.raddr = fd.laddr, fd.addrFunc()(&syscall.SockaddrUnix{Name: from})
		return c, nil
	}
	theirs, ours := goporAddrs(from)
	c.laddr, c.raddr = c.goporAddr(ours.Addr(), int(ours.Port())), c.goporAddr(theirs.Addr(), int(theirs.Port()))
	return c, nil
}

// goporClose is netFD.Close.
//
//go:norace
func (fd *netFD) goporClose() error {
	status := fd.gopor.socket().Close()
	if status == live.SocketOK {
		fd.gopor.raw.close()
	}
	return goporError(status, "close")
}

// goporShut is netFD.closeRead and netFD.closeWrite.
//
//go:norace
func (fd *netFD) goporShut(half live.SocketHalf) error {
	if fd.gopor.conn == nil {
		return os.NewSyscallError("shutdown", syscall.ENOTCONN)
	}
	switch status := fd.gopor.conn.Shut(half); status {
	case live.SocketOK:
		return nil
	case live.SocketClosed:
		return poll.ErrNetClosing
	}
	return os.NewSyscallError("shutdown", syscall.ENOTCONN)
}

//go:norace
func (fd *netFD) goporCloseRead() error { return fd.goporShut(live.SocketReads) }

//go:norace
func (fd *netFD) goporCloseWrite() error { return fd.goporShut(live.SocketWrites) }

// goporOption sets an option of fd that makes no difference in memory. It fails if fd is closed.
//
//go:norace
func (fd *netFD) goporOption() error { return goporError(fd.gopor.socket().Ask(), "setsockopt") }

// goporSockets reports whether the sockets that the caller makes are those of an execution.
//
//go:norace
func goporSockets() bool { return live.Sockets() }

// goporNoteFile notes that a controlled goroutine makes a connection of a file.
func goporNoteFile() {
	if live.Sockets() {
		goporNote("a connection of a file")
	}
}
