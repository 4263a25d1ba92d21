package room

import "syscall"

const hugePage = 2 << 20

// wantHugePages asks for huge pages for the memory at an address, and for what shares them. Where
// the system has none, or gives them to everything anyway, nothing changes.
func wantHugePages(at, size uintptr) {
	from, to := at&^(hugePage-1), (at+size+hugePage-1)&^(hugePage-1)
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
