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

// touch is for a goroutine that looks at what the standard library keeps at p, or changes it. See [sched.ModelLock].
func touch(p unsafe.Pointer, changes bool) {
	if !hook.Unwinding() {
		use([]touched{{p, "state.Use", changes}})
	}
}

// touched is what is used, known by an address.
type touched struct {
	at      unsafe.Pointer
	what    string
	changes bool
}

// use uses all of it at once; if the first of it is not changed, nothing may be.
func use(all []touched) {
	if !hook.LibraryLocks() {
		for _, t := range all {
			hook.Touch(t.at, t.changes)
		}
		return
	}
	uses := make([]hook.ExternalUse, len(all))
	for i, t := range all {
		s := hook.Shadow(unsafe.Add(t.at, 2), func() any { return new(hook.External) }) // a lock may be at t.at
		uses[i] = hook.ExternalUse{Of: s.(*hook.External), What: t.what, Changes: t.changes}
	}
	hook.UseExternals(uses)
}

// files stand for those of the file system, by hashes of their names. One that has two names is two files.
var files [1 << 14]int64

// written stands for what is in all files, and renamed for that one may have had two names.
var written, renamed int64

// touchFile is touch for a file, and for the other name that it gets, or loses.
func touchFile(name string, how live.FileUse, other string) {
	if hook.Unwinding() || hook.IsWithin() || !live.IsFile(name) {
		return
	}
	var all []touched
	var file unsafe.Pointer
	hook.Serve(func() { // what this uses is none of the program's
		if other != "" {
			all = appendFile(all, other, live.FileEntry) // first, since it is changed in any case
		}
		all = appendFile(all, name, how)
		name = whole(name)
		file = fileAt(name)
		hook.UseFile(hook.IsOwn(name) && (other == "" || hook.IsOwn(whole(other))))
	})
	use(all)
	if other != "" {
		hook.Release(unsafe.Pointer(&renamed))
	}
	order(file, how)
}

// appendFile appends what is used with a file: itself, the list of its folder, which has a slash after its name, or its own, and
// all folders above it, since they may go with what is in them.
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

// order orders who reads a file after all who have written it, as Go's race detector does. That does so whatever the
// files are, which is done here when there are files that may have two names.
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
