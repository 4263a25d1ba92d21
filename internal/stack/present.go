package stack

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
)

// This file makes stacks look to a program under control as they would without control. It
// removes goroutines of this module, and its frames below those of the program.

// runner has the calls below a test function in package testing.
var runner atomic.Pointer[[]uintptr]

// KnowRunner looks for package testing on the stack of the calling goroutine, so that stacks of
// controlled tests can begin in the same way.
func KnowRunner() {
	if runner.Load() != nil {
		return
	}
	var pcs [64]uintptr
	n := runtime.Callers(1, pcs[:])
	for i, pc := range pcs[:n] {
		if f, _ := runtime.CallersFrames([]uintptr{pc}).Next(); f.Function == "testing.tRunner" {
			below := append([]uintptr(nil), pcs[i:n]...)
			runner.Store(&below)
		}
	}
}

// program reports whether a call belongs neither to this module nor to code between it and the
// runtime.
func (f Frame) program() bool {
	for _, prefix := range []string{"runtime.", "iter.", "testing.", "internal/race"} {
		if strings.HasPrefix(f.Function, prefix) {
			return false
		}
	}
	return !f.Ours() || f.twin()
}

// twin reports whether a frame belongs to the twin of a package of the standard library.
func (f Frame) twin() bool { return strings.HasPrefix(f.Function, Module+twins) }

// IsProgram reports whether a call belongs to the program, as far as the call itself shows.
func IsProgram(pc uintptr) bool {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return (Frame{Function: f.Function, File: f.File}).program()
}

// Callers is runtime.Callers for controlled goroutines.
func Callers(skip int, pcs []uintptr) int {
	var room [512]uintptr
	at, below := cut(all(2, room[:]))
	frames := 0
	for iter := runtime.CallersFrames(at); len(at) > 0; frames++ {
		if _, more := iter.Next(); !more {
			frames++
			break
		}
	}
	// The second unwinding skips inlined calls one by one.
	if skip < frames {
		at, _ = cut(all(2+skip, room[:]))
		return copy(pcs, append(at, below...))
	}
	return copy(pcs, below[min(skip-frames, len(below)):])
}

// all returns the result of runtime.Callers for its caller. It uses room if that is large
// enough.
func all(skip int, room []uintptr) []uintptr {
	for {
		if n := runtime.Callers(skip+1, room); n < len(room) {
			return room[:n]
		}
		room = make([]uintptr, 2*len(room))
	}
}

// cut returns the program's part of a stack, and the calls to show below it.
func cut(pcs []uintptr) (at, below []uintptr) {
	for i, pc := range pcs {
		if RoleOf(runtime.FuncForPC(pc-1).Name()) == First {
			pcs = pcs[:i]
			break
		}
	}
	test := false
	for n := len(pcs); n > 0; n-- {
		frames := runtime.CallersFrames(pcs[n-1 : n])
		for {
			f, more := frames.Next()
			if (Frame{Function: f.Function, File: f.File}).program() {
				pcs = pcs[:n:n]
				return pcs, belowOf(test)
			}
			test = test || Testing(f.Function)
			if !more {
				break
			}
		}
	}
	return nil, belowOf(test)
}

// belowOf returns the calls below those of a program: those of package testing for a test.
func belowOf(test bool) []uintptr {
	below := runner.Load()
	switch {
	case below == nil:
		return nil
	case test:
		return *below
	}
	return (*below)[len(*below)-1:]
}

// A Standing is the visible state of a goroutine of an execution.
type Standing struct {
	Number uint64
	State  string  // such as "chan receive"
	Born   uintptr // the go statement that started it, 0 if there is none
	Parent uint64  // Number of the goroutine that started it
}

// Present returns the output of runtime.Stack as a program under control sees it. waiting has
// the goroutines of the execution, by the runtime's numbers. It is nil outside of executions,
// where all goroutines of this module are removed.
func Present(text string, waiting map[uint64]Standing) string {
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		g, ok := heading(part)
		if !ok {
			continue
		}
		g.Frames = Frames(part)
		state, controlled := waiting[g.ID]
		switch {
		case controlled:
			part = controlledText(g, part, state)
		case g.Has(Controlled), g.ofModule():
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(part)
	}
	return b.String() + "\n"
}

// ofModule reports whether a goroutine that is not controlled belongs to this module. Such a
// goroutine is in a call of an internal function or was started there, or it is a coroutine
// that has not begun or has ended. The goroutine of package os/signal counts as well, since a
// long search handles Ctrl-C.
func (g *Goroutine) ofModule() bool {
	for i, f := range g.Frames {
		if i == 0 && (f.Function == "runtime.corostart" || f.Function == "runtime.goexit1" || f.Function == "os/signal.signal_recv") {
			return true
		}
		for _, prefix := range []string{"runtime.", "runtime/", "iter.", "internal/", "sync.", "time."} {
			if strings.HasPrefix(f.Function, prefix) {
				f.Function = ""
			}
		}
		if !f.Created && Standard(f.File) && !Testing(f.Function) {
			f.Function = ""
		}
		if f.Function != "" && !f.Created {
			last := g.Frames[len(g.Frames)-1]
			return f.forNobody() || last.Created && last.forNobody() && !Testing(last.Function)
		}
	}
	return false
}

// Standard reports whether a file belongs to the standard library, as far as is known.
func Standard(file string) bool {
	return StandardFolder != "" && strings.HasPrefix(file, StandardFolder)
}

// StandardFolder is the folder of the standard library at compile time, "" if it is unknown.
var StandardFolder = func() string {
	f := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer())
	file, _ := f.FileLine(f.Entry())
	if dir := path.Dir(path.Dir(file)); dir != "." {
		return dir + "/"
	}
	return ""
}()

// forNobody reports whether a frame belongs to this module, but not to a twin or another
// package that rewritten code calls.
func (f Frame) forNobody() bool {
	return f.Ours() && !f.twin() && !strings.HasPrefix(f.Function, Module+rewritten)
}

// controlledText returns the stack of a controlled goroutine, given the text of the full stack.
func controlledText(g Goroutine, text string, is Standing) string {
	lines := strings.Split(text, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "goroutine %d [%s]:", is.Number, is.State)
	from, to, test := -1, -1, false // the program's part
	top := ""                       // the method of package testing that it waits in
	for i := 1; i+1 < len(lines); i += 2 {
		f := Frames(lines[i] + "\n" + lines[i+1])
		if len(f) == 0 || f[0].Created || RoleOf(f[0].Function) == First {
			break
		}
		if f[0].program() && !strings.HasPrefix(f[0].Function, Module+twins+"runtime.") {
			if from < 0 {
				from = i
			}
			to, test = i+2, false
		}
		test = test || Testing(f[0].Function)
		if method, ok := strings.CutPrefix(f[0].Function, Module+"/por/testing.(*executed)."); ok && from < 0 && (method == "Run" || method == "Parallel") {
			top = method
		}
	}
	if top != "" {
		fmt.Fprintf(&b, "\ntesting.(*T).%s(...)\n\ttesting.go:1 +0x1", top)
	}
	for i := from; i < to; i++ {
		b.WriteString("\n" + strings.TrimPrefix(lines[i], Module+twins))
	}
	for _, f := range belowFrames(test) {
		fmt.Fprintf(&b, "\n%s(...)\n\t%s:%d +0x1", f.Function, f.File, f.Line)
	}
	if test {
		b.WriteString("\ncreated by testing.(*T).Run in goroutine 1\n\ttesting.go:1 +0x1")
	} else if is.Born != 0 {
		f, _ := runtime.CallersFrames([]uintptr{is.Born}).Next()
		fmt.Fprintf(&b, "\ncreated by %s in goroutine %d\n\t%s:%d +0x1", f.Function, is.Parent, f.File, f.Line)
	}
	return b.String()
}

// belowFrames returns the frames of package testing below a test.
func belowFrames(test bool) (out []runtime.Frame) {
	if !test {
		return nil
	}
	for frames, more := runtime.CallersFrames(belowOf(true)), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasPrefix(f.Function, "testing.") {
			out = append(out, f)
		}
	}
	return out
}
