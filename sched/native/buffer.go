package native

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// outward has the folders of the standard library with types that pass their buffers on to code
// that is not seen: the system, or assembly.
var outward = map[string]bool{"crypto": true, "net": true, "os": true, "syscall": true}

// Fills announces that r, a reader that is about to be called, may write all of s, if r has
// such a type. A nil r means that the call has no reader, or is known to be of that kind. Fills
// returns s.
func Fills[S ~[]byte](r any, s S) S {
	if len(s) > 0 && hook.Controlled() && isOutward(r) {
		hook.WriteMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s)))
	}
	return s
}

// Drains announces that w, a writer like the reader of [Fills], reads all of s. It returns s.
func Drains[S ~[]byte](w any, s S) S {
	if len(s) > 0 && hook.Controlled() && isOutward(w) {
		hook.ReadMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s)))
	}
	return s
}

func isOutward(x any) bool {
	if x == nil {
		return true
	}
	t := reflect.TypeOf(x)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	folder, _, _ := strings.Cut(t.PkgPath(), "/")
	return outward[folder]
}
