package live

import (
	"sync/atomic"
	"unsafe"
)

// The variables of this file are functions of packages hook and native, which set them when
// the program begins. They are for code that those import themselves, such as that of the
// standard library. It calls them when there are controlled goroutines.
var (
	// Read and Write say that the caller is about to read or write the size bytes at p, or
	// has just done so.
	Read, Write func(p unsafe.Pointer, size uintptr)
	// Inserts says that the caller is about to set the entry of k in the map at m.
	Inserts func(m unsafe.Pointer, k any)
	// Ranges reports whether a loop over the map at m is under way in the execution of the caller. Then Makes
	// says that the caller is about to make the entry of k there, and MakesSome that the caller may be about to
	// make an entry of which it does not tell the key.
	Ranges    func(m unsafe.Pointer) bool
	Makes     func(m unsafe.Pointer, k any)
	MakesSome func(m unsafe.Pointer)
	// Fixes says that the caller begins a loop over a map of several keys, of which the order is the same in every
	// execution. It is set where packages of instrumented programs are.
	Fixes func()
	// Acquire and Release say that the caller synchronises by what is at p: with all that
	// have released it, and with all that will acquire it. Acquire reports whether it orders the caller
	// after somebody with whom nothing else has.
	Acquire func(p unsafe.Pointer) bool
	Release func(p unsafe.Pointer)
	// Ordered says that a lock inside the standard library has done that.
	Ordered func()
	// Hold says that the caller, which is controlled, has taken a lock inside the standard
	// library (1), or has released it (-1).
	Hold func(n int)
	// Locks reports whether the locks inside the standard library are operations in the execution of the caller. Then
	// Lock takes the one at p, given the function that tries to take the lock itself, and reports whether it has; Unlock
	// releases it, given the function that does so, and the call that has taken it.
	Locks  func() bool
	Lock   func(call LockCall, p unsafe.Pointer, try func() bool) bool
	Unlock func(call LockCall, p unsafe.Pointer, unlock func())
	// Touch says that the caller, which is controlled, is about to look at what the standard library keeps at p, or to
	// change it.
	Touch func(p unsafe.Pointer, changes bool)
	// TouchFile is Touch for a file of the file system, and what gets, or loses, another name.
	TouchFile func(name string, how FileUse, other string)
	// WithinFile says that what the caller does with files is a part of what it has said last, until the function is called
	// that it returns.
	WithinFile func() (done func())
	// SetFileTime says that the caller changes the file that is open as fd, and MakeFile that it is about to give a name to one, or to
	// take it away, to make it or to truncate it, and has done so when the function is called that it returns; ForgetFileTime that it
	// sets the time of a file itself. FileTimeOf returns the time at which an execution has done so, in seconds and nanoseconds since 1970.
	SetFileTime    func(fd uintptr)
	MakeFile       func(name string, truncates, makes bool) (done func())
	ForgetFileTime func(name string)
	FileTimeOf     func(dev, ino uint64) (sec, nsec int64, ok bool)
	// Aside calls a function on a goroutine that is not controlled, and keeps what it does from executions.
	Aside func(f func())
	// Controlled reports whether the caller is controlled, and Yield lets others go on
	// before it does: it is for one that waits for them.
	Controlled func() bool
	Yield      func()
	// Signal sends a signal, an os.Signal, to a process for the caller, which is controlled, if that is this one, and
	// reports whether it does.
	Signal func(pid int, signal any) bool
	// Print is given the n bytes at p that the caller is about to write to a file of
	// package os, known by its address. It reports whether they have gone to an execution.
	Print func(file, p unsafe.Pointer, n int) bool
	// Now returns the time of the caller's execution, in seconds and nanoseconds since 1970, and whether it is in one.
	// Looks says that the caller looks at it, and does not only write it down.
	Now func(looks bool) (sec, nsec int64, ok bool)
	// Expires is context.WithDeadline in the execution of the caller, which is controlled, with a date in seconds and nanoseconds
	// since 1970. It is set where packages of instrumented programs are.
	Expires func(ctx any, sec, nsec int64) (derived any, cancel func())
	// MakeSeed returns a seed for hashes of the caller's, and whether it is in an execution.
	MakeSeed func() (x uint64, ok bool)
	// InTest returns what stands for a test of package testing, known by its address, in the
	// execution that the caller is in; nil if nothing does.
	InTest func(test unsafe.Pointer) any
)

// Ranged is how many maps there are for which Ranges may be true, of all executions.
var Ranged int32

// A LockCall is a method by which a lock is taken.
type LockCall int

const (
	MutexLock LockCall = iota
	MutexTryLock
	RWMutexLock
	RWMutexTryLock
	RWMutexRLock
	RWMutexTryRLock
)

// Diverts reports whether what the caller is about to write to a file of package os has gone
// to the execution that it is in.
func Diverts(file unsafe.Pointer, text []byte) bool {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return false
	}
	return Print(file, hide(unsafe.Pointer(unsafe.SliceData(text))), len(text))
}

// Time returns what time.Now is to return in the place of the real time, in seconds and nanoseconds since 1970,
// and whether there is anything. Looks says that the caller looks at it.
func Time(looks bool) (sec, nsec int64, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return 0, 0, false
	}
	return Now(looks)
}

// Environment stands for the variables of the environment, and Folder for the directory that the process is in.
var Environment, Folder int64

// Looks is Touch for a caller that changes nothing, and Changes for one that does. They may be goroutines that are not controlled.
func Looks[T any](p *T) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		Touch(hide(unsafe.Pointer(p)), false)
	}
}

func Changes[T any](p *T) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		Touch(hide(unsafe.Pointer(p)), true)
	}
}

// Consults and Replaces are Looks and Changes where the library has a lock for that, an RWMutex. It is not seen itself, and
// orders the callers: a Replaces comes after all that were before it, a Consults after each Replaces that was.
func Consults[T any](p *T) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		changed, looked := places(p)
		Touch(changed, false)
		Acquire(changed)
		Release(looked)
	}
}

func Replaces[T any](p *T) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		changed, looked := places(p)
		Touch(changed, true)
		Acquire(changed)
		Acquire(looked)
		Release(changed)
	}
}

// places returns what stands for the goroutines that have held the lock of p for writing, and for reading.
func places[T any](p *T) (written, read unsafe.Pointer) {
	written = hide(unsafe.Pointer(p))
	return written, unsafe.Add(written, 1)
}

// FileUse says what is done with a file: it is looked at, and what else.
type FileUse int

const (
	FileChanges FileUse = 1 << iota // what is in it
	FileEntry                       // whether it is there
	FileList                        // it is a folder, of which the list is looked at
	FileReads                       // what is in it is read
	FileWrites                      // what is in it is written
)

// File is TouchFile for a caller that may not be controlled.
func File(name string, how FileUse) {
	if how&FileEntry != 0 {
		Changed(name)
	}
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		TouchFile(name, how, "")
	}
}

// Named is File for one who gives a file another name, or a name to another file: both are there, or not, afterwards.
func Named(name string, how FileUse, other string) {
	if how&FileEntry != 0 {
		Changed(name)
	}
	Changed(other)
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		TouchFile(name, how, other)
	}
}

// Within says that the caller, which may not be controlled, does a part of what it has said last, until the function is called that
// it returns.
func Within() (done func()) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		return WithinFile()
	}
	return func() {}
}

// FileChanged, Entry, Timed and FileTime are SetFileTime, MakeFile, ForgetFileTime and FileTimeOf for a caller that may not be controlled.
func FileChanged(fd uintptr) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		SetFileTime(fd)
	}
}

func Entry(name string, truncates, makes bool) (done func()) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		return MakeFile(name, truncates, makes)
	}
	return func() {}
}

// Opening is Entry for one who opens a file.
func Opening(name string, truncates, makes bool) (done func()) {
	if truncates || makes {
		return Entry(name, truncates, makes)
	}
	return func() {}
}

func Timed(name string) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		ForgetFileTime(name)
	}
}

func FileTime(dev, ino uint64) (sec, nsec int64, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 || !Controlled() {
		return 0, 0, false
	}
	return FileTimeOf(dev, ino)
}

// Altered is File for one who changes a file that he does not open.
func Altered(name string) {
	Changed(name)
	File(name, FileChanges)
}

// Opened is File for one who opens a file, to change it or to make it.
func Opened(name string, changes, makes bool) {
	how := FileUse(0)
	if changes {
		how |= FileChanges
	}
	if makes {
		how |= FileChanges | FileEntry
	}
	File(name, how)
}

// Signals is Signal for a caller that may not be controlled.
func Signals(pid int, signal any) bool {
	return atomic.LoadInt32(&Goroutines) != 0 && Controlled() && Signal(pid, signal)
}

// Test returns what stands for a test in the execution that the caller is in, nil if
// nothing does: then the test is meant.
func Test(test unsafe.Pointer) any {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return nil
	}
	return InTest(test)
}

// Detached calls f on a goroutine that is not controlled, and waits for it, if the caller is
// controlled, and reports whether it is. What f does is no part of the execution then.
func Detached(f func()) bool {
	if atomic.LoadInt32(&Goroutines) == 0 || !Controlled() {
		return false
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Aside(f)
	}()
	<-done
	return true
}

// HashSeed returns the seed that package hash/maphash is to use in the place of one of its own, and whether there is any.
func HashSeed() (x uint64, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return 0, false
	}
	return MakeSeed()
}

// Drawn returns what the runtime is to use where it has drawn x for the order of a map: the
// same in every execution.
func Drawn(x uint64) uint64 {
	if atomic.LoadInt32(&Goroutines) != 0 {
		return 0
	}
	return x
}

// Ranging is Drawn for a loop over a map of n keys that begins.
func Ranging(x, n uint64) uint64 {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return x
	}
	if n > 1 && Fixes != nil {
		Fixes()
	}
	return 0
}

// hide returns p, without the compiler knowing it: Print does not keep what it is given.
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
