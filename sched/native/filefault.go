package native

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"github.com/gopor/gopor/internal/disk"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/putback"
)

// This file has the faults of files, and what a power failure leaves of them: see packages faults
// and disk. Faults come for files that the execution has made itself, or that are in a folder that
// is removed. What is done to others stays.

// fileUser returns the calling goroutine if faults of files may come before its use of a file. It
// returns nil if the execution has none, so that nothing has to be noted either.
func fileUser(name string) *machine.Goroutine {
	co := machine.Callers.Look()
	if co == nil || co.G == nil || co.Serving || co.M.Closing || isWithin() || !live.IsFile(name) {
		return nil
	}
	kinds := co.M.Faults.Kinds
	for i := range co.M.Faults.Plan {
		kinds |= co.M.Faults.Plan[i].Kind
	}
	if kinds&faults.OfFiles == 0 {
		return nil
	}
	return co.G
}

// siteOfFile has the fault that comes before g uses a file. The use may fail by a fault of the kind
// given, 0 for none. Matters reports whether that makes a difference. The function returns the
// fault if it is of that kind. After a power failure it does not return.
func siteOfFile(g *machine.Goroutine, kind faults.Kind, matters func() bool) faults.Fault {
	kinds, n := faults.Kind(0), g.Node()
	hook.Serve(func() {
		if kind != 0 && matters() {
			kinds = kind
		}
		if n != nil {
			kinds |= n.Faults() & faults.Torn
		}
	})
	f := g.FileSite(kinds)
	if n != nil && f.Kind == faults.Torn {
		n.FaultAt(g, f)
	}
	f.Kind &= kinds & kind
	return f
}

// isOwnFile reports whether faults come for a file of that name.
func isOwnFile(name string) (own bool) {
	name = putback.Whole(name)
	if hook.IsOwn(filepath.Clean(name)) {
		return true
	}
	if k := allKept(false); k.Keeper != nil {
		aside(func() { own = k.Fresh(name) })
	}
	return own
}

// forTempDir reports whether the caller of a function of package os is t.TempDir. The test itself
// would fail.
func forTempDir() bool {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function == "testing.(*common).TempDir" || !more {
			return more
		}
	}
}

// noteFault says in the record what a fault does.
func noteFault(g *machine.Goroutine, text string) { g.NoteResult(faults.Text(text)) }

func (execution) FileWrites(name string, fd uintptr, at int64, n int) (part int, err error) {
	g := fileUser(name)
	if g == nil {
		return n, nil
	}
	f := siteOfFile(g, faults.Full, func() bool { return disk.NeedsRoom(int(fd), at, int64(n)) && isOwnFile(name) })
	if f.Kind != faults.Full {
		return n, nil
	}
	g.FileFault(f, filepath.Base(name), 1)
	noteFault(g, "write fails, as the disk is full")
	return max(n/2, 0), syscall.ENOSPC
}

func (execution) FileMakes(name string) error {
	g := fileUser(name)
	if g == nil {
		return nil
	}
	f := siteOfFile(g, faults.Full, func() bool { return !disk.Exists(name) && isOwnFile(name) && !forTempDir() })
	if f.Kind != faults.Full {
		return nil
	}
	useFile(true)
	g.FileFault(f, filepath.Base(name), 1)
	noteFault(g, "creation fails, as the disk is full")
	return syscall.ENOSPC
}

func (execution) FileAlters(name string) {
	if g := fileUser(name); g != nil {
		siteOfFile(g, 0, nil)
	}
}

func (execution) FileSyncs(name string, fd uintptr) (done bool, err error) {
	g := fileUser(name)
	if g == nil {
		return false, nil
	}
	machine.Touch(syncedFile(name), true)
	k, folder := keeper{}, false
	f := siteOfFile(g, faults.Sync, func() bool {
		k, folder = allKept(false), disk.IsFolder(int(fd))
		return k.disk != nil && k.disk.Changed(int(fd)) || folder && isOwnFile(name)
	})
	switch {
	case f.Kind != faults.Sync:
		fails := false
		hook.Serve(func() {
			if k = allKept(false); k.disk != nil {
				done, fails = k.disk.Sync(int(fd))
			}
		})
		if fails {
			return false, syscall.EIO
		}
		return done, nil
	case folder:
		g.FileFault(f, filepath.Base(name), 1)
		noteFault(g, "sync fails")
		return false, syscall.EIO
	}
	loses := g.FileFault(f, filepath.Base(name), 2) == 0
	if loses {
		noteFault(g, "sync fails, and what was written since the one before is lost")
	} else {
		noteFault(g, "sync fails, and what was written stays")
	}
	hook.Serve(func() { k.disk.Fail(int(fd), loses) })
	return false, syscall.EIO
}

// syncedFile returns what stands for what is synced of a file: a Sync changes it, and a write looks
// at it. Neither is an operation of the execution on it. So the verdict names a Sync and a write
// that nothing orders.
func syncedFile(name string) (p unsafe.Pointer) {
	hook.Serve(func() { p = unsafe.Add(fileAt(whole(name)), 4) })
	return p
}

// Synced returns f, which syncs a descriptor or all files. For a descriptor it does as the Sync of
// a file does: it may have a fault, and what was written is synced.
func Synced[F any](f F, what string) F {
	if !hook.Active() {
		return f
	}
	sync, ok := any(f).(func(int) error)
	if !ok || strings.HasSuffix(what, ".Syncfs") {
		hook.Serve(func() {
			if k := allKept(false); k.disk != nil {
				k.disk.SyncAll()
			}
		})
		return f
	}
	var in any = func(fd int) error {
		name := "file"
		hook.Serve(func() {
			if k := allKept(false); k.disk != nil {
				name = k.disk.Name(fd)
			}
		})
		if done, err := (execution{}).FileSyncs(name, uintptr(fd)); done || err != nil {
			return err
		}
		return sync(fd)
	}
	return in.(F)
}

func (execution) FileNotes(name string, fd uintptr, at int64, size int) {
	length := int64(size)
	if size < 0 {
		length = disk.Unknown
	}
	note(disk.Begin{Name: name, FD: int(fd), At: at, Length: length})
}

func (execution) FileSizes(name string, fd uintptr, size int64) {
	note(disk.Begin{Name: name, FD: int(fd), At: size, Length: -1})
}

// note notes a change of a file by the calling goroutine.
func note(b disk.Begin) {
	g := fileUser(b.Name)
	if g == nil {
		return
	}
	machine.Touch(syncedFile(b.Name), false)
	hook.Serve(func() {
		k := allKept(true)
		if k.disk == nil {
			return
		}
		b.Name = putback.Whole(b.Name)
		b.Mine = func() bool { return isOwnFile(b.Name) }
		if n := g.Node(); n != nil {
			b.Owner = n.Number
			setDisk(n, k.disk)
		}
		k.disk.Note(b)
	})
}

func (execution) FileOpened(fd uintptr) {
	co := machine.Callers.Look()
	if co == nil || co.G == nil || co.M.Closing || co.G.Node() == nil && fileUser("file") == nil {
		return
	}
	hook.Serve(func() {
		if !disk.IsRegular(int(fd)) {
			return
		}
		k := allKept(true)
		if k.disk == nil {
			return
		}
		owner := int32(0)
		if n := co.G.Node(); n != nil {
			owner = n.Number
			setDisk(n, k.disk)
		}
		k.disk.Opened(int(fd), owner)
	})
}

// diskOf is what a node has done to a disk.
type diskOf struct {
	*disk.Disk
	owner int32
}

func setDisk(n *machine.NodeState, d *disk.Disk) {
	if n.Disk == nil {
		n.Disk = diskOf{d, n.Number}
	}
}

func (d diskOf) Unsynced() (is bool) {
	hook.Serve(func() { is = d.Disk.Unsynced(d.owner) })
	return is
}

func (d diskOf) Stopped() { hook.Serve(func() { d.Release(d.owner) }) }

func (d diskOf) Lose(alt int32) (text string) {
	hook.Serve(func() { text = d.Disk.Lose(d.owner, disk.Left(alt)) })
	return text
}
