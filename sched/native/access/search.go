package access

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/live"
)

// This file has what functions of package internal/bytealg read, which are not written in Go: of a slice of bytes as
// much as the result depends on. Each of these calls the function f of its name. What it reads is announced before
// it is read for good, since others may come between.

// IndexByte is for those that look for a byte from the front.
func IndexByte(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, c)
	}
	return forward(b, 1, func() int { return f(b, c) })
}

// LastIndexByte is for those that look for a byte from the back.
func LastIndexByte(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, c)
	}
	return backward(b, func() int { return f(b, c) })
}

// Count is for those that count a byte.
func Count(f func([]byte, byte) int, b []byte, c byte) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		readSlice(b)
	}
	return f(b, c)
}

// Index is for those that look for a slice in another.
func Index(f func(a, b []byte) int, b, sep []byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, sep)
	}
	readSlice(sep)
	return forward(b, len(sep), func() int { return f(b, sep) })
}

// LastIndex is for those that look for a slice in another from the back.
func LastIndex(f func(a, b []byte) int, b, sep []byte) int {
	if atomic.LoadInt32(&live.Goroutines) == 0 {
		return f(b, sep)
	}
	readSlice(sep)
	return backward(b, func() int { return f(b, sep) })
}

// Compare is for those that compare two slices.
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

// forward returns what a search from the front of b finds, and announces what that has looked at: as far as n bytes that
// it has found, or all.
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
