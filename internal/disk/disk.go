// Package disk keeps what an execution has done to files and has not synced, so that a power
// failure, or a Sync that fails, can undo it.
//
// The files are real, and their content is always what the program has written. A [Disk] notes each
// change before it comes: what was there before. A Sync forgets the changes of a file. To lose
// changes, the Disk puts back what was there, from the last change to the first one that is lost.
// So what is left of a file is what its first changes have made, and never a mixture in another
// order. Names of files are not changes: a file that was made, renamed or removed stays so.
//
// A Disk rather takes for synced what is not than the other way round. It does so with files that
// something else has changed meanwhile, and with files that it cannot open.
//
// The functions of this package make system calls by package syscall. They must be called where
// these do not count as the program's.
package disk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limit is how many bytes a Disk keeps, and mostFiles of how many files. Changes of others are not
// lost.
const (
	Limit     = 64 << 20
	mostFiles = 500
)

// A Disk has the files of an execution. Owners of changes are numbers: changes of one owner are
// lost together. The zero value is ready for use.
type Disk struct {
	files   map[inode]*file
	order   []*file // in the order of their first changes
	changes int     // that were noted so far
	kept    int64   // bytes
	clock   int     // of descriptors that were opened, and Syncs that have failed
	heard   map[int]int
	holds   map[int]holder
}

// holder is the owner that has opened a descriptor.
type holder struct {
	owner int32
	of    inode
}

// A file has the changes since its latest Sync.
type file struct {
	id     inode
	name   string // as it was opened first, for reports
	fd     int    // the Disk's own descriptor, -1 if it is not to be lost
	owner  int32
	log    []change
	failed int // the time of the latest Sync that has failed
}

// A change is a write, or a change of the size.
type change struct {
	number int
	size   int64  // of the file before
	at     int64  // where the write begins, or the new size
	length int64  // of the write, or -1
	old    []byte // what was there, from at on
}

// Begin is a change that comes next.
type Begin struct {
	Name   string // of the file
	FD     int    // the descriptor that is used, -1 if the file is known by its name only
	Owner  int32
	At     int64 // where a write begins, -1 for the position of the descriptor; or the new size
	Length int64 // of a write, -1 for a change of the size, more than there is for an unknown one
	// Mine reports whether changes of the file may be lost. It is called for each file once.
	Mine func() bool
}

// Note notes a change before it comes.
func (d *Disk) Note(b Begin) {
	f := d.fileOf(&b)
	if f == nil || f.fd < 0 {
		return
	}
	size := sizeOf(f.fd)
	if b.FD >= 0 && b.Length >= 0 {
		switch flags := flagsOf(b.FD); {
		case flags&writable == 0:
			return // the write fails
		case flags&synced != 0:
			f.settle(d) // the write comes with a Sync
			return
		case flags&appends != 0:
			b.At = size
		case b.At < 0:
			b.At = position(b.FD)
		}
	}
	if b.At < 0 || b.Length == 0 || b.Length < 0 && b.At == size {
		return // nothing changes
	}
	if f.owner != b.Owner || !f.expects(size) {
		f.settle(d)
	}
	f.owner = b.Owner
	c := change{number: d.changes, size: size, at: b.At, length: b.Length}
	end := size
	if b.Length >= 0 && b.Length < size-b.At {
		end = b.At + b.Length
	}
	if n := end - b.At; n > 0 {
		if d.kept+n > Limit {
			f.forget(d)
			return
		}
		c.old = make([]byte, n)
		if !readAt(f.fd, c.old, b.At) {
			f.forget(d)
			return
		}
		d.kept += n
	}
	d.changes++
	f.log = append(f.log, c)
}

// fileOf returns the file of a change, nil if it cannot be told.
func (d *Disk) fileOf(b *Begin) *file {
	id, regular := identify(b.FD, b.Name)
	if !regular {
		return nil
	}
	f := d.files[id]
	if f == nil {
		f = &file{id: id, name: b.Name, fd: -1}
		if len(d.order) < mostFiles && b.Mine() {
			f.fd = open(b.FD, b.Name, id)
		}
		if d.files == nil {
			d.files = make(map[inode]*file)
		}
		d.files[id] = f
		d.order = append(d.order, f)
	}
	return f
}

// expects reports whether a size is one that the latest change may have left behind.
func (f *file) expects(size int64) bool {
	if len(f.log) == 0 {
		return true
	}
	c := &f.log[len(f.log)-1]
	switch {
	case c.length < 0:
		return size == c.size || size == c.at
	case c.length > maxLength:
		return size >= c.size
	}
	return c.size <= size && size <= max(c.size, c.at+c.length)
}

// maxLength is more than a write has of which the length is known.
const maxLength = 1 << 40

// Unknown is the length of a write that is not known before.
const Unknown = maxLength + 1

// settle takes all changes for synced.
func (f *file) settle(d *Disk) {
	for i := range f.log {
		d.kept -= int64(len(f.log[i].old))
	}
	clear(f.log)
	f.log = f.log[:0]
}

// forget takes all changes for synced, also later ones.
func (f *file) forget(d *Disk) {
	f.settle(d)
	closeFD(f.fd)
	f.fd = -1
}

// known returns the file of a descriptor, nil if no change of it was noted.
func (d *Disk) known(fd int) *file {
	id, regular := identify(fd, "")
	if f := d.files[id]; regular && f != nil && f.fd >= 0 {
		return f
	}
	return nil
}

// Name returns the name of the file of a descriptor, "file" if no change of it was noted.
func (d *Disk) Name(fd int) string {
	if f := d.known(fd); f != nil {
		return f.name
	}
	return "file"
}

// Changed reports whether the file of a descriptor has changes that are not synced.
func (d *Disk) Changed(fd int) bool {
	f := d.known(fd)
	return f != nil && len(f.log) > 0
}

// Sync is called before a Sync of a descriptor. It reports whether that fails since a Sync by
// another descriptor has failed before. Known says that changes of the file may be lost, so
// that a real Sync makes no difference.
func (d *Disk) Sync(fd int) (known, fails bool) {
	f := d.known(fd)
	if f == nil {
		return false, false
	}
	f.settle(d)
	fails = f.failed > d.heard[fd]
	d.hear(fd)
	return true, fails
}

// SyncAll takes all changes of all files for synced.
func (d *Disk) SyncAll() {
	for _, f := range d.order {
		f.settle(d)
	}
}

// hear notes that a descriptor has heard of all failed Syncs.
func (d *Disk) hear(fd int) {
	if d.heard == nil {
		d.heard = make(map[int]int)
	}
	d.clock++
	d.heard[fd] = d.clock
}

// Fail is a Sync of a descriptor that fails. With lose set it undoes all changes since the latest
// Sync.
func (d *Disk) Fail(fd int, lose bool) {
	f := d.known(fd)
	if f == nil {
		return
	}
	if lose {
		f.undo(d, len(f.log), 0)
	}
	d.clock++
	f.failed = d.clock
	d.hear(fd)
}

// Opened notes that an owner has opened a descriptor.
func (d *Disk) Opened(fd int, owner int32) {
	delete(d.holds, fd)
	id, regular := identify(fd, "")
	if !regular {
		return
	}
	d.hear(fd)
	if owner != 0 {
		if d.holds == nil {
			d.holds = make(map[int]holder)
		}
		d.holds[fd] = holder{owner, id}
	}
}

// Release gives up the locks of all descriptors that an owner has opened, as if they were closed.
func (d *Disk) Release(owner int32) {
	for fd, h := range d.holds {
		if h.owner != owner {
			continue
		}
		if id, regular := identify(fd, ""); regular && id == h.of {
			unlock(fd)
		}
		delete(d.holds, fd)
	}
}

// Unsynced reports whether an owner has changes that are not synced, of a file that has a name.
func (d *Disk) Unsynced(owner int32) bool {
	return slices.ContainsFunc(d.order, func(f *file) bool { return f.unsynced(owner) })
}

func (f *file) unsynced(owner int32) bool {
	return f.owner == owner && len(f.log) > 0 && f.fd >= 0 && isNamed(f.fd)
}

// A Left says what a power failure leaves of the changes that are not synced.
type Left int

const (
	Nothing Left = iota
	All
	Half // all but half of the last write
	Last // those of the file that was changed last
)

// Lose lets a power failure come for an owner. What is left is synced. It returns what has come of
// the changes, in words, and "" if there are none.
func (d *Disk) Lose(owner int32, left Left) string {
	var files []*file
	for _, f := range d.order {
		if f.unsynced(owner) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return ""
	}
	latest := slices.MaxFunc(files, func(a, b *file) int { return cmp.Compare(a.last().number, b.last().number) })
	var text []string
	for _, f := range files {
		n, keep := 0, int64(0)
		switch {
		case left == Nothing, left == Last && f != latest:
			n = len(f.log)
		case left == Half && f == latest:
			n, keep = 1, f.last().half(sizeOf(f.fd))
		}
		text = append(text, f.lost(n, keep))
		f.undo(d, n, keep)
		f.settle(d)
	}
	return strings.Join(text, ", ")
}

func (f *file) last() *change { return &f.log[len(f.log)-1] }

// sector is how many bytes a disk writes together. So part of a sector that was there before is
// never left. What a write adds at the end of a file may be cut anywhere.
const sector = 512

// half returns the length of half of a write, in a file that has this size now, and 0 if there is
// no such length.
func (c *change) half(size int64) int64 {
	if c.length < 0 || c.length > maxLength {
		return 0
	}
	n := max(min(c.length, size-c.at), 0) / 2
	if end := c.at + n; end < c.size {
		n = max(end/sector*sector-c.at, 0)
	}
	return n
}

// lost says what undo undoes, in words.
func (f *file) lost(n int, keep int64) string {
	switch {
	case n == 0:
		return "what was not synced of " + base(f.name) + " stays"
	case keep > 0:
		return "half of the last write to " + base(f.name) + " is lost"
	case n == 1 && len(f.log) > 1:
		return "the last change of " + base(f.name) + " is lost"
	case n == 1:
		return "1 unsynced change of " + base(f.name) + " is lost"
	}
	return fmt.Sprintf("%d unsynced changes of %s are lost", n, base(f.name))
}

// undo undoes the last n changes, but for the first bytes of the first one of these. If something
// else has changed the file it does nothing.
func (f *file) undo(d *Disk, n int, keep int64) {
	if n == 0 || !f.expects(sizeOf(f.fd)) {
		return
	}
	for ; n > 0; n-- {
		c := *f.last()
		if n > 1 {
			c.undo(f.fd, 0)
		} else {
			c.undo(f.fd, keep)
		}
		d.kept -= int64(len(c.old))
		f.log = f.log[:len(f.log)-1]
	}
}

// undo undoes a change, but for the first bytes of a write.
func (c *change) undo(fd int, keep int64) {
	if keep < int64(len(c.old)) {
		writeAt(fd, c.old[keep:], c.at+keep)
	}
	size := c.size
	if keep > 0 {
		size = max(size, c.at+keep)
	}
	truncate(fd, size)
}

// Reset forgets everything, and closes the Disk's descriptors.
func (d *Disk) Reset() {
	for _, f := range d.order {
		if f.fd >= 0 {
			closeFD(f.fd)
		}
	}
	*d = Disk{}
}
