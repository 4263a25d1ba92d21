package live

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// pipes is what an Execution is told of the pipes of package os. An end of a pipe has a value that
// stands for it if a controlled goroutine has made the pipe, else nil. Any goroutine may call the
// methods for such a pipe.
type pipes interface {
	// Pipe returns the values for the ends of a new pipe, or nil if the caller is not controlled.
	// File is the descriptor, or handle, of the writer. Any goroutine may call it.
	Pipe(file uintptr) (reader, writer unsafe.Pointer)
	// ReadPipe waits until a Read of n bytes would not wait, and returns how many bytes it has
	// to read.
	ReadPipe(end unsafe.Pointer, n int) int
	// CopyPipe announces that the caller is about to copy everything to w, an io.Writer.
	CopyPipe(end unsafe.Pointer, w any)
	// WritePipe and ClosePipe announce that the caller is about to write n bytes, or to close
	// the end. The returned functions say that it has.
	WritePipe(end unsafe.Pointer, n int) (done func())
	ClosePipe(end unsafe.Pointer) (done func())
	// FreePipe announces a use of the pipe that is not tracked.
	FreePipe(end unsafe.Pointer, what string)
}

func Pipe(file uintptr) (reader, writer unsafe.Pointer) {
	if !On() {
		return nil, nil
	}
	return Caller.Pipe(file)
}

// mostOpen is the number of files that executions may leave open before a garbage collection.
const mostOpen = 500

var open atomic.Int32

// Opens counts a file that is about to be opened (1) or closed (-1) while there are controlled
// goroutines. A file that an execution has left open is closed when it is collected. Thousands
// of executions together would reach the system's limit, while a program by itself is far from
// it.
func Opens(n int32) {
	if !On() {
		return
	}
	switch now := open.Add(n); {
	case now < 0: // it was opened before there were controlled goroutines
		open.Store(0)
	case now > mostOpen:
		open.Store(0)
		runtime.GC()
	}
}
