//go:build !amd64 && !arm64

package machine

import (
	"bytes"
	"runtime"
	"strconv"
)

// getg returns a number that tells live goroutines apart: the one in the first
// line of a stack trace. It costs about a microsecond.
func getg() uintptr {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(text, ' '); i >= 0 {
		text = text[:i]
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		panic("sched: cannot tell goroutines apart: " + err.Error())
	}
	return uintptr(n)
}
