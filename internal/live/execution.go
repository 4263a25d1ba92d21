package live

import (
	"sync/atomic"
	"unsafe"
)

// An Execution has what the standard library, and other code that package native imports, asks of
// the execution of its caller. The callers of its methods are controlled goroutines, unless a
// comment says otherwise. A function of this package with the name of a method is for callers that
// need not be controlled.
type Execution interface {
	// Controlled reports whether the caller is controlled. Any goroutine may call it.
	Controlled() bool
	// Yield lets other goroutines run before a caller that waits for them.
	Yield()
	// Aside calls a function on an uncontrolled goroutine, and hides its effects from
	// executions. That goroutine calls it.
	Aside(f func())

	memory
	locks
	files
	pipes
	network

	// Signals sends a signal, an os.Signal. It reports whether it has: only if pid is this
	// process.
	Signals(pid int, signal any) bool
	// Diverts receives the n bytes at p that the caller is about to write to a file of package
	// os, known by its address. It reports whether they have gone to an execution. Any goroutine
	// may call it.
	Diverts(file, p unsafe.Pointer, n int) bool
	// Time returns the time of the execution, in seconds and nanoseconds since 1970, and whether
	// the caller is in one. Looks says that the caller reads the time, and does not only write it
	// down. Any goroutine may call it.
	Time(looks bool) (sec, nsec int64, ok bool)
	// HashSeed returns a seed for hashes of the caller, and whether the caller is in an
	// execution. Any goroutine may call it.
	HashSeed() (x uint64, ok bool)
	// Test returns the substitute of a test of package testing, known by its address, or nil.
	// Any goroutine may call it.
	Test(test unsafe.Pointer) any
}

// memory is what an Execution is told of memory.
type memory interface {
	// Read and Write announce that the caller is about to read or write the size bytes at p, or
	// has just done so. Any goroutine may call them, and the other methods of memory.
	Read(p unsafe.Pointer, size uintptr)
	Write(p unsafe.Pointer, size uintptr)
	// Inserts announces that the caller is about to set the entry of k in the map at m.
	Inserts(m unsafe.Pointer, k any)
	// Ranges reports whether a loop over the map at m is active in the execution. Then Makes
	// announces that the caller is about to make the entry of k there, and MakesSome that it may
	// be about to make an entry with an unknown key.
	Ranges(m unsafe.Pointer) bool
	Makes(m unsafe.Pointer, k any)
	MakesSome(m unsafe.Pointer)
	// Fixes announces that the caller begins a loop over a map of several keys, in an order that
	// is the same in every execution.
	Fixes()
	// Touch announces that the caller is about to read, or change, what the standard library
	// keeps at p.
	Touch(p unsafe.Pointer, changes bool)
}

// locks is what an Execution is told of the locks and pools inside the standard library.
type locks interface {
	// Acquire and Release announce that the caller synchronises by the object at p: with all
	// goroutines that have released it, and with all that will acquire it. Acquire reports
	// whether only that orders the caller after another goroutine.
	Acquire(p unsafe.Pointer) bool
	Release(p unsafe.Pointer)
	// Ordered notes that a lock has ordered goroutines that way.
	Ordered()
	// Hold announces that the caller has taken a lock (1), or has released it (-1).
	Hold(n int)
	// Reserve puts a value into the caller's part of a pool, and Reserved takes out the latest one,
	// nil if there is none.
	Reserve(pool unsafe.Pointer, value any)
	Reserved(pool unsafe.Pointer) any
	// Locks reports whether the locks are operations in the execution. Then Lock takes the one
	// at p by try, which takes the original lock, and reports whether it has. Unlock releases it
	// by unlock, which releases the original lock; call is the call that has taken it. Any
	// goroutine may call Locks.
	Locks() bool
	Lock(call LockCall, p unsafe.Pointer, try func() bool) bool
	Unlock(call LockCall, p unsafe.Pointer, unlock func())
}

// files is what an Execution is told of files.
type files interface {
	// TouchFile is Touch for a file, and for another name that it gets or loses.
	TouchFile(name string, how FileUse, other string)
	// FileDone says what has come of the caller's latest use of a file: how many bytes it has
	// moved, and its error.
	FileDone(moved int64, err error)
	// Within makes the caller's use of files part of the latest one that it has announced, until
	// the returned function is called.
	Within() (done func())
	// FileChanged announces that the caller changes the open file fd. Entry announces that the
	// caller is about to add or remove the name of a file, to make it or to truncate it; the
	// returned function says that it has. FileMade announces that a file was made for the
	// caller. Timed announces that the caller sets the time of a file itself. FileTime returns
	// the time at which the execution has changed a file, in seconds and nanoseconds since 1970.
	FileChanged(fd uintptr)
	Entry(name string, truncates, makes bool) (done func())
	FileMade(name string)
	Timed(name string)
	FileTime(dev, ino uint64) (sec, nsec int64, ok bool)
	// Save announces that the caller is about to change a file, so that it can be put back after
	// the execution. Temp returns the part of the name of a new temporary file that package os
	// draws, and whether it has drawn one.
	Save(name string, how FileSave)
	Temp() (part string, ok bool)
	fileFaults
}

// fileFaults is what an Execution is told of files for faults of these, before anything else.
type fileFaults interface {
	// FileWrites announces a write of n bytes to the open file fd, n being negative for an
	// unknown number. At is where it begins, -1 for the position of fd. It returns an error with
	// which the write fails, after a part of the bytes.
	FileWrites(name string, fd uintptr, at int64, n int) (part int, err error)
	// FileMakes announces that the caller is about to make a file or a folder, unless it is there.
	// It returns an error with which that fails. FileAlters is for other changes of names, and of
	// the size.
	FileMakes(name string) error
	FileAlters(name string)
	// FileSyncs announces a Sync of the open file fd. It reports whether that is done, and the
	// error with which it fails.
	FileSyncs(name string, fd uintptr) (done bool, err error)
	// FileNotes is called right before a write to the open file fd, or before a change of the size
	// of a file. At is where the write begins, -1 for the position of fd, or the new size. Size is
	// the length of the write, negative for an unknown one. FileSizes is for a change of the size
	// of an open file, or of a file of that name if fd is ^0.
	FileNotes(name string, fd uintptr, at int64, size int)
	FileSizes(name string, fd uintptr, size int64)
	// FileOpened announces that the caller has opened fd.
	FileOpened(fd uintptr)
}

// Caller is the execution of the calling goroutine. Package native sets it when the program
// begins. It is nil in programs without that package.
var Caller Execution

// On reports whether there are controlled goroutines. It costs a nanosecond.
func On() bool { return atomic.LoadInt32(&Goroutines) != 0 }

// In reports whether the calling goroutine is controlled.
func In() bool { return On() && Caller.Controlled() }

// Ranged is the number of maps, in all executions, for which Ranges may return true.
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

// Diverts is the method for a text, which has gone to the execution if it returns true.
func Diverts(file unsafe.Pointer, text []byte) bool {
	if !On() {
		return false
	}
	return Caller.Diverts(file, hide(unsafe.Pointer(unsafe.SliceData(text))), len(text))
}

// Time returns the time that time.Now has to return. It returns false for the real time.
func Time(looks bool) (sec, nsec int64, ok bool) {
	if !On() {
		return 0, 0, false
	}
	return Caller.Time(looks)
}

// Environment stands for the environment variables, and Folder for the working directory of the
// process.
var Environment, Folder int64

// Looks is Touch for a caller that changes nothing, and Changes for one that does.
func Looks[T any](p *T) {
	if In() {
		Caller.Touch(hide(unsafe.Pointer(p)), false)
	}
}

func Changes[T any](p *T) {
	if In() {
		Caller.Touch(hide(unsafe.Pointer(p)), true)
	}
}

// Consults and Replaces are Looks and Changes where the library uses an RWMutex for the object.
// That lock is not seen itself, but orders the callers. A Replaces comes after all earlier
// calls, and a Consults after each earlier Replaces.
func Consults[T any](p *T) {
	if In() {
		changed, looked := places(p)
		Caller.Touch(changed, false)
		Caller.Acquire(changed)
		Caller.Release(looked)
	}
}

func Replaces[T any](p *T) {
	if In() {
		changed, looked := places(p)
		Caller.Touch(changed, true)
		Caller.Acquire(changed)
		Caller.Acquire(looked)
		Caller.Release(changed)
	}
}

// places returns the addresses that stand for the writers and the readers under the lock of p.
func places[T any](p *T) (written, read unsafe.Pointer) {
	written = hide(unsafe.Pointer(p))
	return written, unsafe.Add(written, 1)
}

// FileUse says how a file is used, besides being looked at.
type FileUse int

const (
	FileChanges FileUse = 1 << iota // its content changes
	FileEntry                       // its existence changes
	FileList                        // it is a folder, and its list is read
	FileReads                       // its content is read
	FileWrites                      // its content is written

	// The rest is for reports.
	FileMakes     // it is made, if it is not there
	FileExcludes  // it must not be there
	FileTruncates // it becomes empty
	FileAppends   // all is written at its end
)

// File is TouchFile for a file without another name.
func File(name string, how FileUse) {
	if how&FileEntry != 0 {
		Changed(name)
	}
	if In() {
		Caller.TouchFile(name, how, "")
	}
}

// Named is File for a caller that renames a file, or gives a file a second name: the existence
// of both names changes.
func Named(name string, how FileUse, other string) {
	if how&FileEntry != 0 {
		Changed(name)
	}
	Changed(other)
	if In() {
		Caller.TouchFile(name, how, other)
	}
}

func Within() (done func()) {
	if In() {
		return Caller.Within()
	}
	return func() {}
}

func FileChanged(fd uintptr) {
	if In() {
		Caller.FileChanged(fd)
	}
}

func Entry(name string, truncates, makes bool) (done func()) {
	if In() {
		return Caller.Entry(name, truncates, makes)
	}
	return func() {}
}

// Opening is Entry for a caller that opens a file.
func Opening(name string, truncates, makes bool) (done func()) {
	if truncates || makes {
		return Entry(name, truncates, makes)
	}
	return func() {}
}

func Timed(name string) {
	if In() {
		Caller.Timed(name)
	}
}

func FileTime(dev, ino uint64) (sec, nsec int64, ok bool) {
	if !In() {
		return 0, 0, false
	}
	return Caller.FileTime(dev, ino)
}

// FileSave says what a caller is about to do with a file, by its name.
type FileSave int

const (
	SaveName    FileSave = 1 << iota // the name appears, disappears, or gets another file
	SaveContent                      // what the name leads to is changed
	SaveTree                         // the name and all below it disappear
	SaveOpened                       // with SaveContent: the file is open
	SaveLink                         // with SaveName: the name gets a symbolic link
)

func Save(name string, how FileSave) {
	if In() {
		Caller.Save(name, how)
	}
}

func Writes(name string, fd uintptr, at int64, n int) (part int, err error) {
	if !In() {
		return n, nil
	}
	return Caller.FileWrites(name, fd, at, n)
}

func Makes(name string) error {
	if !In() {
		return nil
	}
	return Caller.FileMakes(name)
}

func Alters(name string) {
	if In() {
		Caller.FileAlters(name)
	}
}

func Syncs(name string, fd uintptr) (done bool, err error) {
	if !In() {
		return false, nil
	}
	return Caller.FileSyncs(name, fd)
}

func Notes(name string, fd uintptr, at int64, size int) {
	if In() {
		Caller.FileNotes(name, fd, at, size)
	}
}

func Sizes(name string, fd uintptr, size int64) {
	if In() {
		Caller.FileSizes(name, fd, size)
	}
}

func HasOpened(fd uintptr) {
	if In() {
		Caller.FileOpened(fd)
	}
}

func Temp() (part string, ok bool) {
	if !In() {
		return "", false
	}
	return Caller.Temp()
}

// Altered is File for a caller that changes a file without opening it.
func Altered(name string) {
	Changed(name)
	File(name, FileChanges)
}

// Opened is File for a caller that opens a file with a flag of package os. The other parameters
// are the bits of that flag which say that the file is truncated, that it is made, that it must
// not be there, and that all is written at its end.
func Opened(name string, flag, truncates, makes, excludes, appends int) {
	var how FileUse
	if flag&truncates != 0 {
		how |= FileChanges | FileTruncates
	}
	if flag&makes != 0 {
		how |= FileChanges | FileEntry | FileMakes
		if flag&excludes != 0 {
			how |= FileExcludes
		}
	}
	if flag&appends != 0 {
		how |= FileAppends
	}
	File(name, how)
}

// Done says what has come of the caller's latest use of a file, for a report: how many bytes it
// has moved, and its error.
func Done(moved int64, err error) {
	if In() {
		Caller.FileDone(moved, err)
	}
}

func Signals(pid int, signal any) bool {
	return In() && Caller.Signals(pid, signal)
}

// Test returns nil if the test itself is meant.
func Test(test unsafe.Pointer) any {
	if On() {
		return Caller.Test(test)
	}
	return nil
}

// Detached calls f on an uncontrolled goroutine and waits for it, if the caller is controlled.
// It reports whether it has. The effects of f do not belong to the execution.
func Detached(f func()) bool {
	if !In() {
		return false
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Caller.Aside(f)
	}()
	<-done
	return true
}

// HashSeed returns the seed that package hash/maphash has to use in place of its own.
func HashSeed() (x uint64, ok bool) {
	if !On() {
		return 0, false
	}
	return Caller.HashSeed()
}

// Drawn replaces x, which the runtime has drawn for the order of a map. The result is the same
// in every execution.
func Drawn(x uint64) uint64 {
	if On() {
		return 0
	}
	return x
}

// Ranging is Drawn for a loop that begins over a map of n keys.
func Ranging(x, n uint64) uint64 {
	if !On() {
		return x
	}
	if n > 1 && Caller != nil {
		Caller.Fixes()
	}
	return 0
}

// hide returns p without the knowledge of the compiler, since Diverts does not keep its argument.
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
