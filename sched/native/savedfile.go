package native

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/gopor/gopor/internal/disk"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/putback"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file puts back the files that executions have changed, see package putback, and draws the
// names of temporary files.

// filesFolder is the folder in which files are kept aside, or "".
var filesFolder = putback.Folder()

func init() {
	live.Alone(filesFolder)
	for _, text := range putback.Recover(filesFolder) {
		fmt.Fprintln(os.Stderr, "por: "+text)
	}
}

// keeper keeps the files of executions on goroutines that are not controlled.
type keeper struct {
	*putback.Keeper
	disk *disk.Disk
}

func (k keeper) PutBack() (err error) {
	aside(func() {
		k.disk.Reset()
		err = k.Keeper.PutBack()
	})
	return err
}

func (k keeper) Close() (err error) {
	aside(func() { err = k.Keeper.Close() })
	return err
}

// aside calls f where no use of a file belongs to an execution.
func aside(f func()) {
	if !live.Detached(f) {
		f()
	}
}

// keeperOf returns the keeper of the caller's executions, or nil if there is none. It makes one if
// that is asked for.
func keeperOf(makes bool) *putback.Keeper { return allKept(makes).Keeper }

// allKept is keeperOf with the disk.
func allKept(makes bool) keeper {
	if filesFolder == "" {
		return keeper{}
	}
	mk := func() (k live.FileKeeper) {
		aside(func() { k = keeper{putback.New(filesFolder, hook.OwnFolders()), new(disk.Disk)} })
		return k
	}
	if !makes {
		mk = nil
	}
	k, _ := hook.KeepFiles(mk).(keeper)
	return k
}

// Save keeps a file aside that the caller is about to change. A goroutine that is unwound where
// it waits is served for good: what it does then, in deferred calls, is the program's.
func (execution) Save(name string, how live.FileSave) {
	if !live.IsFile(name) || hook.Serving() && !hook.Unwinding() {
		return
	}
	var what string
	hook.Serve(func() { what = keepFile(putback.Whole(name), how) })
	if what != "" && !hook.Unwinding() {
		sched.Assume(sched.AssumeVariable, hook.LastingFile+what)
	}
}

// keepFile keeps a file aside. It returns what is not put back, or "".
func keepFile(name string, how live.FileSave) (what string) {
	links := how&live.SaveLink != 0
	k := keeperOf(false)
	if hook.IsOwn(filepath.Clean(name)) && !links && (k == nil || !k.Links()) {
		return "" // its folder is removed
	}
	if k = keeperOf(true); k == nil {
		return name + ": there is no folder in which to keep it aside"
	}
	to := putback.How(how &^ (live.SaveOpened | live.SaveLink))
	if links {
		to |= putback.Link
	}
	if k.Known(name, to) {
		return ""
	}
	added, err := false, error(nil)
	aside(func() { added, err = k.Before(name, to) })
	switch {
	case err != nil:
		return err.Error()
	case added && how&live.SaveOpened != 0:
		return name + ": it was opened before the execution, and stays open"
	}
	return ""
}

// isOwn reports whether nothing about a file, by its absolute name, depends on what was there
// before the execution.
func isOwn(name string) bool {
	if hook.IsOwn(name) {
		return true
	}
	k := keeperOf(putback.IsShared())
	if k == nil {
		return false
	}
	own := false
	aside(func() {
		if own = k.Fresh(name); !own {
			k.Uses(name)
		}
	})
	return own
}

// tempNames stands for the sources of random numbers for the names of temporary files.
var tempNames struct{ _ byte }

// tempSalt differs between the worker processes of a search, and between the folders in which
// tests run. Processes that run at the same time draw different names.
var tempSalt = func() uint64 {
	h := fnv.New64a()
	if dir, err := os.Getwd(); err == nil {
		io.WriteString(h, dir)
	}
	if putback.IsWorker() {
		fmt.Fprint(h, os.Getpid())
	}
	return h.Sum64()
}()

// Temp draws a part of the name of a temporary file. The parts that a goroutine draws are the
// same in every execution.
func (execution) Temp() (part string, ok bool) {
	if hook.Unwinding() || hook.Serving() {
		return "", false
	}
	all := hook.Shadow(unsafe.Pointer(&tempNames), func() any { return make(map[trace.ID]*rand.PCG) }).(map[trace.ID]*rand.PCG)
	id := hook.Current()
	if all[id] == nil {
		all[id] = rand.NewPCG(hook.Seed(), tempSalt)
	}
	hook.Serve(func() {
		part = fmt.Sprintf("%010d", uint32(all[id].Uint64()))
		if k := keeperOf(true); k != nil {
			k.Draws(part)
		}
	})
	return part, true
}

// listsTemp is called when the list of a folder is about to be read: in which order the names of
// several temporary files stand there depends on what was drawn.
func listsTemp() {
	several := false
	hook.Serve(func() {
		k := keeperOf(false)
		several = k != nil && k.DrawsSeveral()
	})
	if several {
		sched.Assume(sched.AssumeRandom, "os.CreateTemp")
	}
}
