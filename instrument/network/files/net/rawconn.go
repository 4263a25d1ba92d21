//go:build gopor

package net

import (
	"syscall"

	"github.com/gopor/gopor/internal/live"
)

// This file has Read and Write of a raw connection in memory. The function that the caller gives
// them uses a descriptor, so it gets that of a real socket, which stands for the connection while
// the function runs. The socket has what the next Read of the connection would return.

// goporRawError returns the error of Read or Write of a raw connection.
func (c *rawConn) goporRawError(op string, err error) error {
	return &OpError{Op: op, Net: c.fd.net, Source: nil, Addr: c.fd.laddr, Err: err}
}

// goporRefuse is Read and Write of a raw connection that no real socket can stand for.
func (c *rawConn) goporRefuse(op string) error {
	goporNote("a descriptor of a connection")
	return c.goporRawError(op, syscall.ENOTSUP)
}

// goporLend calls f with the descriptor of a socket that has data, and then what status stands for.
// It returns how much of data f has read, and what f has written.
func goporLend(f func(uintptr) bool, data []byte, status live.SocketStatus) (done bool, read int, written []byte, ok bool) {
	s, length := live.Caller.SocketStandIn(data[:min(len(data), goporLent)], status)
	if s == nil {
		return false, 0, nil, false
	}
	ended := false
	defer func() {
		if !ended { // f has panicked
			s.End()
		}
	}()
	done = f(s.FD())
	ended = true
	left, written := s.End()
	return done, length - left, written, true
}

// goporLent is how many bytes a socket has at most that stands for a connection.
const goporLent = 64 << 10

// goporRead is Read of a raw connection in memory.
func (c *rawConn) goporRead(f func(uintptr) bool) error {
	conn := c.fd.gopor.conn
	if conn == nil || c.fd.goporPackets() {
		return c.goporRefuse("raw-read")
	}
	for wait := false; ; wait = true {
		data, status := conn.Peek(wait)
		if status == live.SocketClosed || status == live.SocketTimeout {
			return c.goporRawError("raw-read", goporError(status, ""))
		}
		done, read, _, ok := goporLend(f, data, status)
		if !ok {
			return c.goporRefuse("raw-read")
		}
		if read == 0 && status == live.SocketReset {
			read = 1 // the function has heard of it
		}
		if read > 0 {
			conn.Read(read, live.Joins)
		}
		if done {
			return nil
		}
	}
}

// goporWrite is Write of a raw connection in memory.
func (c *rawConn) goporWrite(f func(uintptr) bool) error {
	conn := c.fd.gopor.conn
	if conn == nil || c.fd.goporPackets() {
		return c.goporRefuse("raw-write")
	}
	for {
		if _, status := conn.Write(nil); status != live.SocketOK {
			return c.goporRawError("raw-write", goporError(status, ""))
		}
		done, _, written, ok := goporLend(f, nil, live.SocketOK)
		if !ok || !done && len(written) == 0 {
			return c.goporRefuse("raw-write")
		}
		if len(written) > 0 {
			if _, status := conn.Write(written); status != live.SocketOK {
				return c.goporRawError("raw-write", goporError(status, writeSyscallName))
			}
		}
		if done {
			return nil
		}
	}
}
