package live

import (
	"runtime"
	"sync/atomic"
)

// This file notes what the process does that another process of the same program may feel which does the same at
// the same time: it changes files that both know by one name, or has something done outside of it. It makes no difference who does so, and
// whether in an execution or not. (It has a lock of its own, since package sync imports this one.)

var felt struct {
	lock int32
	notes
	unfelt   int  // calls of Unfelt that are under way
	together bool // one of these calls was under way together with another
}

type notes struct {
	what  string   // the first thing that was noted by Feel
	files []string // that were changed, but for those below alone
	many  bool     // there were more than mostFelt
	alone []string // files and folders that no other process knows
	moved bool     // relative names have meant something else: the folder of the process was changed
}

// How many files are remembered.
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

// Feel notes that the process has something done outside of it, in words.
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

// Changed notes that a file is about to be changed, made or removed.
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

// Alone notes that a file or folder was made, under a name that nothing had before: what is below is no other process's business.
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
			felt.files = append(felt.files[:i:i], felt.files[i+1:]...) // a new one: Unfelt may have the old one
			break
		}
	}
}

// Moved notes that the process has got another folder.
func Moved() {
	lockFelt()
	felt.moved = true
	unlockFelt()
}

// Felt returns what was noted: a thing, and files. Moved says that relative names of those may mean several.
func Felt() (what string, files []string, moved bool) {
	lockFelt()
	defer unlockFelt()
	what = felt.what
	if felt.many && what == "" {
		what = "changes of many files"
	}
	return what, felt.files, felt.moved
}

// Unfelt has forgotten what is noted from now on until the function is called that it returns, unless another call of Unfelt is
// under way meanwhile. Within says that it need not do so for the sake of another one that the caller is in.
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
