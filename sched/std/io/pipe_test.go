package io_test

import (
	"bufio"
	"errors"
	"fmt"
	original "io"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/io"
)

type reader interface {
	io.ReadCloser
	CloseWithError(error) error
}

type writer interface {
	io.WriteCloser
	CloseWithError(error) error
}

// world is a package io with a way to start goroutines and wait for them.
type world struct {
	pipe func() (reader, writer)
	run  func(f func()) (wait func())
}

func twinPipe() (reader, writer)     { return io.Pipe() }
func originalPipe() (reader, writer) { return original.Pipe() }

func natively(f func()) func() {
	done := make(chan bool)
	go func() { defer close(done); f() }()
	return func() { <-done }
}

func controlled(f func()) func() { return sched.Go(f).Join }

// scenarios have one result each, however their goroutines interleave.
var scenarios = map[string]func(world) string{
	"copy": func(w world) string {
		r, pw := w.pipe()
		wait := w.run(func() {
			n, err := io.Copy(pw, strings.NewReader("one two\nthree"))
			pw.Close()
			if n != 13 || err != nil {
				panic(err)
			}
		})
		text := ""
		for s := bufio.NewScanner(r); s.Scan(); {
			text += s.Text() + ";"
		}
		wait()
		return text
	},
	"parts": func(w world) string {
		r, pw := w.pipe()
		var n, none int
		var err error
		wait := w.run(func() {
			n, err = pw.Write([]byte("abcde"))
			none, _ = pw.Write(nil)
		})
		buf := make([]byte, 3)
		text := ""
		for range 3 {
			k, err := r.Read(buf)
			text += fmt.Sprint(string(buf[:k]), err, ";")
		}
		wait()
		return text + fmt.Sprint(n, err, none)
	},
	"closed reader": func(w world) string {
		r, pw := w.pipe()
		var n int
		var err error
		wait := w.run(func() { n, err = pw.Write([]byte("abcde")) })
		r.Read(make([]byte, 2))
		r.CloseWithError(errors.New("mine"))
		r.CloseWithError(errors.New("too late"))
		wait()
		_, again := pw.Write(nil)
		_, own := r.Read(nil)
		return fmt.Sprint(n, err, again, own)
	},
	"closed writer": func(w world) string {
		r, pw := w.pipe()
		wait := w.run(func() { pw.CloseWithError(errors.New("mine")) })
		_, err := r.Read(nil)
		wait()
		_, own := pw.Write([]byte("x"))
		return fmt.Sprint(err, own, pw.Close(), r.Close())
	},
	"plain close": func(w world) string {
		r, pw := w.pipe()
		_, pw2 := w.pipe()
		r.Close()
		_, err := pw.Write(nil)
		pw2.Close()
		_, err2 := pw2.Write(nil)
		r, pw = w.pipe()
		pw.Close()
		_, err3 := r.Read(nil)
		return fmt.Sprint(err == io.ErrClosedPipe, err2 == io.ErrClosedPipe, err3 == io.EOF)
	},
	"two writers": func(w world) string {
		r, pw := w.pipe()
		a := w.run(func() { pw.Write([]byte("xx")) })
		b := w.run(func() { pw.Write([]byte("xx")) })
		data := make([]byte, 4)
		n, err := io.ReadFull(r, data)
		a()
		b()
		return fmt.Sprint(n, err, string(data))
	},
}

func TestLikeOriginal(t *testing.T) {
	for name, f := range scenarios {
		want := f(world{originalPipe, natively})
		if got := f(world{twinPipe, natively}); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got := stdtest.Alone(t, func() string { return f(world{twinPipe, controlled}) }); got != want {
			t.Errorf("%s under control: got %q, want %q", name, got, want)
		}
	}
}

// TestRaces has outcomes that depend on the order.
func TestRaces(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		r, w := io.Pipe()
		h := sched.Go(func() { r.Close() })
		k := sched.Go(func() { r.Read(make([]byte, 1)) })
		n, err := w.Write([]byte("ab"))
		h.Join()
		k.Join()
		return fmt.Sprint(n, err)
	})
	if want := "0 io: read/write on closed pipe | 1 io: read/write on closed pipe"; found.Outcomes != want || found.Failures != "" {
		t.Errorf("%+v", found)
	}
}

// TestTraces: a Read and a Write meet in one way, whichever of them comes first.
func TestTraces(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		r, w := io.Pipe()
		h := sched.Go(func() {
			for range 5 {
				w.Write([]byte("ab"))
			}
		})
		data := make([]byte, 10)
		n, err := io.ReadFull(r, data)
		h.Join()
		return fmt.Sprint(n, err, string(data))
	})
	if found.Outcomes != "10 <nil>ababababab" || found.Failures != "" || found.Traces != 1 {
		t.Errorf("%+v", found)
	}
}

func TestDeadlock(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		_, w := io.Pipe()
		w.Write([]byte("x"))
		return ""
	})
	if found.Failures != "deadlock: all goroutines wait" {
		t.Errorf("%+v", found)
	}
}
