package machine

import (
	"runtime"
	"strings"
)

// ofConnection reports whether the calling goroutine reads the body of a response of package
// net/http, and the access is to memory of the connection. A buffer that is filled there is the
// program's. The memory goes with the connection from one request to the next. Goroutines of
// package net/http, which are not under control, keep the order: it looks like no order.
func ofConnection(does accessKind) bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for f, more := frames.Next(); ; f, more = frames.Next() {
		if does == PlainWrite && strings.HasPrefix(f.Function, accessCopy) {
			return false // a connection's own buffer is filled by the kernel
		}
		if rest, ok := strings.CutPrefix(f.Function, "net/http."); ok && (strings.HasPrefix(rest, "(*body") || strings.HasPrefix(rest, "(*http2")) {
			return true
		}
		if !more {
			return false
		}
	}
}

// accessCopy is what the builtin function copy is under control.
const accessCopy = "github.com/gopor/gopor/sched/native/access.Copy"
