package live

import (
	"runtime"
	"sync/atomic"
)

// This file records external effects that could interfere with another process of the same
// program that does the same at the same time. The process changes files that both know by one
// name, or has another effect outside of it. Effects count for every goroutine, in an execution
// or not. (The file has a lock of its own, since package sync imports this one.)

var felt struct {
	lock int32
	notes
	unfelt   int  // active calls of Unfelt
	together bool // an active call of Unfelt has overlapped with another one
}

type notes struct {
	what  string   // the first effect that Feel has recorded
	files []string // changed files, except those below alone
	many  bool     // there were more than mostFelt files
	alone []string // files and folders that no other process knows
	moved bool     // the working directory was changed, so relative names are ambiguous
}

// mostFelt and mostAlone are how many files are remembered.
const (
	mostFelt  = 64
	mostAlone = 4096
)

func lockFelt() {
	for !atomic.CompareAndSwapInt32(&felt.lock, 0, 1) {
		runtime.Gosched()
	}
}

func unlockFelt() { atomic.StoreInt32(&felt.lock, 0) }

// Feel records an external effect, in words.
func Feel(what string) {
	lockFelt()
	if felt.what == "" {
		felt.what = what
	}
	unlockFelt()
}

// IsFile reports whether a name is that of a file, and not of a pipe or a terminal.
func IsFile(name string) bool {
	return name != "" && name[0] != '|' && (!hasPrefix(name, "/dev/") || hasPrefix(name, "/dev/shm/"))
}

// Changed records that a file is about to be changed, made or removed.
func Changed(name string) {
	if !IsFile(name) {
		return
	}
	lockFelt()
	defer unlockFelt()
	if felt.many || contains(felt.files, name) || isBelow(felt.alone, name) {
		return
	}
	if felt.many = len(felt.files) == mostFelt; !felt.many {
		felt.files = append(felt.files, name)
	}
}

// Alone records that a file or folder was made under a new name. No other process uses it, or
// what is below it.
func Alone(name string) {
	if name == "" {
		return
	}
	lockFelt()
	defer unlockFelt()
	if isBelow(felt.alone, name) {
		return
	}
	if len(felt.alone) == mostAlone {
		felt.alone = append(felt.alone[:0:0], felt.alone[mostAlone/2:]...)
	}
	felt.alone = append(felt.alone, name)
	for i, f := range felt.files {
		if f == name {
			// A new slice: Unfelt may have the old one.
			felt.files = append(felt.files[:i:i], felt.files[i+1:]...)
			break
		}
	}
}

// Moved records that the working directory of the process has changed.
func Moved() {
	lockFelt()
	felt.moved = true
	unlockFelt()
}

// Felt returns the recorded effects: a description, and files. Moved says that relative names
// of files may be ambiguous.
func Felt() (what string, files []string, moved bool) {
	lockFelt()
	defer unlockFelt()
	what = felt.what
	if felt.many && what == "" {
		what = "changes of many files"
	}
	return what, felt.files, felt.moved
}

// Unfelt starts to drop the effects that are recorded from now on, until the returned function
// is called. It keeps them if another call of Unfelt overlaps. If within is set and another
// call is active, it does nothing.
func Unfelt(within bool) (done func()) {
	lockFelt()
	defer unlockFelt()
	if within && felt.unfelt > 0 {
		return func() {}
	}
	before := felt.notes
	felt.unfelt++
	felt.together = felt.together || felt.unfelt > 1
	return func() {
		lockFelt()
		defer unlockFelt()
		if !felt.together {
			before.alone = felt.alone
			felt.notes = before
		}
		if felt.unfelt--; felt.unfelt == 0 {
			felt.together = false
		}
	}
}

// isBelow reports whether a file is one of folders, or below one of them.
func isBelow(folders []string, name string) bool {
	for _, f := range folders {
		if hasPrefix(name, f) && (len(name) == len(f) || name[len(f)] == '/' || name[len(f)] == '\\') {
			return true
		}
	}
	return false
}

func contains(all []string, name string) bool {
	for _, x := range all {
		if x == name {
			return true
		}
	}
	return false
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
