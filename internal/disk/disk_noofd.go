//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package disk

// dataSync is the flag of a descriptor with which each write is synced, where it differs from
// O_SYNC.
const dataSync = 0

// hasHole does not look for parts of a file that have no room.
func hasHole(int, int64, int64) bool { return false }

// unlockRanges does nothing, since locks of parts of a file belong to the process.
func unlockRanges(int) {}
