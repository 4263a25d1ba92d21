//go:build gopor

package net

import (
	"io"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// goporRead is netFD.Read.
//
//go:norace
func (fd *netFD) goporRead(p []byte) (int, error) {
	if fd.gopor.box != nil {
		if len(p) == 0 {
			return 0, nil
		}
		n, _, _, err := fd.goporReceive(p, readSyscallName)
		return n, err
	}
	n, _, err := fd.goporTake(p, readSyscallName)
	return n, err
}

// goporTake reads from a connection. The flags are those of recvmsg.
//
//go:norace
func (fd *netFD) goporTake(p []byte, call string) (n, flags int, err error) {
	if fd.gopor.conn == nil {
		return 0, 0, os.NewSyscallError(call, syscall.ENOTCONN)
	}
	if !fd.goporPackets() || len(p) == 0 {
		data, status := fd.gopor.conn.Read(len(p), live.Joins)
		return goporFill(p, data), 0, goporError(status, call)
	}
	data, status := fd.gopor.conn.Read(goporAll, func() bool { return true })
	if n = goporFill(p, data); n < len(data) {
		flags = goporTruncated()
	}
	return n, flags, goporError(status, call)
}

// goporPackets reports whether a Read from the connection gives what one Write has written, and
// drops what the caller has no room for.
//
//go:norace
func (fd *netFD) goporPackets() bool { return fd.sotype == syscall.SOCK_SEQPACKET }

// goporFill copies data that has come to the beginning of p, and announces that the caller writes
// there. Data belongs to the network: no goroutine writes it, so reading it is not announced.
//
//go:norace
func goporFill(p, data []byte) int {
	if n := min(len(p), len(data)); n > 0 {
		live.Caller.Write(unsafe.Pointer(unsafe.SliceData(p)), uintptr(n))
	}
	return goporCopy(p, data)
}

//go:norace
func goporCopy(p, data []byte) int { return copy(p, data) }

// goporWrite is netFD.Write.
//
//go:norace
func (fd *netFD) goporWrite(p []byte) (int, error) {
	if fd.gopor.box != nil {
		return fd.goporSend(p, nil, writeSyscallName)
	}
	if fd.gopor.conn == nil {
		return 0, os.NewSyscallError(writeSyscallName, syscall.ENOTCONN)
	}
	goporUses(p)
	return fd.goporPut(p)
}

// goporPut writes bytes to a connection.
//
//go:norace
func (fd *netFD) goporPut(p []byte) (int, error) {
	if fd.goporPackets() && len(p) > fd.goporLongest() {
		return 0, os.NewSyscallError(writeSyscallName, syscall.EMSGSIZE)
	}
	if fd.goporPackets() && len(p) == 0 {
		goporNote("an empty message to a unixpacket socket")
	}
	n, status := fd.gopor.conn.Write(p)
	return n, goporError(status, writeSyscallName)
}

// goporUses announces that the caller reads p.
//
//go:norace
func goporUses(p []byte) {
	if len(p) > 0 {
		live.Caller.Read(unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)))
	}
}

// goporMost is how many bytes of several buffers are written at once.
const goporMost, goporAll = 1 << 20, int(^uint(0) >> 1)

// goporWriteBuffers is netFD.writeBuffers.
func (fd *netFD) goporWriteBuffers(v *Buffers) (int64, error) {
	if fd.gopor.conn == nil {
		n, err := fd.goporWrite(goporJoin(*v, goporAll))
		v.consume(int64(n))
		return int64(n), err
	}
	for all := int64(0); ; {
		n, err := fd.goporPut(goporJoin(*v, goporMost))
		v.consume(int64(n))
		if all += int64(n); err != nil || len(*v) == 0 {
			return all, err
		}
	}
}

// goporJoin returns what buffers begin with, up to most bytes, and announces that the caller reads
// it.
func goporJoin(v Buffers, most int) []byte {
	size := 0
	for _, b := range v {
		n := min(len(b), most-size)
		goporUses(b[:n])
		size += n
	}
	all := make([]byte, size)
	rest := all
	for _, b := range v {
		rest = rest[goporCopy(rest, b):]
	}
	return all
}

// goporReceive waits for a datagram, and copies its beginning to p. The flags are those of
// recvmsg. On a connection it is Read.
//
//go:norace
func (fd *netFD) goporReceive(p []byte, call string) (n, flags int, from syscall.Sockaddr, err error) {
	if fd.gopor.box == nil {
		n, flags, err = fd.goporTake(p, call)
		return n, flags, nil, err
	}
	for {
		data, sender, status := fd.gopor.box.Receive()
		if status != live.SocketOK {
			return 0, 0, nil, goporError(status, call)
		}
		if from = fd.goporSender(sender); from == nil {
			continue
		}
		if n = goporFill(p, data); n < len(data) {
			flags = goporTruncated()
		}
		return n, flags, from, nil
	}
}

// goporSender returns the address of the sender of a datagram, or nil if a connected socket does
// not receive from there.
func (fd *netFD) goporSender(sender string) syscall.Sockaddr {
	if fd.family == syscall.AF_UNIX {
		if sender == "@" {
			sender = ""
		}
		return &syscall.SockaddrUnix{Name: sender}
	}
	from, err := netip.ParseAddrPort(sender)
	peer := fd.gopor.peer
	if err != nil || peer != nil && (from.Addr() != peer.ip || int(from.Port()) != peer.port) {
		return nil
	}
	return fd.goporSockaddr(from.Addr(), int(from.Port()))
}

// goporTruncated returns the flag of recvmsg for a datagram that was cut.
func goporTruncated() int {
	switch runtime.GOOS {
	case "linux", "android":
		return 0x20
	case "windows":
		return 0x100
	}
	return 0x10
}

// goporLongest is the length of the longest datagram that the system sends.
//
//go:norace
func (fd *netFD) goporLongest() int {
	switch fd.family {
	case syscall.AF_INET:
		return 65507
	case syscall.AF_INET6:
		return 65527
	}
	return 212960
}

// goporSend sends a datagram to an address, or to the peer if that is nil. On a connection it is
// Write.
func (fd *netFD) goporSend(p []byte, sa syscall.Sockaddr, call string) (int, error) {
	if fd.gopor.box == nil {
		return fd.goporWrite(p)
	}
	if len(p) > fd.goporLongest() {
		return 0, os.NewSyscallError(call, syscall.EMSGSIZE)
	}
	to, err := fd.goporReceiver(sa)
	if err != nil {
		return 0, os.NewSyscallError(call, err)
	}
	if to.ip.IsValid() && !to.ip.IsLoopback() && !goporIsOwn(IP(to.ip.AsSlice())) {
		goporNote("a datagram to the address " + to.ip.String() + ", which is not one of this machine")
		return len(p), nil
	}
	goporUses(p)
	status := fd.gopor.box.Send(to.name, to.place, fd.goporLocal(to.ip), p, fd.gopor.peer != nil)
	if status != live.SocketOK {
		return 0, goporError(status, call)
	}
	return len(p), nil
}

// goporReceiver returns the socket to which a datagram for an address goes.
func (fd *netFD) goporReceiver(sa syscall.Sockaddr) (goporPlace, error) {
	switch sa := sa.(type) {
	case nil:
		if fd.gopor.peer == nil {
			return goporPlace{}, syscall.EDESTADDRREQ
		}
		return *fd.gopor.peer, nil
	case *syscall.SockaddrUnix:
		if err := goporFind(sa.Name); err != nil {
			return goporPlace{}, err
		}
		return goporPlace{name: fd.net + " " + goporPath(sa.Name), place: goporFilePlace(sa.Name)}, nil
	}
	ip, port := goporSplit(sa)
	o := goporOpening{netFD: fd}
	return o.place(goporTarget(ip), port), nil
}

// The methods of netFD that receive and send datagrams.

func (fd *netFD) goporReadFrom(p []byte) (int, syscall.Sockaddr, error) {
	n, _, from, err := fd.goporReceive(p, readFromSyscallName)
	return n, from, err
}

func (fd *netFD) goporReadMsg(p []byte) (n, oobn, flags int, from syscall.Sockaddr, err error) {
	n, flags, from, err = fd.goporReceive(p, readMsgSyscallName)
	return n, 0, flags, from, err
}

func (fd *netFD) goporReadFrom4(p []byte, from *syscall.SockaddrInet4, call string) (n, oobn, flags int, err error) {
	n, flags, sa, err := fd.goporReceive(p, call)
	if sa, ok := sa.(*syscall.SockaddrInet4); ok {
		*from = *sa
	}
	return n, 0, flags, err
}

func (fd *netFD) goporReadFrom6(p []byte, from *syscall.SockaddrInet6, call string) (n, oobn, flags int, err error) {
	n, flags, sa, err := fd.goporReceive(p, call)
	if sa, ok := sa.(*syscall.SockaddrInet6); ok {
		*from = *sa
	}
	return n, 0, flags, err
}

func (fd *netFD) goporWriteMsg(p, oob []byte, sa syscall.Sockaddr) (n, oobn int, err error) {
	if len(oob) > 0 {
		goporNote("a control message of a socket")
	}
	n, err = fd.goporSend(p, sa, writeMsgSyscallName)
	return n, len(oob), err
}

func (fd *netFD) goporWriteMsg4(p, oob []byte, sa *syscall.SockaddrInet4) (n, oobn int, err error) {
	if sa == nil {
		return fd.goporWriteMsg(p, oob, nil)
	}
	return fd.goporWriteMsg(p, oob, sa)
}

func (fd *netFD) goporWriteMsg6(p, oob []byte, sa *syscall.SockaddrInet6) (n, oobn int, err error) {
	if sa == nil {
		return fd.goporWriteMsg(p, oob, nil)
	}
	return fd.goporWriteMsg(p, oob, sa)
}

// The deadlines of netFD.

//go:norace
func (fd *netFD) goporDeadline(t time.Time) error {
	return fd.goporDeadlineOf(live.SocketReads|live.SocketWrites, t)
}

//go:norace
func (fd *netFD) goporReadDeadline(t time.Time) error {
	return fd.goporDeadlineOf(live.SocketReads, t)
}

//go:norace
func (fd *netFD) goporWriteDeadline(t time.Time) error {
	return fd.goporDeadlineOf(live.SocketWrites, t)
}

//go:norace
func (fd *netFD) goporDeadlineOf(halves live.SocketHalf, t time.Time) error {
	never, wait := t.IsZero(), int64(0)
	if !never {
		wait = int64(time.Until(t))
	}
	return goporError(fd.gopor.socket().SetDeadline(halves, wait, never), "")
}

// goporLinger is setLinger.
//
//go:norace
func (fd *netFD) goporLinger(sec int) error {
	if fd.gopor.conn == nil {
		return fd.goporOption()
	}
	return goporError(fd.gopor.conn.Reset(sec == 0), "setsockopt")
}

// goporMoves reports whether a copy from r, or to w, must not leave the bytes to the system,
// since a connection is in memory.
func goporMoves(fd *netFD, r io.Reader, w io.Writer) bool {
	if fd.gopor != nil {
		return true
	}
	if l, ok := r.(*io.LimitedReader); ok {
		r = l.R
	}
	for _, x := range []any{r, w} {
		switch x := x.(type) {
		case *TCPConn:
			return x.fd.gopor != nil
		case tcpConnWithoutWriteTo:
			return x.fd.gopor != nil
		case *UnixConn:
			return x.fd.gopor != nil
		}
	}
	return false
}
