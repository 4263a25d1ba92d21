package native

import (
	"runtime"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
)

// Loops over maps in the standard library are not rewritten: they have one order, which the
// runtime draws from constants while goroutines are controlled. A loop that a controlled
// goroutine begins over several keys is noted, unless nothing depends on its order: see
// orderless.go.

// Fixes notes that the calling goroutine begins a loop over a map of several keys, in an order
// that the runtime was told.
func (execution) Fixes() {
	if hook.WantsOrder() {
		hook.Serve(noteOrder)
	}
}

// rangeFrames is the number of calls that are searched for the function that loops over a map.
const rangeFrames = 16

// rangers caches results for stacks.
var rangers struct {
	mu    sync.Mutex
	known map[[rangeFrames]uintptr]string
}

// mostRangers is the largest number of stacks that are kept.
const mostRangers = 1 << 12

func noteOrder() {
	var pcs [rangeFrames]uintptr
	n := runtime.Callers(2, pcs[:])
	r := &rangers
	r.mu.Lock()
	by, known := r.known[pcs]
	if !known {
		by = rangerOf(pcs[:n])
		if r.known == nil || len(r.known) == mostRangers {
			r.known = make(map[[rangeFrames]uintptr]string)
		}
		r.known[pcs] = by
	}
	r.mu.Unlock()
	if by != "" {
		hook.NoteOrder(hook.LibraryRange + by)
	}
}

// rangerOf returns the function of the innermost loop over a map on a stack, or "" if nothing
// depends on its order.
func rangerOf(pcs []uintptr) string {
	by := ""
	frames := runtime.CallersFrames(pcs)
	for begun, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch name := plainName(f.Function); {
		case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/"):
			begun = true
		case !begun: // called by the runtime
		case orderless[name], stack.Frame{Function: f.Function, File: f.File}.Ours():
			return ""
		case !stack.Standard(f.File):
			if by == "" {
				by = "code that is not rewritten"
			}
			return by
		default:
			by = stack.Unescape(name)
			if !handsMap(name) && !strings.HasPrefix(name, "reflect.") && !iterates(f.File) {
				return by
			}
		}
	}
	return by
}

// iterates reports whether a file has iterators of package maps, or functions of package slices
// on them. An inlined function literal of one has the name of its caller.
func iterates(file string) bool {
	file = strings.TrimPrefix(file, stack.StandardFolder)
	return strings.HasPrefix(file, "maps/") || file == "slices/iter.go"
}

// plainName returns the name of a function without those of function literals in it, and
// without type arguments.
func plainName(name string) string {
	name = strings.ReplaceAll(name, "[...]", "")
	for at := 0; ; {
		i := strings.Index(name[at:], ".func")
		if i < 0 {
			break
		}
		at += i + len(".func")
		if at < len(name) && '0' <= name[at] && name[at] <= '9' {
			name = name[:at-len(".func")]
			break
		}
	}
	name, _, _ = strings.Cut(name, "-range")
	return name
}
