package exec

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
)

// This file finds out where a program is: what is on the stack of a goroutine.

// stacks numbers stacks, of which an execution has few that differ.
type stacks struct {
	list   [][]uintptr // without the first, which is number 0
	number map[string]int32
}

func (s *stacks) reset() { *s = stacks{number: make(map[string]int32)} }

func (s *stacks) numberOf(pcs []uintptr) int32 {
	if len(pcs) == 0 {
		return 0
	}
	bytes := bytesOf(pcs)
	n, ok := s.number[string(bytes)]
	if !ok {
		s.list = append(s.list, pcs)
		n = int32(len(s.list))
		s.number[string(bytes)] = n
	}
	return n
}

// calls returns the calls of every stack, by number.
func (s *stacks) calls() [][]Call {
	all := make([][]Call, 1+len(s.list))
	for i, pcs := range s.list {
		for _, pc := range pcs {
			var c Call
			c.File, c.Line, c.Func = format.Place(pc)
			all[i+1] = append(all[i+1], c)
		}
	}
	return all
}

// placing says what caller makes of a call.
type placing uint8

const (
	callUnknown placing = iota
	callPassed          // of this module, the runtime or package testing
	callFirst           // what started the goroutine's stack
	callUser            // of the program
)

// placing finds out, once, which function makes the call that returns to pc.
func (r *recorder) placing(pc uintptr) placing {
	p := r.places[pc]
	if p == callUnknown {
		file, _, function := format.Place(pc)
		switch {
		case strings.HasPrefix(function, "iter."), stack.RoleOf(function) == stack.First:
			p = callFirst
		case stack.Frame{Function: function, File: file}.Ours(), strings.HasPrefix(function, "runtime."), strings.HasPrefix(function, "testing."):
			p = callPassed
		default:
			p = callUser
		}
		if r.places == nil {
			r.places = make(map[uintptr]placing)
		}
		r.places[pc] = p
	}
	return p
}

// caller returns the innermost call of the program; where g's whole stack is
// ours, the go statement that started g. A loop asks for it millions of times in one place, so it
// tells places by the frames of the stack, as calls does.
func (c *Closure) caller(g *machine.Goroutine) uintptr {
	var frames [mostFrames]uintptr
	key := bytesOf(frames[:stack.Calls(frames[:])])
	pc, known := c.record.callers[string(key)]
	if !known || len(key) == 0 {
		pc = c.innermost()
		if c.record.callers == nil {
			c.record.callers = make(map[string]uintptr)
		}
		c.record.callers[string(key)] = pc
	}
	if pc == 0 {
		return g.Origin.PC
	}
	return pc
}

// innermost returns the innermost call of the program on the calling goroutine's stack, 0
// if there is none.
func (c *Closure) innermost() uintptr {
	var pcs [24]uintptr
	for depth := 6; ; depth = len(pcs) { // to walk a stack is dear
		n := runtime.Callers(2, pcs[:depth])
		for _, pc := range pcs[:n] {
			switch c.record.placing(pc) {
			case callFirst:
				return 0
			case callUser:
				return pc
			}
		}
		if n < depth || depth == len(pcs) {
			return 0
		}
	}
}

// calls is what there is to say of a stack: the innermost call of the program, 0 if there
// is none, and its number among stacks.
type calls struct {
	pc    uintptr
	stack int32
}

// mostFrames is how deep a stack may be that is known again.
const mostFrames = 256

// calls returns the caller of g, which is the calling goroutine, and the number of its
// stack. A program is in few places, again and again, so it tells them by the frames of
// the stack: to find out of which calls these are is a hundred times as dear.
func (c *Closure) calls(g *machine.Goroutine) (pc uintptr, number int32) {
	var frames [mostFrames]uintptr
	key := bytesOf(frames[:stack.Calls(frames[:])])
	known, ok := c.record.walked[string(key)]
	if !ok || len(key) == 0 {
		known = calls{c.innermost(), c.record.stacks.numberOf(c.stack(g))}
		if len(key) > 0 && c.record.walked != nil {
			c.record.walked[string(key)] = known
		}
	}
	if known.pc == 0 {
		return g.Origin.PC, known.stack
	}
	return known.pc, known.stack
}

// bytesOf returns the memory of pcs.
func bytesOf(pcs []uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(pcs))), len(pcs)*int(unsafe.Sizeof(pcs[0])))
}

// userPC returns the innermost call of the program that is not the standard library's,
// which has been called by the program; caller where there is none.
func (c *Closure) userPC(g *machine.Goroutine) uintptr {
	for _, pc := range c.stack(g) {
		if file, _, _ := format.Place(pc); !stack.Standard(file) {
			return pc
		}
	}
	return c.caller(g)
}

// stack returns the calls of the program on the stack of g, which is the
// calling goroutine, innermost first.
func (c *Closure) stack(g *machine.Goroutine) (user []uintptr) {
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		switch c.record.placing(pc) {
		case callFirst:
			return user
		case callUser:
			user = append(user, pc)
		}
	}
	return user
}

// userStack returns the stack of the calling goroutine.
func userStack() string {
	buf := make([]byte, 16<<10)
	return string(buf[:runtime.Stack(buf, false)])
}
