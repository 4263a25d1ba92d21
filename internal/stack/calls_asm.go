//go:build amd64 || arm64

package stack

import "unsafe"

// Descriptor returns the address of the runtime's descriptor of the calling goroutine, which tells
// live goroutines apart. It begins with the bounds of the stack.
func Descriptor() uintptr

// Has reports whether p is on the stack of the goroutine with the descriptor gp. Another
// goroutine's stack may have been there earlier in an execution.
func Has(gp uintptr, p unsafe.Pointer) bool {
	bounds := *(**[2]uintptr)(unsafe.Pointer(&gp))
	return uintptr(p)-bounds[0] < bounds[1]-bounds[0]
}

// framePointer returns where the frame of a caller lies: at its address is the one of
// that one's caller, and after it where that goes on.
func framePointer() uintptr

// CallerAt returns where the n-th call goes on, counted from the one of CallerAt, 0
// if there are not so many. Nothing is called once the pointer is known, since the stack
// moves when it grows.
//
//go:noinline
func CallerAt(n int) (pc uintptr) {
	for f := framePointer(); f != 0; n-- {
		frame := *(**[2]uintptr)(unsafe.Pointer(&f))
		if f, pc = frame[0], frame[1]; n == 0 {
			return pc
		}
	}
	return 0
}

// Calls sets pcs to where the calls on the calling goroutine's stack go on, innermost first, and
// returns how many there are. It returns 0 if there are more, or if code among them keeps no
// frames.
func Calls(pcs []uintptr) int {
	gp := Descriptor()
	f := framePointer()
	bounds := *(**[2]uintptr)(unsafe.Pointer(&gp))
	for n := range pcs {
		switch {
		case f == 0:
			return n
		case f < bounds[0] || f > bounds[1]-unsafe.Sizeof(*bounds):
			return 0
		}
		frame := *(**[2]uintptr)(unsafe.Pointer(&f))
		f, pcs[n] = frame[0], frame[1]
	}
	return 0
}

// Innermost is Calls for as many calls as pcs has room for, or as keep frames.
func Innermost(pcs []uintptr) int {
	gp := Descriptor()
	f := framePointer()
	bounds := *(**[2]uintptr)(unsafe.Pointer(&gp))
	for n := range pcs {
		if f < bounds[0] || f > bounds[1]-unsafe.Sizeof(*bounds) {
			return n
		}
		frame := *(**[2]uintptr)(unsafe.Pointer(&f))
		f, pcs[n] = frame[0], frame[1]
	}
	return len(pcs)
}
