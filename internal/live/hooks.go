package live

import "unsafe"

// The variables of this file are functions of packages hook and native, which set them when
// the program begins. They are for code that those import themselves, such as that of the
// standard library. It calls them when there are controlled goroutines.
var (
	// Read and Write say that the caller is about to read or write the size bytes at p, or
	// has just done so.
	Read, Write func(p unsafe.Pointer, size uintptr)
	// Inserts says that the caller is about to set the entry of k in the map at m.
	Inserts func(m unsafe.Pointer, k any)
	// Acquire and Release say that the caller synchronises by what is at p: with all that
	// have released it, and with all that will acquire it.
	Acquire, Release func(p unsafe.Pointer)
	// Controlled reports whether the caller is controlled, and Yield lets others go on
	// before it does: it is for one that waits for them.
	Controlled func() bool
	Yield      func()
)
