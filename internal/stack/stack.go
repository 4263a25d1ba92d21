// Package stack parses stacks of goroutines: which goroutine has started which, and which
// functions on a stack belong to this module rather than to the program that it runs.
package stack

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Goroutine is a goroutine as described by runtime.Stack.
type Goroutine struct {
	ID     uint64 // the runtime's number
	Parent uint64 // ID of the goroutine that started it, 0 if unknown
	State  string // "chan receive, 2 minutes"
	Frames []Frame
}

// Waits returns the wait reason of the goroutine, such as "chan receive". It omits the
// duration, since the runtime does not reset that when a coroutine continues, and may report
// minutes instead of milliseconds.
func (g Goroutine) Waits() string {
	state, _, _ := strings.Cut(g.State, ",")
	return state
}

// Frame is a call on a stack.
type Frame struct {
	Function string // its name, with the path of its package
	File     string
	Line     int
	Created  bool // not a call, but the go statement that started the goroutine
}

// Where returns the position of a frame, without folders. An empty loop may have no line.
func (f Frame) Where() string {
	if f.Line == 0 {
		return filepath.Base(f.File)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

// All returns all goroutines of the process. It stops them while it writes their stacks.
func All() []Goroutine { return Parse(Text(true)) }

// Text returns what runtime.Stack has to say of the calling goroutine, or of all goroutines, up to
// 256 MB. What does not fit into the buffer takes as long as what does, so the buffer has room for
// most from the beginning.
func Text(all bool) string {
	const usual, most = 2 << 10, 1 << 28 // bytes for one goroutine, and for all
	size := 1 << 14
	if all {
		size = min(size+usual*runtime.NumGoroutine(), most)
	}
	for ; ; size = min(4*size, most) {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, all); n < size || size >= most {
			return string(buf[:n])
		}
	}
}

// Parse parses the goroutines in the output of runtime.Stack, and ignores other text.
func Parse(text string) []Goroutine {
	var all []Goroutine
	for _, part := range strings.Split(text, "\n\n") {
		g, ok := heading(part)
		if !ok {
			continue
		}
		g.Frames = Frames(part)
		if i := strings.LastIndex(part, inGoroutine); i >= 0 {
			number, _, _ := strings.Cut(part[i+len(inGoroutine):], "\n")
			g.Parent, _ = strconv.ParseUint(number, 10, 64)
		}
		all = append(all, g)
	}
	return all
}

const (
	createdBy   = "created by "
	inGoroutine = " in goroutine "
)

// heading parses the line "goroutine 7 [chan receive, 2 minutes]:".
func heading(text string) (g Goroutine, ok bool) {
	text, ok = strings.CutPrefix(text, "goroutine ")
	if !ok {
		return g, false
	}
	number, rest, _ := strings.Cut(text, " ")
	_, rest, ok = strings.Cut(rest, "[") // "gp=... m=... [state]" with some GOTRACEBACK
	if !ok {
		return g, false
	}
	g.State, _, _ = strings.Cut(rest, "]")
	id, err := strconv.ParseUint(number, 10, 64)
	g.ID = id
	return g, err == nil
}

// Frames returns the frames of the stack of one goroutine, innermost first.
func Frames(text string) []Frame {
	var frames []Frame
	lines := strings.Split(text, "\n")
	for i := 0; i+1 < len(lines); i++ {
		at, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue
		}
		f := Frame{}
		f.Function, f.Created = strings.CutPrefix(lines[i], createdBy)
		f.Function, _, _ = strings.Cut(f.Function, inGoroutine)
		if n := strings.LastIndex(f.Function, "("); n > 0 && strings.HasSuffix(f.Function, ")") {
			f.Function = f.Function[:n] // without arguments
		}
		f.File, _, _ = strings.Cut(at, " +0x")
		if n := strings.LastIndex(f.File, ":"); n >= 0 {
			f.Line, _ = strconv.Atoi(f.File[n+1:])
			f.File = f.File[:n]
		}
		frames = append(frames, f)
		i++
	}
	return frames
}

// Descends reports whether, among all, goroutine id is ancestor, or was started by it, directly
// or indirectly.
func Descends(all []Goroutine, id, ancestor uint64) bool {
	for range all {
		i := slices.IndexFunc(all, func(g Goroutine) bool { return g.ID == id })
		if id == ancestor || i < 0 {
			break
		}
		id = all[i].Parent
	}
	return id == ancestor
}

// Current returns the runtime's number of the calling goroutine. It takes about a microsecond.
func Current() uint64 {
	var buf [64]byte
	text := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	number, _, _ := strings.Cut(text, " ")
	id, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		panic("stack: cannot tell goroutines apart: " + err.Error())
	}
	return id
}
