//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
)

// An inode identifies a file independently of its names.
type inode struct{ dev, ino uint64 }

// identify returns the file of a descriptor or else of a name, and whether it is a regular one.
func identify(fd int, name string) (id inode, regular bool) {
	var s syscall.Stat_t
	var err error
	if fd >= 0 {
		err = syscall.Fstat(fd, &s)
	} else {
		err = syscall.Stat(name, &s)
	}
	return inode{uint64(s.Dev), uint64(s.Ino)}, err == nil && s.Mode&syscall.S_IFMT == syscall.S_IFREG
}

// open opens a file once more, for reading and writing. It returns -1 if that cannot be done.
func open(fd int, name string, id inode) int {
	names := []string{name}
	if fd >= 0 && runtime.GOOS == "linux" {
		names = append(names, fmt.Sprintf("/proc/self/fd/%d", fd)) // the name may be another file's
	}
	for _, name := range names {
		own, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if got, ok := identify(own, ""); ok && got == id {
			return own
		}
		syscall.Close(own)
	}
	return -1
}

func closeFD(fd int) { syscall.Close(fd) }

func sizeOf(fd int) int64 {
	var s syscall.Stat_t
	if syscall.Fstat(fd, &s) != nil {
		return 0
	}
	return s.Size
}

// isNamed reports whether a file has a name.
func isNamed(fd int) bool {
	var s syscall.Stat_t
	return syscall.Fstat(fd, &s) == nil && s.Nlink > 0
}

// The flags of a descriptor.
const (
	writable = 1 << iota
	appends
	synced
)

func flagsOf(fd int) (flags int) {
	is, _, err := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	if err != 0 {
		return 0
	}
	if is&syscall.O_ACCMODE != syscall.O_RDONLY {
		flags |= writable
	}
	if is&syscall.O_APPEND != 0 {
		flags |= appends
	}
	if is&(syscall.O_SYNC|dataSync) != 0 {
		flags |= synced
	}
	return flags
}

func position(fd int) int64 {
	at, err := syscall.Seek(fd, 0, 1)
	if err != nil {
		return -1
	}
	return at
}

// readAt fills b, and reports whether it could.
func readAt(fd int, b []byte, at int64) bool {
	for len(b) > 0 {
		n, err := syscall.Pread(fd, b, at)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return false
		}
		b, at = b[n:], at+int64(n)
	}
	return true
}

func writeAt(fd int, b []byte, at int64) {
	for len(b) > 0 {
		n, err := syscall.Pwrite(fd, b, at)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		b, at = b[n:], at+int64(n)
	}
}

func truncate(fd int, size int64) { syscall.Ftruncate(fd, size) }

// unlock gives up the locks that a descriptor has, but for those that belong to the process.
func unlock(fd int) {
	syscall.Flock(fd, syscall.LOCK_UN)
	unlockRanges(fd)
}

// base returns the last element of a name.
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// IsRegular reports whether a descriptor is one of a regular file.
func IsRegular(fd int) bool {
	_, regular := identify(fd, "")
	return regular
}

// NeedsRoom reports whether a write of n bytes takes room on the disk: it makes a regular file
// larger, or goes to a part that has no room so far. A negative number stands for an unknown one.
// At is where the write begins, -1 for the position of the descriptor.
func NeedsRoom(fd int, at, n int64) bool {
	flags := flagsOf(fd)
	switch {
	case n == 0 || !IsRegular(fd) || flags&writable == 0:
		return false
	case n < 0 || flags&appends != 0:
		return true
	case at < 0:
		at = position(fd)
	}
	return at+n > sizeOf(fd) || hasHole(fd, at, n)
}

// Exists reports whether there is a file of that name.
func Exists(name string) bool {
	var s syscall.Stat_t
	return syscall.Lstat(name, &s) == nil
}

// IsFolder reports whether a descriptor is one of a folder.
func IsFolder(fd int) bool {
	var s syscall.Stat_t
	return syscall.Fstat(fd, &s) == nil && s.Mode&syscall.S_IFMT == syscall.S_IFDIR
}
