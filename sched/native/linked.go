package native

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Linked returns the function to call in place of f, a function of the runtime that the program
// has taken by go:linkname. In executions random numbers and the time are those of packages
// math/rand and time there, no goroutine can tell on which processor it runs, and spinning is
// never worthwhile. Hashes are the same in every process, and in all of it, since one function
// looks up what another one has computed. The garbage collector calls no function of the
// program when it has stopped the world, in an execution or not, since the function would be
// under control.
func Linked[F any](f F, what string) F {
	if in, ok := any(func(func()) {}).(F); ok { // registerPoolCleanup
		return in
	}
	if h, ok := hashes[what]; ok {
		if h, ok := h.(F); ok {
			return h
		}
		return noting(f, sched.AssumeCode, what)
	}
	if !hook.Active() {
		if t, ok := hook.InitialTime(); ok {
			if in, ok := clock(f, func() time.Time { return t }).(F); ok {
				return in
			}
		}
		return f
	}
	in := clock(f, sched.Now)
	switch any(f).(type) {
	case func() uint32:
		in = func() uint32 { return uint32(drawn(what).Uint64()) }
	case func() uint64:
		in = func() uint64 { return drawn(what).Uint64() }
	case func() uint:
		in = func() uint { return uint(drawn(what).Uint64()) }
	case func(uint32) uint32:
		in = func(n uint32) uint32 { return below(n, what) }
	case func() int:
		in = func() int { return 0 } // procPin
	case func(int) bool:
		in = func(int) bool { return false } // canSpin
	case func():
		in = func() {}
	}
	if in, ok := in.(F); ok {
		return in
	}
	return noting(f, sched.AssumeCode, what)
}

// drawn returns the calling goroutine's source of random numbers.
func drawn(what string) *rand.PCG {
	sched.Assume(sched.AssumeRandom, what)
	return source()
}

// below returns a number below n as the runtime's functions do, or one that the search has
// chosen. For n = 0 it returns 0.
func below(n uint32, what string) uint32 {
	if x, ok := hook.Draw(int64(n)); ok {
		return uint32(x)
	}
	return uint32(drawn(what).Uint64() >> 32 * uint64(n) >> 32)
}

// clock returns the function to call in place of f, if f is one of the runtime's clocks, and
// nil otherwise.
func clock(f any, now func() time.Time) any {
	switch f.(type) {
	case func() int64:
		return func() int64 { return now().UnixNano() }
	case func() (int64, int32):
		return func() (int64, int32) { t := now(); return t.Unix(), int32(t.Nanosecond()) }
	case func() (int64, int32, int64):
		return func() (int64, int32, int64) { t := now(); return t.Unix(), int32(t.Nanosecond()), t.UnixNano() }
	}
	return nil
}

// hashes has replacements of the runtime's hash functions, by name.
var hashes = map[string]any{
	"runtime.memhash": memhash,
	"runtime.strhash": func(p unsafe.Pointer, seed uintptr) uintptr {
		s := *(*string)(p)
		return memhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
	},
	"runtime.memhash32": func(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 4) },
	"runtime.memhash64": func(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 8) },
}

// memhash hashes n bytes. It folds words in by products of 128 bits.
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(seed) ^ k0 ^ uint64(n)*k1
	mix := func(w uint64) {
		hi, lo := bits.Mul64(h^w, k1)
		h = hi ^ lo + k0
	}
	b := unsafe.Slice((*byte)(p), n)
	for ; len(b) >= 8; b = b[8:] {
		mix(binary.NativeEndian.Uint64(b))
	}
	var last [8]byte
	copy(last[:], b)
	mix(binary.NativeEndian.Uint64(last[:]))
	return uintptr(h)
}

// Add returns p + n. A sum of numbers would not follow the memory that p points to.
func Add(p unsafe.Pointer, n uintptr) unsafe.Pointer { return unsafe.Add(p, n) }
