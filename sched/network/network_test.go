package network_test

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// TestEcho has two clients of a server that echoes. They meet in the backlog of the listener only:
// one trace for each that may be accepted first.
func TestEcho(t *testing.T) {
	found := closures.Traces(t, exec.Options{}, func() {
		l, err := network.Listen(name, place, "127.0.0.1:80")
		if err != nil {
			t.Error(err)
			return
		}
		var server, clients sched.WaitGroup
		server.Go(func() {
			for {
				c, _, err := l.Accept()
				if err != nil {
					return
				}
				server.Go(func() {
					for {
						data, err := c.Read(100)
						if err != nil {
							break
						}
						c.Write(data)
					}
					c.Close()
				})
			}
		})
		for _, text := range []string{"hello", "world"} {
			clients.Go(func() {
				c, err := network.Dial(name, place, "client", false)
				if err != nil {
					t.Error(err)
					return
				}
				c.Write([]byte(text))
				if got, err := c.Read(100); err != nil || string(got) != text {
					t.Errorf("got %q, %v", got, err)
				}
				c.Close()
			})
		}
		clients.Wait()
		l.Close()
		server.Wait()
	})
	if found.Traces != 2 {
		t.Errorf("%d traces, want 2", found.Traces)
	}
}

// TestStop counts the traces of a goroutine that reads, beside one that ends that. They do not
// depend on each other where there is nothing to read: the Read fails in either order. So it is
// for a Read by a goroutine that was started after others have read what there was.
func TestStop(t *testing.T) {
	past := func(c *network.Conn) { c.SetReadDeadline(-1) }
	closes := func(c *network.Conn) { c.Close() }
	for name, test := range map[string]struct {
		stop          func(*network.Conn)
		before, there int // pieces that were read before, and that are there to be read
		ended         bool
		want          int
	}{
		"close":                       {stop: closes, want: 1},
		"close, after a piece":        {stop: closes, before: 3, want: 1},
		"close, with a piece":         {stop: closes, there: 1, want: 2},
		"close, with a further piece": {stop: closes, before: 2, there: 1, want: 2},
		"close, at the end":           {stop: closes, ended: true, want: 2},
		"deadline":                    {stop: past, want: 1},
		"deadline, then close":        {stop: func(c *network.Conn) { past(c); c.Close() }, want: 2},
		"deadline, after a piece":     {stop: past, before: 3, want: 1},
		"deadline, with a piece":      {stop: past, there: 1, want: 2},
		"deadline, at the end":        {stop: past, ended: true, want: 2},
	} {
		program := func() {
			client, server := connect(t, false)
			for range test.before {
				server.Write([]byte("a"))
				client.Read(1)
			}
			for range test.there {
				server.Write([]byte("a"))
			}
			if test.ended {
				server.CloseWrite()
			}
			var wg sched.WaitGroup
			wg.Go(func() { client.Read(1) })
			test.stop(client)
			wg.Wait()
		}
		if found := closures.Traces(t, exec.Options{}, program); found.Traces != test.want {
			t.Errorf("%s: %d traces, want %d", name, found.Traces, test.want)
		}
		stats, err := engine.Optimal{}.Explore(exec.New(program, exec.Options{}), func(*trace.Execution) bool { return true })
		if err != nil || stats.Executions != int64(test.want) {
			t.Errorf("%s: optimal DPOR has %d executions, want %d; %v", name, stats.Executions, test.want, err)
		}
	}
}

// TestHalfClose has one trace: each direction has one end that writes and one that reads.
func TestHalfClose(t *testing.T) {
	found := closures.Traces(t, exec.Options{}, func() {
		client, server := connect(t, false)
		var wg sched.WaitGroup
		wg.Go(func() {
			var text []byte
			for {
				data, err := server.Read(2)
				if err != nil {
					break
				}
				text = append(text, data...)
			}
			server.Write(text)
			server.Close()
		})
		client.Write([]byte("abc"))
		client.Write([]byte("d"))
		client.CloseWrite()
		if got, err := client.Read(10); string(got) != "abcd" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := client.Read(10); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
		client.Close()
		wg.Wait()
	})
	if found.Traces != 1 {
		t.Errorf("%d traces, want 1", found.Traces)
	}
}

// connect returns the ends of a connection.
func connect(t *testing.T, unix bool) (dialled, accepted *network.Conn) {
	l, err := network.Listen(name, place, "127.0.0.1:80")
	if err != nil {
		t.Error(err)
	}
	dialled, err = network.Dial(name, place, "client", unix)
	if err != nil {
		t.Error(err)
	}
	accepted, _, err = l.Accept()
	if err != nil {
		t.Error(err)
	}
	l.Close()
	return dialled, accepted
}

// once runs f in one execution.
func once(t *testing.T, f func()) {
	t.Helper()
	found := closures.Traces(t, exec.Options{AllowLeaks: true}, f)
	if found.Traces != 1 || found.Failing > 0 {
		t.Errorf("%d traces, failures: %v", found.Traces, found.Failures)
	}
}

// put writes data.
func put(c *network.Conn, data []byte) error {
	_, err := c.Write(data)
	return err
}

// TestErrors compares how operations fail with what the operating system does: the rows were
// measured with connections of package net on Linux.
func TestErrors(t *testing.T) {
	type ends struct{ c, peer *network.Conn }
	read := func(c *network.Conn) error { _, err := c.Read(10); return err }
	write := func(c *network.Conn) error { return put(c, []byte("x")) }
	tests := []struct {
		what      string
		do        func(e ends) []error
		tcp, unix []error
	}{
		{"peer closed", func(e ends) []error {
			e.peer.Close()
			return []error{read(e.c), read(e.c), write(e.c), write(e.c), write(e.c), read(e.c)}
		}, []error{io.EOF, io.EOF, nil, syscall.EPIPE, syscall.EPIPE, io.EOF},
			[]error{io.EOF, io.EOF, syscall.EPIPE, syscall.EPIPE, syscall.EPIPE, io.EOF}},
		{"own closed", func(e ends) []error {
			e.c.Close()
			return []error{read(e.c), write(e.c), e.c.Close(), e.c.SetReadDeadline(1), e.c.CloseWrite(), e.c.CloseRead()}
		}, []error{os.ErrClosed, os.ErrClosed, os.ErrClosed, os.ErrClosed, os.ErrClosed, os.ErrClosed}, nil},
		{"peer closed with unread", func(e ends) []error {
			e.c.Write([]byte("x"))
			e.peer.Close()
			return []error{read(e.c), read(e.c), write(e.c), write(e.c)}
		}, []error{syscall.ECONNRESET, io.EOF, syscall.EPIPE, syscall.EPIPE}, nil},
		{"peer closed with unread, and data under way", func(e ends) []error {
			e.peer.Write([]byte("data"))
			e.c.Write([]byte("x"))
			e.peer.Close()
			return []error{read(e.c), read(e.c), read(e.c)}
		}, []error{nil, syscall.ECONNRESET, io.EOF}, nil},
		{"peer wrote and closed, write first", func(e ends) []error {
			e.peer.Write([]byte("data"))
			e.peer.Close()
			return []error{write(e.c), read(e.c), read(e.c), write(e.c)}
		}, []error{nil, nil, io.EOF, syscall.EPIPE}, []error{syscall.EPIPE, nil, io.EOF, syscall.EPIPE}},
		{"own CloseWrite", func(e ends) []error {
			return []error{e.c.CloseWrite(), write(e.c), read(e.peer), write(e.peer), read(e.c), e.c.CloseWrite()}
		}, []error{nil, syscall.EPIPE, io.EOF, nil, nil, nil}, nil},
		{"own CloseRead after CloseWrite", func(e ends) []error {
			return []error{e.c.CloseWrite(), e.c.CloseRead(), read(e.c), write(e.peer), read(e.c), write(e.peer)}
		}, []error{nil, nil, io.EOF, nil, syscall.ECONNRESET, syscall.EPIPE}, []error{nil, nil, io.EOF, syscall.EPIPE, io.EOF, syscall.EPIPE}},
		{"own CloseRead", func(e ends) []error {
			return []error{e.c.CloseRead(), read(e.c), write(e.peer), read(e.c), read(e.c)}
		}, []error{nil, io.EOF, nil, nil, io.EOF}, []error{nil, io.EOF, syscall.EPIPE, io.EOF, io.EOF}},
		{"linger", func(e ends) []error {
			return []error{e.peer.SetLinger(true), e.peer.Close(), read(e.c), read(e.c), write(e.c)}
		}, []error{nil, nil, syscall.ECONNRESET, io.EOF, syscall.EPIPE}, nil},
		{"linger after the end", func(e ends) []error {
			return []error{e.peer.CloseWrite(), e.peer.SetLinger(true), e.peer.Close(), read(e.c), write(e.c)}
		}, []error{nil, nil, nil, io.EOF, syscall.EPIPE}, nil},
		{"zero", func(e ends) []error {
			_, err := e.c.Read(0)
			return []error{err, put(e.c, nil)}
		}, []error{nil, nil}, nil},
		{"deadline passed", func(e ends) []error {
			e.peer.Write([]byte("data"))
			e.c.SetReadDeadline(-1)
			e.c.SetWriteDeadline(-1)
			failed := []error{read(e.c), read(e.c), write(e.c), put(e.c, nil)}
			e.c.SetReadDeadline(network.NoDeadline)
			return append(failed, read(e.c), write(e.c))
		}, []error{os.ErrDeadlineExceeded, os.ErrDeadlineExceeded, os.ErrDeadlineExceeded, os.ErrDeadlineExceeded, nil, os.ErrDeadlineExceeded}, nil},
		{"full", func(e ends) []error {
			e.c.SetWriteDeadline(time.Second)
			var err error
			for n := 0; err == nil && n < 1000; n++ {
				err = put(e.c, full)
			}
			return []error{err}
		}, []error{os.ErrDeadlineExceeded}, nil},
	}
	for _, tt := range tests {
		for _, unix := range []bool{false, true} {
			want := tt.tcp
			if unix && tt.unix != nil {
				want = tt.unix
			}
			once(t, func() {
				c, peer := connect(t, unix)
				for i, err := range tt.do(ends{c, peer}) {
					if !errors.Is(err, want[i]) || (err == nil) != (want[i] == nil) {
						t.Errorf("%s, unix: %v: operation %d: %v, want %v", tt.what, unix, i, err, want[i])
					}
				}
			})
		}
	}
}

// TestListener has what can happen to a listener.
func TestListener(t *testing.T) {
	once(t, func() {
		want := func(what string, got, want error) {
			if !errors.Is(got, want) || (got == nil) != (want == nil) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		l, err := network.Listen(name, place, "l")
		want("listen", err, nil)
		_, err = network.Listen(name, place, "l")
		want("listen twice", err, syscall.EADDRINUSE)
		_, err = network.Listen(name, "4", "l")
		want("listen to all of the family", err, syscall.EADDRINUSE)
		other, err := network.Listen(name, "6", "l")
		want("listen to another family", err, nil)
		_, err = network.Listen(name, "*", "l")
		want("listen to all", err, syscall.EADDRINUSE)
		_, err = network.Dial("tcp 81", place, "c", false)
		want("dial another port", err, syscall.ECONNREFUSED)
		_, err = network.Dial(name, "4127.0.0.2", "c", false)
		want("dial another address", err, syscall.ECONNREFUSED)
		_, err = network.Dial(name, "6::1", "c", false)
		want("dial an address of all", err, nil)
		c, err := network.Dial(name, place, "c", false)
		want("dial", err, nil)
		want("write before the accept", put(c, []byte("x")), nil)
		want("close", l.Close(), nil)
		_, err = c.Read(1)
		want("read of what was not accepted", err, syscall.ECONNRESET)
		want("write", put(c, []byte("x")), syscall.EPIPE)
		_, _, err = l.Accept()
		want("accept after close", err, os.ErrClosed)
		want("close again", l.Close(), os.ErrClosed)
		_, err = network.Dial(name, place, "c", false)
		want("dial after close", err, syscall.ECONNREFUSED)
		want("deadline", other.SetDeadline(time.Second), nil)
		_, from, err := other.Accept()
		want("accept "+from, err, nil)
		_, _, err = other.Accept()
		want("accept until the deadline", err, os.ErrDeadlineExceeded)
	})
}

// TestBetweenExecutions uses a connection of an earlier execution, which is closed.
func TestBetweenExecutions(t *testing.T) {
	var kept []*network.Conn
	var mu sync.Mutex
	closures.Traces(t, exec.Options{AllowLeaks: true}, func() {
		mu.Lock()
		earlier := kept
		mu.Unlock()
		for _, c := range earlier {
			if _, err := c.Read(1); !errors.Is(err, os.ErrClosed) {
				t.Errorf("read: %v", err)
			}
			if err := c.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("close: %v", err)
			}
		}
		c, _ := connect(t, false)
		kept = append(kept, c)
		done := sched.NewChan[int](2) // two traces
		sched.Go(func() { done.Send(1) })
		done.Send(2)
	})
	if len(kept) < 2 {
		t.Errorf("%d executions", len(kept))
	}
}

// TestDeadlineOrders finds both outcomes of a Read that waits, with a Write and a deadline at the
// same time; and no time passes that is not virtual.
func TestDeadlineOrders(t *testing.T) {
	outcomes := map[string]bool{}
	closures.Traces(t, exec.Options{}, func() {
		c, peer := connect(t, false)
		c.SetReadDeadline(time.Hour)
		sched.Go(func() {
			sched.Sleep(time.Hour)
			peer.Write([]byte("x"))
		})
		data, err := c.Read(1)
		outcomes[text(data, err)] = true
	})
	if len(outcomes) != 2 || !outcomes["x"] || !outcomes["i/o timeout"] {
		t.Errorf("outcomes: %v", outcomes)
	}
}

// TestRaces has a data race that a connection orders, and one that it does not.
func TestRaces(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		found := closures.Traces(t, exec.Options{}, func() {
			c, peer := connect(t, false)
			v := sched.NewVar(0)
			var wg sched.WaitGroup
			wg.Go(func() {
				if ordered {
					v.Store(1)
				}
				peer.Write([]byte("x"))
				if !ordered {
					v.Store(1)
				}
			})
			c.Read(1)
			v.Load()
			wg.Wait()
		})
		if _, races := found.Failures[trace.FailRace]; races == ordered {
			t.Errorf("ordered: %v; races: %v", ordered, races)
		}
	}
}

// TestDatagrams sends some, also to sockets that are not there.
func TestDatagrams(t *testing.T) {
	once(t, func() {
		a, err := network.ListenPackets("udp 1", place, "a")
		if err != nil {
			t.Error(err)
		}
		b, err := network.ListenPackets("udp 2", place, "b")
		if err != nil {
			t.Error(err)
		}
		b.SendTo("udp 1", place, "b", []byte("one"), true)
		b.SendTo("udp 1", place, "b", nil, true)
		for _, want := range []string{"one", ""} {
			if got, from, err := a.ReceiveFrom(); string(got) != want || from != "b" || err != nil {
				t.Errorf("got %q from %s, %v, want %q", got, from, err, want)
			}
		}
		a.Close()
		if err := b.SendTo("udp 1", place, "b", []byte("x"), true); err != nil {
			t.Errorf("lost: %v", err)
		}
		if err := b.SendTo("udp 1", place, "b", []byte("x"), true); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("after a lost one: %v", err)
		}
		b.SetReadDeadline(time.Minute)
		if _, _, err := b.ReceiveFrom(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("nothing comes: %v", err)
		}
	})
}
