package native

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// This file controls which goroutines wait at a pipe of package os. The written data goes
// through the pipe itself. The execution sends a message on a channel for each Write, just
// before it. A Read waits for the message, and reads no more than that Write has written.
//
// It is not explored that a Read may return the data of several Writes, and that a pipe may be
// full. The first is noted unless the caller joins the parts, the second if there is more data
// than an empty pipe has room for.

// pipe is a pipe of package os in an execution.
type pipe struct {
	// The number of bytes of each Write. 0 wakes all readers, and atEnd says that no more
	// follow.
	written *sched.Chan[int]
	closing sched.RWMutex // closing of the reader, against its users
	reading sched.Mutex   // held by the goroutine that reads and uses left
	left    int           // bytes of a Write that are still to be read
	total   atomic.Int64  // bytes that were written
	file    uintptr       // descriptor, or handle, of the writer
	freed   atomic.Bool   // the pipe is not tracked any more
}

// pipeEnd is the value that stands for an end of a pipe of package os.
type pipeEnd struct {
	*pipe
	writes bool
}

// roomOfPipe is the number of bytes for which an empty pipe has room.
const roomOfPipe = 64 << 10

func (execution) Pipe(file uintptr) (reader, writer unsafe.Pointer) {
	// A pipe of os/exec leads to another process.
	if !hook.Active() || hook.Unwinding() || strings.HasPrefix(beyond().Function, "os/exec.") {
		return nil, nil
	}
	p := &pipe{written: sched.NewChan[int](roomOfPipe), file: file}
	return unsafe.Pointer(&pipeEnd{p, false}), unsafe.Pointer(&pipeEnd{p, true})
}

// follows returns the end at p if the caller's use of it is under control, or nil.
func follows(p unsafe.Pointer) *pipeEnd {
	e := (*pipeEnd)(p)
	switch {
	case e.freed.Load() || hook.Unwinding():
		return nil
	case !hook.Active():
		e.freed.Store(true)
		return nil
	}
	return e
}

// atEnd is the message of a closed writer. The channel stays open, since a goroutine that
// writes meanwhile does nothing wrong.
const atEnd = -1

// tell sends a message. Package os itself reports the use of a closed writer.
func (p *pipe) tell(n int) { p.written.Send(n) }

// next waits for a message and returns its number of bytes. A message that wakes one reader
// wakes all, since no more data will come.
func (p *pipe) next() int {
	n := p.written.Recv()
	if n <= 0 {
		p.tell(n)
	}
	return max(n, 0)
}

func (execution) ReadPipe(end unsafe.Pointer, n int) int {
	e := follows(end)
	if e == nil || e.writes || n == 0 {
		return n
	}
	e.reading.Lock()
	if e.left == 0 {
		e.left = e.next()
	}
	if e.left > 0 {
		if n > e.left && !joins() {
			e.join(n)
		}
		n = min(n, e.left)
		e.left -= n
	}
	e.reading.Unlock()
	e.closing.RLock()
	e.closing.RUnlock()
	return n
}

// CopyPipe is for a copy that package io makes to w. The writer w may see the parts.
func (execution) CopyPipe(end unsafe.Pointer, w any) {
	if follows(end) == nil {
		return
	}
	switch w.(type) {
	case *bytes.Buffer, *strings.Builder, *bufio.Writer, *os.File:
		return
	}
	if w != io.Discard && !hook.ExploresPipes() {
		sched.Assume(sched.AssumeModel, severalWrites)
	}
}

// join lets a Read of n bytes return the data of several Writes, where that is explored.
func (p *pipe) join(n int) {
	if !hook.ExploresPipes() {
		sched.Assume(sched.AssumeModel, severalWrites)
		return
	}
	for more := 1; more > 0 && p.left < n && p.written.Len() > 0 && sched.Choose(2) == 1; {
		more = p.next()
		p.left += more
	}
}

const severalWrites = "a Read of a pipe, which may give what several Writes have written"

func (execution) WritePipe(end unsafe.Pointer, n int) (done func()) {
	e := follows(end)
	if e == nil || !e.writes || n == 0 {
		return func() {}
	}
	if total := e.total.Add(int64(n)); total > roomOfPipe {
		sched.Assume(sched.AssumeModel, hook.FullPipe)
		widen(e.file)
	}
	e.closing.RLock()
	e.tell(n)
	return func() {
		if !hook.Unwinding() {
			e.closing.RUnlock()
		}
	}
}

func (execution) ClosePipe(end unsafe.Pointer) (done func()) {
	done = func() {}
	e := follows(end)
	switch {
	case e == nil:
	case e.writes:
		e.tell(atEnd)
	default:
		e.closing.Lock()
		e.closing.Unlock()
		done = func() {
			if follows(end) != nil {
				e.tell(0) // wakes a goroutine that waits in a Read
			}
		}
	}
	return done
}

func (execution) FreePipe(end unsafe.Pointer, what string) {
	e := follows(end)
	if e == nil {
		return
	}
	sched.Assume(sched.AssumeCode, "a pipe of which there is "+what)
	e.freed.Store(true)
	e.tell(0)
}

// joins reports whether the function of the standard library that reads a file joins the parts
// that it gets.
func joins() bool {
	switch beyond().Function {
	case "io.copyBuffer": // see CopyPipe
		return !hook.ExploresPipes()
	case "io.ReadAll", "io.ReadAtLeast", "bytes.(*Buffer).ReadFrom", "bufio.(*Scanner).Scan", "bufio.(*Reader).fill",
		"io.discard.ReadFrom":
		return true
	}
	return false
}

// beyond returns the frame of the caller of package os.
func beyond() (f runtime.Frame) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; {
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "os.") && !strings.HasPrefix(f.Function, "github.com/gopor/gopor/") {
			break
		}
	}
	return f
}
