package exec

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/gopor/gopor/internal/stack"
)

// This file leaves out what the runtime reads to find a key in a map. The compiler makes the
// functions that compare and hash keys in packages of the program. So they announce what they read:
// the key, and keys that are in the map. Which of these are compared depends on their hashes, which
// differ from map to map. The use of the map has been announced already, as one variable. What the
// program compares by itself is not left out.

// frameKind says what a function is to an access of memory that was announced by what it calls.
type frameKind uint8

const (
	frameOther    frameKind = iota + 1
	frameAnnounce           // announces the access
	frameCompare            // compares or hashes values of a type of the program's
	frameAny                // compares or hashes what is in an interface
	frameMap                // belongs to maps
)

// deepestKey is how deep in comparing keys an access is looked for.
const deepestKey = 64

// frameKinds remembers what places in functions are.
type frameKinds [256]struct {
	pc   uintptr
	kind frameKind
}

// of returns what the function is that pc, which follows a call, is in.
func (t *frameKinds) of(pc uintptr) frameKind {
	f := &t[(pc^pc>>8)%uintptr(len(t))]
	if f.pc != pc {
		f.pc, f.kind = pc, kindOfFrame(runtime.FuncForPC(pc-1).Name())
	}
	return f.kind
}

// ownMethods is how the names of methods of this package begin.
var ownMethods = reflect.TypeFor[Closure]().PkgPath() + ".("

// kindOfFrame returns what a function is. The methods of this package announce accesses.
func kindOfFrame(function string) frameKind {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(function, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("type:.eq.", "type:.hash."):
		return frameCompare
	case has("runtime.race", "github.com/gopor/gopor/internal/machine.", "github.com/gopor/gopor/internal/hook.", ownMethods):
		return frameAnnounce
	case has("runtime.map", "internal/runtime/maps.", "internal/sync."):
		return frameMap
	case has("runtime."):
		return frameAny
	}
	return frameOther
}

// findsKey reports whether the access that the caller has announced is one by which the
// runtime finds a key in a map.
func (c *Closure) findsKey() bool {
	compares := false
	for n := range deepestKey {
		pc := stack.CallerAt(n)
		if pc == 0 {
			return false
		}
		switch c.frames.of(pc) {
		case frameCompare:
			compares = true
		case frameMap:
			return compares
		case frameAny:
			if !compares {
				return false
			}
		case frameOther:
			return false
		}
	}
	return false
}
