package machine

import (
	"runtime"
	"strings"
)

// ofConnection reports whether a stack, with the innermost call first, is of code that reads the body of a response of
// package net/http. What is in there belongs to a connection, and goes with that from one request to the next, in
// an order that is kept by goroutines of package net/http, which are not under control: it cannot be told from none.
func ofConnection(pcs []uintptr) bool {
	for frames, more := runtime.CallersFrames(pcs), len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if rest, ok := strings.CutPrefix(f.Function, "net/http."); ok && (strings.HasPrefix(rest, "(*body") || strings.HasPrefix(rest, "(*http2")) {
			return true
		}
	}
	return false
}
