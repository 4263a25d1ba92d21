//go:build unix

package native

import (
	"path/filepath"
	"syscall"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// An inode identifies a file independently of its names.
type inode struct{ dev, ino uint64 }

// moment is a time of an execution, in seconds and nanoseconds since 1970.
type moment struct{ sec, nsec int64 }

// fileTimes stands for the times at which an execution has changed files. The system has the
// real times.
var fileTimes struct{ _ byte }

func timesOfFiles() map[inode]moment {
	return hook.Shadow(unsafe.Pointer(&fileTimes), func() any { return make(map[inode]moment) }).(map[inode]moment)
}

func inodeOf(stat func(*syscall.Stat_t) error) (i inode, ok bool) {
	var s syscall.Stat_t
	hook.Serve(func() { ok = stat(&s) == nil })
	return inode{uint64(s.Dev), uint64(s.Ino)}, ok
}

func lstat(name string) (inode, bool) {
	return inodeOf(func(s *syscall.Stat_t) error { return syscall.Lstat(name, s) })
}

// changed notes that a file is changed now.
func changed(i inode) {
	if sec, nsec, ok := (execution{}).Time(false); ok {
		timesOfFiles()[i] = moment{sec, nsec}
	}
}

func (execution) FileChanged(fd uintptr) {
	if hook.Unwinding() {
		return
	}
	if i, ok := inodeOf(func(s *syscall.Stat_t) error { return syscall.Fstat(int(fd), s) }); ok {
		changed(i)
	}
}

// Entry returns a function that notes the changes of a file and of its folder.
func (execution) Entry(name string, truncates, makes bool) (done func()) {
	if hook.Unwinding() {
		return func() {}
	}
	before, there := lstat(name)
	return func() {
		if hook.Unwinding() {
			return
		}
		after, is := lstat(name)
		if folder, ok := lstat(filepath.Dir(name)); ok && (there != is || before != after) {
			changed(folder)
		}
		if !there && is && makes {
			changed(after)
		}
		if target, ok := inodeOf(func(s *syscall.Stat_t) error { return syscall.Stat(name, s) }); there && ok && truncates {
			changed(target)
		}
	}
}

func (execution) FileMade(name string) {
	if i, ok := lstat(name); ok {
		changed(i)
	}
}

func (execution) Timed(name string) {
	if i, ok := lstat(name); ok && !hook.Unwinding() {
		delete(timesOfFiles(), i)
	}
}

func (execution) FileTime(dev, ino uint64) (sec, nsec int64, ok bool) {
	if hook.Unwinding() {
		return 0, 0, false
	}
	t, ok := timesOfFiles()[inode{dev, ino}]
	return t.sec, t.nsec, ok
}
