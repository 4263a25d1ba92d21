package disk

import "syscall"

// dataSync is the flag of a descriptor with which each write is synced.
const dataSync = syscall.O_DSYNC

// ofdSetLock is F_OFD_SETLK of fcntl(2).
const ofdSetLock = 37

// unlockRanges gives up locks of parts of a file that belong to the open file description.
func unlockRanges(fd int) {
	all := syscall.Flock_t{Type: syscall.F_UNLCK}
	syscall.FcntlFlock(uintptr(fd), ofdSetLock, &all)
}
