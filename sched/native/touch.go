package native

import (
	"hash/fnv"
	"io"
	"path/filepath"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

func init() { live.Touch, live.TouchFile, live.WithinFile = touch, touchFile, withinFile }

func withinFile() (done func()) {
	before := hook.Within(true)
	return func() { hook.Within(before) }
}

// touch is for a goroutine that reads, or changes, what the standard library keeps at p. See
// [sched.ModelLock].
func touch(p unsafe.Pointer, changes bool) {
	if !hook.Unwinding() {
		use([]touched{{p, "state.Use", changes}})
	}
}

// touched is an object that is used, known by an address.
type touched struct {
	at      unsafe.Pointer
	what    string
	changes bool
}

// use uses all objects at once. If the first one is not changed, no other may be.
func use(all []touched) {
	if !hook.LibraryLocks() {
		for _, t := range all {
			hook.Touch(t.at, t.changes)
		}
		return
	}
	uses := make([]hook.ExternalUse, len(all))
	for i, t := range all {
		// The address t.at may have a lock already.
		s := hook.Shadow(unsafe.Add(t.at, 2), func() any { return new(hook.External) })
		uses[i] = hook.ExternalUse{Of: s.(*hook.External), What: t.what, Changes: t.changes}
	}
	hook.UseExternals(uses)
}

// files stand for the files of the file system, by hashes of their names. A file with two names
// counts as two files.
var files [1 << 14]int64

// written stands for the content of all files, and renamed for the fact that a file may have
// two names.
var written, renamed int64

// touchFile is touch for a file, and for another name that it gets or loses.
func touchFile(name string, how live.FileUse, other string) {
	if hook.Unwinding() || hook.IsWithin() || !live.IsFile(name) {
		return
	}
	var all []touched
	var file unsafe.Pointer
	hook.Serve(func() { // its accesses do not belong to the program
		if other != "" {
			all = appendFile(all, other, live.FileEntry) // first, since it is changed in any case
		}
		all = appendFile(all, name, how)
		name = whole(name)
		file = fileAt(name)
		hook.UseFile(isOwn(name) && (other == "" || isOwn(whole(other))))
	})
	if how&live.FileList != 0 {
		listsTemp()
	}
	use(all)
	if other != "" {
		hook.Release(unsafe.Pointer(&renamed))
	}
	order(file, how)
}

// appendFile appends the objects that are used with a file: the file, the list of its folder or
// its own list, which have a slash after the name, and all folders above it. Those count
// because a file may move with its folder.
func appendFile(all []touched, name string, how live.FileUse) []touched {
	name = whole(name)
	all = append(all, touched{fileAt(name), "file.Use", how&(live.FileChanges|live.FileEntry) != 0})
	if how&live.FileEntry != 0 {
		all = append(all, touched{fileAt(filepath.Dir(name) + "/"), "folder.Use", true})
	}
	if how&live.FileList != 0 {
		all = append(all, touched{fileAt(name + "/"), "folder.Use", false})
	}
	for dir := filepath.Dir(name); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		all = append(all, touched{fileAt(dir), "folder.Use", false})
	}
	return all
}

func whole(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}

func fileAt(name string) unsafe.Pointer {
	h := fnv.New32a()
	io.WriteString(h, name)
	return unsafe.Pointer(&files[h.Sum32()%uint32(len(files))])
}

// order orders readers of a file after all its writers, as Go's race detector does. The
// detector does so for all files together. Here that happens only if there are files that may
// have two names.
func order(file unsafe.Pointer, how live.FileUse) {
	all := unsafe.Pointer(&written)
	if how&live.FileWrites != 0 {
		hook.Release(file)
		hook.Release(all)
	}
	if how&live.FileReads != 0 {
		hook.Acquire(file)
		if hook.Released(unsafe.Pointer(&renamed)) {
			hook.Acquire(all)
		}
	}
}
