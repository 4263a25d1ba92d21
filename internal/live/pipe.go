package live

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// The variables of this block are functions of package native, like those in hooks.go, for the
// pipes of package os. An end of a pipe has a value that stands for it if a controlled
// goroutine has made the pipe, else nil.
var (
	// NewPipe returns the values for the ends of a new pipe, or nil if the caller is not
	// controlled. File is the descriptor, or handle, of the writer.
	NewPipe func(file uintptr) (reader, writer unsafe.Pointer)
	// ReadPipe waits until a Read of n bytes would not wait, and returns how many bytes it has
	// to read.
	ReadPipe func(end unsafe.Pointer, n int) int
	// CopyPipe announces that the caller is about to copy everything to w, an io.Writer.
	CopyPipe func(end unsafe.Pointer, w any)
	// WritePipe and ClosePipe announce that the caller is about to write n bytes, or to close
	// the end. The returned functions say that it has.
	WritePipe func(end unsafe.Pointer, n int) (done func())
	ClosePipe func(end unsafe.Pointer) (done func())
	// FreePipe announces a use of the pipe that is not tracked.
	FreePipe func(end unsafe.Pointer, what string)
)

// Pipe returns the values for the ends of a new pipe of the caller.
func Pipe(file uintptr) (reader, writer unsafe.Pointer) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return nil, nil
	}
	return NewPipe(file)
}

// mostOpen is the number of files that executions may leave open before a garbage collection.
const mostOpen = 500

var open atomic.Int32

// Opens counts a file that is about to be opened (1) or closed (-1) while there are controlled
// goroutines. A file that an execution has left open is closed when it is collected. Thousands
// of executions together would reach the system's limit, while a program by itself is far from
// it.
func Opens(n int32) {
	if atomic.LoadInt32(&Goroutines) == 0 {
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
