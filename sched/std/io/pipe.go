package io

import (
	"io"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Pipe returns the two ends of a pipe without a buffer: a Write waits until Reads have taken
// all of it.
func Pipe() (*PipeReader, *PipeWriter) {
	if hook.Active() {
		p := &pipe{}
		p.moved.L = &p.mu
		return &PipeReader{ctl: p}, &PipeWriter{ctl: p}
	}
	r, w := io.Pipe()
	return &PipeReader{real: r}, &PipeWriter{real: w}
}

// A PipeReader is the reading end of a pipe.
type PipeReader struct {
	real *io.PipeReader
	ctl  *pipe
	// It is as large as the original.
	_ [unsafe.Sizeof(io.PipeReader{}) - 2*unsafe.Sizeof(uintptr(0))]byte
}

// outside returns the reader that uncontrolled goroutines use in place of r.
func (r *PipeReader) outside() *io.PipeReader {
	if r.real != nil {
		return r.real
	}
	r.ctl.once.Do(r.ctl.open)
	return r.ctl.reader
}

// Read waits for data, or until the other end is closed.
func (r *PipeReader) Read(data []byte) (n int, err error) {
	if r.real == nil && hook.Active() {
		return r.ctl.read(data)
	}
	return r.outside().Read(data)
}

// Close closes the reader: Writes fail with ErrClosedPipe.
func (r *PipeReader) Close() error { return r.CloseWithError(nil) }

// CloseWithError closes the reader: Writes fail with err. It returns nil.
func (r *PipeReader) CloseWithError(err error) error {
	if r.real != nil || !hook.Active() {
		return r.outside().CloseWithError(err)
	}
	if err == nil {
		err = ErrClosedPipe
	}
	r.ctl.close(&r.ctl.readerGone, err)
	return nil
}

// A PipeWriter is the writing end of a pipe.
type PipeWriter struct {
	real *io.PipeWriter
	ctl  *pipe
	// It is as large as the original.
	_ [unsafe.Sizeof(io.PipeWriter{}) - 2*unsafe.Sizeof(uintptr(0))]byte
}

// outside returns the writer that uncontrolled goroutines use in place of w.
func (w *PipeWriter) outside() *io.PipeWriter {
	if w.real != nil {
		return w.real
	}
	w.ctl.once.Do(w.ctl.open)
	return w.ctl.writer
}

// Write waits until Reads have taken all data, or the other end is closed.
func (w *PipeWriter) Write(data []byte) (n int, err error) {
	if w.real == nil && hook.Active() {
		return w.ctl.write(data)
	}
	return w.outside().Write(data)
}

// Close closes the writer: Reads return no data and EOF.
func (w *PipeWriter) Close() error { return w.CloseWithError(nil) }

// CloseWithError closes the writer: Reads return no data and err, or EOF if err is nil. It
// returns nil.
func (w *PipeWriter) CloseWithError(err error) error {
	if w.real != nil || !hook.Active() {
		return w.outside().CloseWithError(err)
	}
	if err == nil {
		err = EOF
	}
	w.ctl.close(&w.ctl.writerGone, err)
	return nil
}

// pipe is a pipe under control. It is a monitor in which all its users wait.
type pipe struct {
	writing sched.Mutex // held by the goroutine that writes
	mu      sched.Mutex // protects the fields below
	moved   sched.Cond  // signals any change
	offered bool        // there is a Write
	data    []byte      // the unread part of that Write

	readerGone, writerGone error // the errors with which the ends were closed, nil before

	// This pipe is for uncontrolled goroutines, such as those of package net/http. Their use of
	// the pipe does not belong to the execution, as with channels.
	once   sync.Once
	reader *io.PipeReader
	writer *io.PipeWriter
}

func (p *pipe) open() { p.reader, p.writer = io.Pipe() }

func (p *pipe) closed() bool { return p.readerGone != nil || p.writerGone != nil }

func (p *pipe) close(end *error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *end == nil {
		*end = err
	}
	p.moved.Broadcast()
}

// why returns the error for the user of the end own: the one with which the other end was
// closed, unless own was closed itself.
func why(own, other error) error {
	if own == nil && other != nil {
		return other
	}
	return ErrClosedPipe
}

func (p *pipe) read(buf []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed() && !p.offered {
		p.moved.Wait()
	}
	if p.closed() {
		return 0, why(p.readerGone, p.writerGone)
	}
	n = copy(buf, p.data)
	p.data = p.data[n:]
	if len(p.data) == 0 {
		p.offered = false
		p.moved.Broadcast()
	}
	return n, nil
}

func (p *pipe) write(data []byte) (n int, err error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed() {
		return 0, why(p.writerGone, p.readerGone)
	}
	p.offered, p.data = true, data
	p.moved.Broadcast()
	for !p.closed() && p.offered {
		p.moved.Wait()
	}
	n = len(data) - len(p.data)
	if p.offered {
		err = why(p.writerGone, p.readerGone)
	}
	p.offered, p.data = false, nil
	return n, err
}
