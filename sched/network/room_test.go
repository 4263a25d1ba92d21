package network_test

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
)

// readAll returns how many bytes come to an end of a connection, and the error after them.
func readAll(c *network.Conn, most int) (n int, err error) {
	for {
		data, err := c.Read(most)
		if err != nil {
			return n, err
		}
		n += len(data)
	}
}

// TestWriteWaits has a Write of more than the room. It returns when the rest fits, which no Read
// before that brings about.
func TestWriteWaits(t *testing.T) {
	once(t, func() {
		c, peer := connect(t, false)
		returned := false
		h := sched.Go(func() {
			if n, err := c.Write(make([]byte, 2*network.Room)); n != 2*network.Room || err != nil {
				t.Errorf("Write: %d, %v", n, err)
			}
			returned = true
			c.CloseWrite()
		})
		sched.Sleep(time.Second)
		peer.Read(network.Room - 1)
		sched.Sleep(time.Second)
		if returned {
			t.Error("the Write has returned, and one byte too many is unread")
		}
		peer.Read(1)
		sched.Sleep(time.Second)
		if !returned {
			t.Error("the Write has not returned, and there is room for the rest")
		}
		if n, err := readAll(peer, 1000); n != network.Room || err != io.EOF {
			t.Errorf("the rest: %d, %v", n, err)
		}
		h.Join()
	})
}

// TestWriteFails has Writes that fail while they wait: they say how much they have written, and
// that can be read.
func TestWriteFails(t *testing.T) {
	tests := []struct {
		what      string
		end       func(c, peer *network.Conn)
		tcp, unix error
		rest      int   // what the peer reads then
		last      error // and how that ends
	}{
		{"deadline", func(c, peer *network.Conn) { c.SetWriteDeadline(0); c.CloseWrite() },
			os.ErrDeadlineExceeded, os.ErrDeadlineExceeded, network.Room, io.EOF},
		{"own Close", func(c, peer *network.Conn) { c.Close() }, os.ErrClosed, os.ErrClosed, network.Room, io.EOF},
		{"own CloseWrite", func(c, peer *network.Conn) { c.CloseWrite() }, syscall.EPIPE, syscall.EPIPE, network.Room, io.EOF},
		{"own reset", func(c, peer *network.Conn) { c.SetLinger(true); c.Close() }, os.ErrClosed, os.ErrClosed, network.Room, syscall.ECONNRESET},
		{"peer's Close", func(c, peer *network.Conn) { peer.Close() }, syscall.ECONNRESET, syscall.ECONNRESET, 0, os.ErrClosed},
	}
	const before, read = 1000, 300
	for _, tt := range tests {
		for _, unix := range []bool{false, true} {
			once(t, func() {
				c, peer := connect(t, unix)
				want := tt.tcp
				if unix {
					want = tt.unix
				}
				c.Write(make([]byte, before))
				first := sched.Go(func() {
					// Of what was written before, 700 bytes are unread.
					n, err := c.Write(make([]byte, network.Room))
					if n != network.Room-before+read || !errors.Is(err, want) {
						t.Errorf("%s, unix: %v: %d, %v", tt.what, unix, n, err)
					}
				})
				sched.Sleep(time.Second)
				second := sched.Go(func() {
					if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, want) {
						t.Errorf("%s, unix: %v: the Write after that: %d, %v", tt.what, unix, n, err)
					}
				})
				sched.Sleep(time.Second)
				peer.Read(read)
				tt.end(c, peer)
				first.Join()
				second.Join()
				if n, err := readAll(peer, 5000); n != tt.rest || !errors.Is(err, tt.last) {
					t.Errorf("%s, unix: %v: the peer reads %d, %v", tt.what, unix, n, err)
				}
			})
		}
	}
}

// TestBothWrite has two peers that write more than the room before they read: a deadlock.
func TestBothWrite(t *testing.T) {
	found := closures.Traces(t, exec.Options{}, func() {
		c, peer := connect(t, false)
		var wg sched.WaitGroup
		for _, end := range []*network.Conn{c, peer} {
			wg.Go(func() {
				end.Write(make([]byte, network.Room+1))
				end.Read(network.Room)
			})
		}
		wg.Wait()
	})
	if found.Failing == 0 || found.Failing != found.Traces {
		t.Errorf("%d of %d traces fail", found.Failing, found.Traces)
	}
}
