package native

import (
	"runtime"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/stack"
)

// Loops over maps in the standard library are not rewritten: they go in one order, which the runtime draws from
// constants while goroutines are controlled. A loop that a controlled goroutine begins over several keys is noted,
// unless nothing depends on its order: see orderless.go.

func init() { live.Fixes = fixes }

// fixes notes that the calling goroutine begins a loop over a map of several keys, of which the runtime was told the
// order.
func fixes() {
	if hook.WantsOrder() {
		hook.Serve(noteOrder)
	}
}

// rangeFrames is how many calls are looked at to find out which function loops over a map.
const rangeFrames = 16

// rangers keeps what was found out of stacks.
var rangers struct {
	mu    sync.Mutex
	known map[[rangeFrames]uintptr]string
}

// mostRangers is how many stacks are kept.
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

// rangerOf returns whose loop over a map is the innermost on a stack, "" if nothing depends on its order.
func rangerOf(pcs []uintptr) string {
	by := ""
	frames := runtime.CallersFrames(pcs)
	for begun, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch name := plainName(f.Function); {
		case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/"):
			begun = true
		case !begun: // what has been called from there
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

// iterates reports whether a file has iterators of package maps, or what package slices makes of them. A function literal of
// one that is inlined has the name of its caller.
func iterates(file string) bool {
	file = strings.TrimPrefix(file, stack.StandardFolder)
	return strings.HasPrefix(file, "maps/") || file == "slices/iter.go"
}

// plainName returns the name of a function without that of a literal in it, and without type arguments.
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
