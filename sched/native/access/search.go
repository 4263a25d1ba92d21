package access

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/live"
)

// This file announces the reads of functions of package internal/bytealg, which are not written
// in Go: the part of a slice of bytes on which the result depends. Each function here calls f.
// It announces the reads before the final call of f, since other goroutines may run in between.

// IndexByte is for functions that search for a byte from the front.
func IndexByte(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, c)
	}
	return forward(b, 1, func() int { return f(b, c) })
}

// LastIndexByte is for functions that search for a byte from the back.
func LastIndexByte(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, c)
	}
	return backward(b, func() int { return f(b, c) })
}

// Count is for functions that count a byte.
func Count(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		readSlice(b)
	}
	return f(b, c)
}

// Index is for functions that search for a slice in another one.
func Index(f func(a, b []byte) int, b, sep []byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, sep)
	}
	readSlice(sep)
	return forward(b, len(sep), func() int { return f(b, sep) })
}

// LastIndex is for functions that search for a slice in another one from the back.
func LastIndex(f func(a, b []byte) int, b, sep []byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, sep)
	}
	readSlice(sep)
	return backward(b, func() int { return f(b, sep) })
}

// Compare is for functions that compare two slices.
func Compare(f func(a, b []byte) int, a, b []byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(a, b)
	}
	for known := 0; ; {
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		if n = min(n+1, len(a), len(b)); n <= known {
			return f(a, b)
		}
		readSlice(a[known:n])
		readSlice(b[known:n])
		known = n
	}
}

// forward returns the result of a search from the front of b, and announces the bytes that the
// search has read: up to the n bytes that it has found, or all.
func forward(b []byte, n int, find func() int) int {
	for known := 0; ; {
		i := find()
		to := len(b)
		if i >= 0 {
			to = min(i+n, to)
		}
		if to <= known {
			return i
		}
		readSlice(b[known:to])
		known = to
	}
}

// backward is forward for a search from the back.
func backward(b []byte, find func() int) int {
	for known := len(b); ; {
		i := find()
		from := max(i, 0)
		if from >= known {
			return i
		}
		readSlice(b[from:known])
		known = from
	}
}
