package disk

import "syscall"

// dataSync is the flag of a descriptor with which each write is synced.
const dataSync = syscall.O_DSYNC

// seekHole is SEEK_HOLE of lseek(2).
const seekHole = 4

// hasHole reports whether a part of a file has no room on the disk so far.
func hasHole(fd int, at, n int64) bool {
	before := position(fd)
	hole, err := syscall.Seek(fd, at, seekHole)
	syscall.Seek(fd, before, 0)
	return err == nil && hole < at+n
}

// ofdSetLock is F_OFD_SETLK of fcntl(2).
const ofdSetLock = 37

// unlockRanges gives up locks of parts of a file that belong to the open file description.
func unlockRanges(fd int) {
	all := syscall.Flock_t{Type: syscall.F_UNLCK}
	syscall.FcntlFlock(uintptr(fd), ofdSetLock, &all)
}
