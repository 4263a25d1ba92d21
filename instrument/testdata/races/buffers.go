package races

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// This file is about buffers that readers and writers are given.

// late keeps the buffers that it is given, and uses them under a lock.
type late struct {
	mu  sync.Mutex
	buf []byte
}

func (l *late) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return copy(p, "x"), nil
}

func (l *late) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// discard uses no buffer.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Read(p []byte) (int, error)  { return 0, io.EOF }

// inTwo runs f and g in two goroutines.
func inTwo(f, g func()) {
	done := make(chan int)
	go func() { f(); done <- 1 }()
	g()
	<-done
}

func QuietBufferUnderALock() {
	l, p := new(late), make([]byte, 4)
	var r io.Reader = l
	inTwo(func() { r.Read(p) }, func() { r.Read(p) })
}

func QuietBufferWrittenUnderALock() {
	l, p := new(late), make([]byte, 4)
	var w io.Writer = l
	inTwo(func() { w.Write(p) }, func() {
		l.mu.Lock()
		p[0] = 1
		l.mu.Unlock()
	})
}

func QuietBufferUnused() {
	p := make([]byte, 4)
	var w io.Writer = discard{}
	inTwo(func() { w.Write(p) }, func() { p[0] = 1 })
}

func QuietBufferUnusedByPromotion() {
	p := make([]byte, 4)
	w := struct{ io.ReadWriter }{discard{}}
	inTwo(func() { w.Write(p) }, func() { io.ReadFull(w, p) })
}

func RaceBufferOfACallee() {
	p := make([]byte, 4)
	var w io.Writer = new(late)
	inTwo(func() { w.Write(p) }, func() { p[0] = 1 })
}

func RaceBufferOfTheLibrary() {
	p := make([]byte, 4)
	var w io.Writer = new(bytes.Buffer)
	inTwo(func() { w.Write(p) }, func() { p[0] = 1 })
}

func none() *os.File { return nil }

func RaceBufferOfAFile() {
	p := make([]byte, 4)
	inTwo(func() { none().Write(p) }, func() { p[0] = 1 })
}

func RaceBufferOfAFileAsWriter() {
	p := make([]byte, 4)
	var w io.Writer = none()
	inTwo(func() { w.Write(p) }, func() { p[0] = 1 })
}

func RaceBufferOfAFileByPromotion() {
	p := make([]byte, 4)
	w := struct{ in struct{ io.Reader } }{}
	w.in.Reader = none()
	inTwo(func() { w.in.Read(p) }, func() { p[0] = 1 })
}

func RaceBufferOfAFileReadInFull() {
	p := make([]byte, 4)
	var r io.Reader = none()
	inTwo(func() { io.ReadFull(r, p) }, func() { p[0] = 1 })
}
