package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

func init() { live.Touch = touch }

// touch is for a goroutine that looks at what the standard library keeps at p, or changes it. See [sched.ModelLock].
func touch(p unsafe.Pointer, changes bool) {
	switch {
	case hook.Unwinding():
		return
	case !hook.LibraryLocks():
		hook.Touch(p, changes)
		return
	}
	s := hook.Shadow(unsafe.Add(p, 2), func() any { return new(hook.Kept) }).(*hook.Kept) // a lock may be at p
	if changes {
		s.Change()
	} else {
		s.Look()
	}
}
