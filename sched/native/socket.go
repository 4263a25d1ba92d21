package native

import (
	"io"
	"strings"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/network"
)

// This file gives package net the sockets of an execution: those of package network. What belongs
// to an execution that is over is closed.

func (execution) SocketNetwork() live.SocketSource {
	if !usable() {
		return live.SocketsLoopback
	}
	return live.SocketSource(hook.Network())
}

func (execution) SocketTwin(listener unsafe.Pointer, door live.SocketDoor) any {
	if door != nil {
		hook.SetShadow(listener, door)
	}
	return hook.SeenShadow(listener)
}

func (execution) SocketNote(what string) { sched.Assume(sched.AssumeCode, what) }

// statusOf returns the status that an error of package network stands for.
func statusOf(err error) live.SocketStatus {
	switch err := err.(type) {
	case nil:
		return live.SocketOK
	case network.Status:
		return live.SocketStatus(err)
	}
	if err == io.EOF {
		return live.SocketEnd
	}
	return live.SocketClosed
}

// usable reports whether the calling goroutine can use sockets. It cannot when its execution is
// being unwound, or if it is not under control.
func usable() bool { return hook.Active() && !hook.Unwinding() }

// Ports of listeners that ask for any are taken from this range.
const (
	firstPort = 40001
	portRange = 20000
)

// offered is the key by which an execution keeps how many ports each goroutine was offered.
var offered int

func (execution) SocketPort() int {
	if !usable() {
		return firstPort
	}
	counts := hook.Shadow(unsafe.Pointer(&offered), func() any { return make(map[uint64]uint64) }).(map[uint64]uint64)
	seed := hook.Seed()
	counts[seed]++
	return firstPort + int((seed+counts[seed])%portRange)
}

// labelOf returns what reports call the address of a name and a place.
func labelOf(name, place string) string {
	family, port, _ := strings.Cut(name, " ")
	switch {
	case strings.HasPrefix(family, "unix"):
		return port
	case place == "4":
		return "0.0.0.0:" + port
	case place == "6", place == "*", place == "":
		return "[::]:" + port
	case place[0] == '6':
		return "[" + place[1:] + "]:" + port
	}
	return place[1:] + ":" + port
}

func (execution) SocketListen(name, place string) (live.SocketDoor, live.SocketStatus) {
	if !usable() {
		return nil, live.SocketClosed
	}
	l, err := network.Listen(name, place, labelOf(name, place))
	if err != nil {
		return nil, statusOf(err)
	}
	return door{l}, live.SocketOK
}

func (execution) SocketDial(name, place, from string, unix bool, limit func() (int64, bool)) (live.SocketConn, live.SocketStatus) {
	if !usable() {
		return nil, live.SocketClosed
	}
	c, err := network.DialWithin(name, place, from, unix, limit)
	if err != nil {
		return nil, statusOf(err)
	}
	return conn{c}, live.SocketOK
}

func (execution) SocketOpen(name, place string) (live.SocketBox, live.SocketStatus) {
	if !usable() {
		return nil, live.SocketClosed
	}
	p, err := network.ListenPackets(name, place, labelOf(name, place))
	if err != nil {
		return nil, statusOf(err)
	}
	return box{p}, live.SocketOK
}

// waitOf returns a deadline as package network has it.
func waitOf(wait int64, never bool) time.Duration {
	if never {
		return network.NoDeadline
	}
	return time.Duration(wait)
}

// door is a listener of package network.
type door struct{ l *network.Listener }

func (d door) Accept() (live.SocketConn, string, live.SocketStatus) {
	if !usable() {
		return nil, "", live.SocketClosed
	}
	c, from, err := d.l.Accept()
	if err != nil {
		return nil, "", statusOf(err)
	}
	return conn{c}, from, live.SocketOK
}

func (d door) Ask() live.SocketStatus { return closing(d.l.Ask) }

func (d door) Close() live.SocketStatus { return closing(d.l.Close) }

func (d door) SetDeadline(_ live.SocketHalf, wait int64, never bool) live.SocketStatus {
	return closing(func() error { return d.l.SetDeadline(waitOf(wait, never)) })
}

// closing calls f, which gives up something, if the caller can use sockets.
func closing(f func() error) live.SocketStatus {
	if !usable() {
		return live.SocketClosed
	}
	return statusOf(f())
}

// conn is an end of a connection of package network.
type conn struct{ c *network.Conn }

func (c conn) Read(n int, joins func() bool) ([]byte, live.SocketStatus) {
	if !usable() {
		return nil, live.SocketClosed
	}
	data, err := c.c.ReadFor(n, joins)
	return data, statusOf(err)
}

func (c conn) Peek(wait bool) ([]byte, live.SocketStatus) {
	if !usable() {
		return nil, live.SocketClosed
	}
	data, err := c.c.Peek(wait)
	return data, statusOf(err)
}

func (c conn) Write(data []byte) (int, live.SocketStatus) {
	if !usable() {
		return 0, live.SocketClosed
	}
	n, err := c.c.Write(data)
	return n, statusOf(err)
}

func (c conn) Shut(half live.SocketHalf) live.SocketStatus {
	if half == live.SocketReads {
		return closing(c.c.CloseRead)
	}
	return closing(c.c.CloseWrite)
}

func (c conn) Reset(on bool) live.SocketStatus {
	return closing(func() error { return c.c.SetLinger(on) })
}

func (c conn) Ask() live.SocketStatus { return closing(c.c.Ask) }

func (c conn) Close() live.SocketStatus { return closing(c.c.Close) }

func (c conn) SetDeadline(halves live.SocketHalf, wait int64, never bool) live.SocketStatus {
	return limits(halves, waitOf(wait, never), c.c.SetReadDeadline, c.c.SetWriteDeadline)
}

// limits sets the deadline of the halves.
func limits(halves live.SocketHalf, wait time.Duration, reads, writes func(time.Duration) error) (s live.SocketStatus) {
	if halves&live.SocketReads != 0 {
		s = closing(func() error { return reads(wait) })
	}
	if halves&live.SocketWrites != 0 && s == live.SocketOK {
		s = closing(func() error { return writes(wait) })
	}
	return s
}

// box is a socket of datagrams of package network.
type box struct{ p *network.Packets }

// inOrder is the assumption that a network loses no datagrams, and does not exchange them.
const inOrder = "a datagram, which may be lost or overtaken"

func (b box) Send(name, place, from string, data []byte, connected bool) live.SocketStatus {
	if usable() {
		sched.Assume(sched.AssumeModel, inOrder)
	}
	return closing(func() error { return b.p.SendTo(name, place, from, data, connected) })
}

func (b box) Receive() ([]byte, string, live.SocketStatus) {
	if !usable() {
		return nil, "", live.SocketClosed
	}
	data, from, err := b.p.ReceiveFrom()
	return data, from, statusOf(err)
}

func (b box) Ask() live.SocketStatus { return closing(b.p.Ask) }

func (b box) Close() live.SocketStatus { return closing(b.p.Close) }

func (b box) SetDeadline(halves live.SocketHalf, wait int64, never bool) live.SocketStatus {
	return limits(halves, waitOf(wait, never), b.p.SetReadDeadline, b.p.SetWriteDeadline)
}
