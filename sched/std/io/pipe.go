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
		p := newPipe()
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
	r.ctl.reading.close(err)
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
	w.ctl.writing.close(err)
	return nil
}

// pipe is a pipe under control.
type pipe struct {
	one              sched.Mutex         // held by the goroutine that writes
	offers           *sched.Chan[[]byte] // what is left of a Write, for a Read
	takes            *sched.Chan[int]    // how much that Read has taken of it
	reading, writing end

	// This pipe is for uncontrolled goroutines, such as those of package net/http. Their use of
	// the pipe does not belong to the execution, as with channels.
	once   sync.Once
	reader *io.PipeReader
	writer *io.PipeWriter
}

func newPipe() *pipe {
	p := &pipe{offers: sched.NewChan[[]byte](0), takes: sched.NewChan[int](0), reading: newEnd("pipe's reader closed"), writing: newEnd("pipe's writer closed")}
	hook.Chans.Call(p.offers, "pipe")
	hook.Chans.Call(p.takes, "bytes taken from pipe")
	return p
}

func (p *pipe) open() { p.reader, p.writer = io.Pipe() }

// end is an end of a pipe.
type end struct {
	gone *sched.Chan[struct{}] // is closed with the end
	mu   sched.Mutex           // protects err
	err  error                 // the error with which the end was closed, nil before
}

func newEnd(name string) end {
	gone := sched.NewChan[struct{}](0)
	hook.Chans.Call(gone, name)
	hook.Chans.OnlyClosed(gone)
	return end{gone: gone}
}

// close closes the end with err, if it is not closed yet.
func (e *end) close(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
		e.gone.Close()
	}
}

func (e *end) closed() bool {
	return sched.Select(sched.RecvCase(e.gone, nil, nil), sched.Default) == 0
}

// failure returns the error of an operation at this end, nil if no end is closed: that with which
// the other end was closed, unless this end was closed itself.
func (e *end) failure(other *end) error {
	if e.closed() {
		return ErrClosedPipe
	} else if other.closed() {
		return other.err
	}
	return nil
}

func (p *pipe) read(buf []byte) (n int, err error) {
	if err := p.reading.failure(&p.writing); err != nil {
		return 0, err
	}
	var data []byte
	if sched.Select(sched.RecvCase(p.offers, &data, nil), sched.RecvCase(p.reading.gone, nil, nil), sched.RecvCase(p.writing.gone, nil, nil)) > 0 {
		return 0, p.reading.failure(&p.writing)
	}
	n = copy(buf, data)
	p.takes.Send(n)
	return n, nil
}

func (p *pipe) write(data []byte) (n int, err error) {
	if err := p.writing.failure(&p.reading); err != nil {
		return 0, err
	}
	p.one.Lock()
	defer p.one.Unlock()
	for {
		if sched.Select(sched.SendCase(p.offers, data), sched.RecvCase(p.reading.gone, nil, nil), sched.RecvCase(p.writing.gone, nil, nil)) > 0 {
			return n, p.writing.failure(&p.reading)
		}
		taken := p.takes.Recv()
		if n, data = n+taken, data[taken:]; len(data) == 0 {
			return n, nil
		}
	}
}
