package native

import (
	"errors"
	"hash/fnv"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

func (execution) Within() (done func()) {
	before := within(true)
	return func() { within(before) }
}

// within sets whether the external effects of the calling goroutine are part of the latest one
// that it has announced. It returns the previous setting.
func within(in bool) (before bool) {
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		if before = co.G.Library.Within; before != in {
			co.G.InLibrary().Within = in
		}
	}
	return before
}

// isWithin returns the setting of within.
func isWithin() bool {
	co := machine.Callers.Look()
	return co != nil && co.G != nil && co.G.Library.Within
}

// Touch makes that an operation with [sched.ModelLock].
func (execution) Touch(p unsafe.Pointer, changes bool) {
	if !hook.Unwinding() {
		use([]touched{{p, "state.Use", "", changes}}, "")
	}
}

// touched is an object that is used, known by an address.
type touched struct {
	at      unsafe.Pointer
	what    string
	label   string // of a file: its name
	changes bool
}

// use uses all objects at once. If the first one is not changed, no other may be. A report says
// with what that is done.
func use(all []touched, with string) {
	if co := machine.Callers.Look(); co != nil && co.G != nil && co.M.Memory.Watching {
		for _, t := range all {
			if t.changes { // which is not announced itself
				co.M.Exec.Watch(co.G, t.at, 1, false, true)
			}
		}
	}
	if !(execution{}).Locks() {
		for _, t := range all {
			machine.Touch(t.at, t.changes)
		}
		return
	}
	uses := make([]machine.ExternalUse, len(all))
	for i, t := range all {
		// The address t.at may have a lock already.
		s := hook.Shadow(unsafe.Add(t.at, 2), func() any { return new(machine.External) })
		uses[i] = machine.ExternalUse{Of: s.(*machine.External), What: t.what, Label: t.label, Changes: t.changes}
	}
	machine.UseExternals(uses, with)
}

// files stand for the files of the file system, by hashes of their names. A file with two names
// counts as two files.
var files [1 << 14]int64

// written stands for the content of all files, and renamed for the fact that a file may have
// two names.
var written, renamed int64

func (execution) TouchFile(name string, how live.FileUse, other string) {
	if hook.Unwinding() || isWithin() {
		return
	}
	machine.ForgetExternal()
	if !live.IsFile(name) {
		return
	}
	var all []touched
	var file unsafe.Pointer
	hook.Serve(func() { // its accesses do not belong to the program
		if other != "" {
			all = appendFile(all, other, live.FileEntry) // first, since it is changed in any case
		}
		all = appendFile(all, name, how)
		if !filepath.IsAbs(name) || other != "" && !filepath.IsAbs(other) {
			all = append(all, touched{unsafe.Pointer(&live.Folder), "state.Use", "", false})
		}
		name = whole(name)
		file = fileAt(name)
		// What is done to a file with two names is not seen under the other one.
		link := other != "" && how&live.FileEntry == 0
		useFile(!link && isOwn(name) && (other == "" || isOwn(whole(other))))
	})
	if how&live.FileList != 0 {
		listsTemp()
	}
	use(all, openedWith(how))
	if other != "" {
		machine.Release(unsafe.Pointer(&renamed))
	}
	order(file, how)
}

// openedWith returns with what a file is opened, in words.
func openedWith(how live.FileUse) string {
	var words []string
	for _, w := range []struct {
		how  live.FileUse
		word string
	}{
		{live.FileMakes, "create"},
		{live.FileExcludes, "excl"},
		{live.FileTruncates, "truncate"},
		{live.FileAppends, "append"},
	} {
		if how&w.how != 0 {
			words = append(words, w.word)
		}
	}
	if words == nil {
		return ""
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// failuresInTurn is how many uses of files in a row may fail before the goroutine lets others go
// on. It may try again and again what only they make possible, and a use may be no operation.
const failuresInTurn = 64

func (execution) FileDone(moved int64, err error) {
	if hook.Unwinding() || isWithin() {
		return
	}
	if co := machine.Callers.Look(); co != nil && co.G != nil && co.G.M.Parallel == nil {
		l := co.G.Library
		if err != nil {
			l = co.G.InLibrary()
			l.Failures++
		} else if l.Failures > 0 {
			l.Failures = 0
		}
		if l.Failures > failuresInTurn && l.Held+l.Locked == 0 {
			defer co.G.YieldAt(2, "a use of a file that fails again and again")
		}
	}
	if moved <= 0 && err == nil {
		return
	}
	machine.NoteExternal(func() (text string) {
		hook.Serve(func() { text = outcome(moved, err) })
		return text
	})
}

// outcome says how many bytes a use of a file has moved, and the last error of its chain.
func outcome(moved int64, err error) string {
	var words []string
	if moved > 0 {
		words = append(words, format.Counted(moved, "byte"))
	}
	if err != nil {
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			err = inner
		}
		words = append(words, err.Error())
	}
	return strings.Join(words, ", ")
}

// appendFile appends the objects that are used with a file: the file, the list of its folder or
// its own list, which have a slash after the name, and all folders above it. Those count
// because a file may move with its folder.
func appendFile(all []touched, name string, how live.FileUse) []touched {
	name = whole(name)
	all = append(all, touched{fileAt(name), "file.Use", strconv.Quote(filepath.Base(name)), how&(live.FileChanges|live.FileEntry) != 0})
	if how&live.FileEntry != 0 {
		all = append(all, touched{fileAt(filepath.Dir(name) + "/"), "folder.Use", "", true})
	}
	if how&live.FileList != 0 {
		all = append(all, touched{fileAt(name + "/"), "folder.Use", "", false})
	}
	for dir := filepath.Dir(name); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		all = append(all, touched{fileAt(dir), "folder.Use", "", false})
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
		machine.Release(file)
		machine.Release(all)
	}
	if how&live.FileReads != 0 {
		machine.Acquire(file)
		if machine.Released(unsafe.Pointer(&renamed)) {
			machine.Acquire(all)
		}
	}
}
