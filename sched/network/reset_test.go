package network_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// errorOf is what the system says of an error.
func errorOf(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	if err == io.EOF {
		return "EOF"
	}
	if err != nil {
		return strings.TrimSpace(err.Error())
	}
	return "ok"
}

// use reads (r) and writes (w) as a text says, and returns what has come of each.
func use(text string, read func() (string, error), write func() error) (list []string) {
	for _, c := range text {
		switch c {
		case 'r':
			data, err := read()
			list = append(list, data+" "+errorOf(err))
		case 'w':
			list = append(list, errorOf(write()))
		}
	}
	return list
}

// TestResetNatively holds what an end is told after a reset by the network to what Linux tells it
// when the peer has sent a reset. Before that the peer may have written something, which has
// arrived, or ended what it writes.
func TestResetNatively(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the errors are those of Linux")
	}
	for _, before := range []string{"", "write", "end"} {
		for _, uses := range []string{"rrw", "rwr", "wrw", "wwr", "rrr"} {
			native := useNatively(t, before, uses)
			memory := useInMemory(t, before, uses)
			if fmt.Sprintf("%q", native) != fmt.Sprintf("%q", memory) {
				t.Errorf("%s %s: natively %q, in memory %q", before, uses, native, memory)
			}
		}
	}
}

func useNatively(t *testing.T, before, uses string) []string {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	must(err)
	defer c.Close()
	a, err := l.Accept()
	must(err)
	switch before {
	case "write":
		_, err := io.WriteString(a, "ab")
		must(err)
	case "end":
		must(a.(*net.TCPConn).CloseWrite())
	}
	time.Sleep(10 * time.Millisecond)
	must(a.(*net.TCPConn).SetLinger(0))
	must(a.Close())
	time.Sleep(10 * time.Millisecond)
	buf := make([]byte, 10)
	return use(uses, func() (string, error) {
		n, err := c.Read(buf)
		return string(buf[:n]), err
	}, func() error {
		_, err := c.Write([]byte("x"))
		return err
	})
}

func useInMemory(t *testing.T, before, uses string) (list []string) {
	plan := "reset::2" // after main's dial and Accept
	if before == "write" {
		plan = "reset::3"
	}
	c := exec.New(func() {
		s := open("stream")
		switch before {
		case "write":
			s.ends[1].Write([]byte("ab"))
		case "end":
			s.ends[1].CloseWrite()
		}
		list = use(uses, func() (string, error) {
			data, err := s.ends[0].Read(10)
			return string(data), err
		}, func() error {
			_, err := s.ends[0].Write([]byte("x"))
			return err
		})
	}, exec.Options{Net: exec.Net{Plan: plan}})
	defer c.Shutdown()
	r := c.Start()
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if _, err := r.Step(trace.Choice{G: ops[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range r.Outcome() {
		t.Fatal(f)
	}
	return list
}
