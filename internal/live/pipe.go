package live

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// These are functions of package native, as in live.go, for the pipes of package os. An end of
// a pipe that a controlled goroutine has made has a value that stands for it, nil for others.
var (
	// NewPipe returns what stands for the ends of a new pipe, nil if the caller is not controlled. File
	// is the descriptor, or handle, of the writer.
	NewPipe func(file uintptr) (reader, writer unsafe.Pointer)
	// ReadPipe waits until a Read of n bytes would not, and returns how many it is to read.
	ReadPipe func(end unsafe.Pointer, n int) int
	// CopyPipe says that the caller is about to copy everything to w, an io.Writer.
	CopyPipe func(end unsafe.Pointer, w any)
	// WritePipe and ClosePipe say that the caller is about to write n bytes, or to close the end, and
	// what they return that it has done so.
	WritePipe func(end unsafe.Pointer, n int) (done func())
	ClosePipe func(end unsafe.Pointer) (done func())
	// FreePipe says that the pipe is used in a way that is not followed.
	FreePipe func(end unsafe.Pointer, what string)
)

// Pipe returns what stands for the ends of a new pipe of the caller's.
func Pipe(file uintptr) (reader, writer unsafe.Pointer) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return nil, nil
	}
	return NewPipe(file)
}

// mostOpen is how many files executions may leave open before these are collected.
const mostOpen = 500

var open atomic.Int32

// Opens counts a file that is about to be opened (1) or closed (-1) while there are controlled
// goroutines. What an execution has left open is closed when it is collected, and thousands of
// executions together would come to the limit that the system sets, where a program by itself is far from it.
func Opens(n int32) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return
	}
	switch now := open.Add(n); {
	case now < 0: // it was opened before
		open.Store(0)
	case now > mostOpen:
		open.Store(0)
		runtime.GC()
	}
}
