package machine

import (
	"reflect"
	"runtime"
	"strings"
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

// mostFrames is how deep in comparing keys an access is looked for.
const mostFrames = 64

// frameKinds remembers what places in functions are.
type frameKinds [256]struct {
	pc   uintptr
	kind frameKind
}

// of returns what the function is that pc, which follows a call, is in. The methods of e announce
// accesses.
func (t *frameKinds) of(pc uintptr, e Executor) frameKind {
	f := &t[(pc^pc>>8)%uintptr(len(t))]
	if f.pc != pc {
		f.pc, f.kind = pc, kindOfFrame(runtime.FuncForPC(pc-1).Name(), packageOf(e)+".(")
	}
	return f.kind
}

// packageOf returns the path of the package of what e points to.
func packageOf(e Executor) string { return reflect.TypeOf(e).Elem().PkgPath() }

// kindOfFrame returns what a function is, given how the names of the methods of the executor begin.
func kindOfFrame(function, methods string) frameKind {
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
	case has("runtime.race", "github.com/gopor/gopor/internal/machine.", "github.com/gopor/gopor/internal/hook.", methods):
		return frameAnnounce
	case has("runtime.map", "internal/runtime/maps.", "internal/sync."):
		return frameMap
	case has("runtime."):
		return frameAny
	}
	return frameOther
}

// FindsKey reports whether the access that the caller has announced is one by which the
// runtime finds a key in a map.
func (m *Machine) FindsKey() bool {
	compares := false
	for n := range mostFrames {
		pc := callerAt(n)
		if pc == 0 {
			return false
		}
		switch m.Memory.frames.of(pc, m.Exec) {
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
