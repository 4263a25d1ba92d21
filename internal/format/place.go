package format

import (
	"fmt"
	"runtime"
)

// Place returns the position of the call that returns to pc.
func Place(pc uintptr) (file string, line int, function string) {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f.File, f.Line, f.Function
}

// Panic returns the text of the value of a panic, as the runtime prints it.
func Panic(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case fmt.Stringer:
		return r.String()
	}
	return fmt.Sprint(r)
}
