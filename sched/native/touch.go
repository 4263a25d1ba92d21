package native

import (
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

func init() { live.Touch, live.TouchFile = touch, touchFile }

// files stand for those of the file system, by hashes of their names. One that has two names is two files.
var files [1 << 12]int64

// touchFile is touch for a file. What stands for a folder's list has a slash after its name.
func touchFile(name string, how live.FileUse) {
	if name == "" || name[0] == '|' || strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/dev/shm/") { // a pipe or a terminal
		return
	}
	var file, folder, list unsafe.Pointer
	hook.Serve(func() { // what this uses is none of the program's
		name = filepath.Clean(name)
		file, folder, list = fileAt(name), fileAt(filepath.Dir(name)+"/"), fileAt(name+"/")
	})
	use("file.Use", file, how&(live.FileChanges|live.FileEntry) != 0)
	if how&live.FileEntry != 0 {
		use("folder.Use", folder, true)
	}
	if how&live.FileList != 0 {
		use("folder.Use", list, false)
	}
}

func fileAt(name string) unsafe.Pointer {
	h := fnv.New32a()
	io.WriteString(h, name)
	return unsafe.Pointer(&files[h.Sum32()%uint32(len(files))])
}

// touch is for a goroutine that looks at what the standard library keeps at p, or changes it. See [sched.ModelLock].
func touch(p unsafe.Pointer, changes bool) { use("state.Use", p, changes) }

func use(what string, p unsafe.Pointer, changes bool) {
	switch {
	case hook.Unwinding():
		return
	case !hook.LibraryLocks():
		hook.Touch(p, changes)
		return
	}
	s := hook.Shadow(unsafe.Add(p, 2), func() any { return new(hook.External) }).(*hook.External) // a lock may be at p
	s.Use(what, changes)
}
