package live

import (
	"sync/atomic"
	"unsafe"
)

// The variables of this file are functions of packages hook and native, which set them when the
// program begins. They are for code that those packages import themselves, such as the standard
// library. It calls them when there are controlled goroutines.
var (
	// Read and Write announce that the caller is about to read or write the size bytes at p, or
	// has just done so.
	Read, Write func(p unsafe.Pointer, size uintptr)
	// Inserts announces that the caller is about to set the entry of k in the map at m.
	Inserts func(m unsafe.Pointer, k any)
	// Ranges reports whether a loop over the map at m is active in the execution of the caller.
	// Then Makes announces that the caller is about to make the entry of k there, and MakesSome
	// that it may be about to make an entry with an unknown key.
	Ranges    func(m unsafe.Pointer) bool
	Makes     func(m unsafe.Pointer, k any)
	MakesSome func(m unsafe.Pointer)
	// Fixes announces that the caller begins a loop over a map of several keys, in an order
	// that is the same in every execution. It is set in instrumented programs.
	Fixes func()
	// Acquire and Release announce that the caller synchronises by the object at p: with all
	// goroutines that have released it, and with all that will acquire it. Acquire reports
	// whether only that orders the caller after another goroutine.
	Acquire func(p unsafe.Pointer) bool
	Release func(p unsafe.Pointer)
	// Ordered notes that a lock inside the standard library has ordered goroutines that way.
	Ordered func()
	// Hold announces that the caller, which is controlled, has taken a lock inside the standard
	// library (1), or has released it (-1).
	Hold func(n int)
	// Locks reports whether the locks inside the standard library are operations in the
	// execution of the caller. Then Lock takes the one at p by try, which takes the original
	// lock, and reports whether it has. Unlock releases it by unlock, which releases the
	// original lock; call is the call that has taken it.
	Locks  func() bool
	Lock   func(call LockCall, p unsafe.Pointer, try func() bool) bool
	Unlock func(call LockCall, p unsafe.Pointer, unlock func())
	// Touch announces that the caller, which is controlled, is about to read, or change, what
	// the standard library keeps at p.
	Touch func(p unsafe.Pointer, changes bool)
	// TouchFile is Touch for a file, and for another name that it gets or loses.
	TouchFile func(name string, how FileUse, other string)
	// WithinFile makes the caller's use of files part of the latest one that it has announced,
	// until the returned function is called.
	WithinFile func() (done func())
	// SetFileTime announces that the caller changes the open file fd. MakeFile announces that
	// the caller is about to add or remove the name of a file, to make it or to truncate it;
	// the returned function says that it has. ForgetFileTime announces that the caller sets the
	// time of a file itself. FileTimeOf returns the time at which an execution has changed a
	// file, in seconds and nanoseconds since 1970.
	SetFileTime    func(fd uintptr)
	MakeFile       func(name string, truncates, makes bool) (done func())
	ForgetFileTime func(name string)
	FileTimeOf     func(dev, ino uint64) (sec, nsec int64, ok bool)
	// SaveFile announces that the caller is about to change a file, so that it can be put back
	// after the execution. TempPart returns the part of the name of a new temporary file that
	// package os draws, and whether the caller is in an execution.
	SaveFile func(name string, how FileSave)
	TempPart func() (part string, ok bool)
	// Aside calls a function on an uncontrolled goroutine, and hides its effects from
	// executions.
	Aside func(f func())
	// Controlled reports whether the caller is controlled. Yield lets other goroutines run
	// before a caller that waits for them.
	Controlled func() bool
	Yield      func()
	// Signal sends a signal, an os.Signal, for the caller, which is controlled. It reports
	// whether it has: only if pid is this process.
	Signal func(pid int, signal any) bool
	// Print receives the n bytes at p that the caller is about to write to a file of package
	// os, known by its address. It reports whether they have gone to an execution.
	Print func(file, p unsafe.Pointer, n int) bool
	// Now returns the time of the caller's execution, in seconds and nanoseconds since 1970,
	// and whether the caller is in one. Looks says that the caller reads the time, and does not
	// only write it down.
	Now func(looks bool) (sec, nsec int64, ok bool)
	// Expires is context.WithDeadline in the execution of the caller, which is controlled, with
	// a date in seconds and nanoseconds since 1970. It is set in instrumented programs.
	Expires func(ctx any, sec, nsec int64) (derived any, cancel func())
	// MakeSeed returns a seed for hashes of the caller, and whether the caller is in an
	// execution.
	MakeSeed func() (x uint64, ok bool)
	// InTest returns the substitute of a test of package testing, known by its address, in the
	// execution of the caller, or nil.
	InTest func(test unsafe.Pointer) any
)

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

// Diverts reports whether the text that the caller is about to write to a file of package os
// has gone to its execution.
func Diverts(file unsafe.Pointer, text []byte) bool {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return false
	}
	return Print(file, hide(unsafe.Pointer(unsafe.SliceData(text))), len(text))
}

// Time returns the time of the execution that time.Now has to return, in seconds and
// nanoseconds since 1970. It returns false for the real time. Looks says that the caller reads
// the time.
func Time(looks bool) (sec, nsec int64, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return 0, 0, false
	}
	return Now(looks)
}

// Environment stands for the environment variables, and Folder for the working directory of the
// process.
var Environment, Folder int64

// Looks is Touch for a caller that changes nothing, and Changes for one that does. The caller
// need not be controlled.
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

// Consults and Replaces are Looks and Changes where the library uses an RWMutex for the object.
// That lock is not seen itself, but orders the callers. A Replaces comes after all earlier
// calls, and a Consults after each earlier Replaces.
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

// Named is File for a caller that renames a file, or gives a file a second name: the existence
// of both names changes.
func Named(name string, how FileUse, other string) {
	if how&FileEntry != 0 {
		Changed(name)
	}
	Changed(other)
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		TouchFile(name, how, other)
	}
}

// Within makes the caller's use of files part of the latest one that it has announced, until
// the returned function is called. The caller may not be controlled.
func Within() (done func()) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		return WithinFile()
	}
	return func() {}
}

// FileChanged, Entry, Timed and FileTime are SetFileTime, MakeFile, ForgetFileTime and
// FileTimeOf for a caller that may not be controlled.
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

// Opening is Entry for a caller that opens a file.
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

// FileSave says what a caller is about to do with a file, by its name.
type FileSave int

const (
	SaveName    FileSave = 1 << iota // the name appears, disappears, or gets another file
	SaveContent                      // what the name leads to is changed
	SaveTree                         // the name and all below it disappear
	SaveOpened                       // with SaveContent: the file is open
	SaveLink                         // with SaveName: the name gets a symbolic link
)

// Save is SaveFile for a caller that may not be controlled.
func Save(name string, how FileSave) {
	if atomic.LoadInt32(&Goroutines) != 0 && Controlled() {
		SaveFile(name, how)
	}
}

// Temp is TempPart for a caller that may not be controlled.
func Temp() (part string, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 || !Controlled() {
		return "", false
	}
	return TempPart()
}

// Altered is File for a caller that changes a file without opening it.
func Altered(name string) {
	Changed(name)
	File(name, FileChanges)
}

// Opened is File for a caller that opens a file, to change it or to make it.
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

// Test returns the substitute of a test in the execution of the caller. It returns nil if there
// is none, so that the test itself is meant.
func Test(test unsafe.Pointer) any {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return nil
	}
	return InTest(test)
}

// Detached calls f on an uncontrolled goroutine and waits for it, if the caller is controlled.
// It reports whether it has. The effects of f do not belong to the execution.
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

// HashSeed returns the seed that package hash/maphash has to use in place of its own. It
// returns false if there is none.
func HashSeed() (x uint64, ok bool) {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return 0, false
	}
	return MakeSeed()
}

// Drawn replaces x, which the runtime has drawn for the order of a map. The result is the same
// in every execution.
func Drawn(x uint64) uint64 {
	if atomic.LoadInt32(&Goroutines) != 0 {
		return 0
	}
	return x
}

// Ranging is Drawn for a loop that begins over a map of n keys.
func Ranging(x, n uint64) uint64 {
	if atomic.LoadInt32(&Goroutines) == 0 {
		return x
	}
	if n > 1 && Fixes != nil {
		Fixes()
	}
	return 0
}

// hide returns p without the knowledge of the compiler, since Print does not keep its argument.
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
