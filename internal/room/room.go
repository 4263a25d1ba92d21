// Package room makes room in the lists and stacks of long executions.
package room

import "unsafe"

// ForOne returns a list with room for one more.
//
// A list of some length gets eight times the room. What is not in use of it is memory that the
// process has never touched, so it costs nothing as a rule. A copy of a list touches the memory of
// both, for which the system has to find pages. With twice the room, about a third of the time of
// an execution of 80,000 steps went there. Lists of more than a megabyte get twice the room, since
// limits of memory count what is not in use, too. An execution of some minutes had four fifths of
// the room of its clocks in reserve when the limit was a number of entries.
func ForOne[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return enlarge(list)
}

const (
	long    = 1 << 10 // entries
	longest = 8 << 20 // bytes with eight times the room
)

// enlarge returns a list with more room, where append would copy a long one five times. It does
// without package slices: in a test under control that is code of the test's, which announces what
// it accesses.
func enlarge[T any](list []T) []T {
	times := 2
	if n := len(list); long <= n && 8*uintptr(n)*unsafe.Sizeof(list[0]) < longest {
		times = 8
	}
	return append(Make[T](0, times*len(list)+16), list...)
}

// Make returns a list of n zeroes with room for most elements. If that is much, it asks for huge
// pages.
func Make[T any](n, most int) []T {
	list := make([]T, n, most)
	if size := uintptr(most) * unsafe.Sizeof(list[0]); size >= huge {
		wantHugePages(uintptr(unsafe.Pointer(unsafe.SliceData(list))), size)
	}
	return list
}

// huge is the size from which on a list asks for huge pages, in bytes. A page takes a fault when it
// is first touched. With pages of 4 KiB, a fifth of the time of an execution of 80,000 steps went
// into those. With huge ones, up to 4 MiB beside a list may come into use with it.
const huge = 1 << 20
