package sched

import (
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// recorder keeps what a report shows of an execution.
type recorder struct {
	on      bool
	entries []Entry
	objects map[int32]string
	count   map[string]int
}

func (r *recorder) reset(on bool) {
	r.on = on
	if !on {
		return
	}
	r.entries = nil
	r.objects = make(map[int32]string)
	r.count = make(map[string]int)
}

// Record returns the latest execution, if it was run with [Options.Record].
func (c *Closure) Record() []Entry { return c.record.entries }

func (r *recorder) perform(c *Closure, g *goroutine) {
	e := Entry{Step: c.m.n, G: g.id, Name: c.m.nameOf(g), Op: g.op.Kind.String()}
	if g.obj != nil {
		e.Obj = r.name(g.obj)
	}
	if g.op.PC != 0 {
		e.File, e.Line, e.Func = place(g.op.PC)
	}
	r.entries = append(r.entries, e)
}

// name returns how reports call an object: its kind and a number of its own.
func (r *recorder) name(o object) string {
	if k, ok := o.(*keyState); ok {
		o = k.of // a key goes by the name of its map
	}
	id := o.head().id
	if name, ok := r.objects[id]; ok {
		return name
	}
	kind := o.kind()
	r.count[kind]++
	name := kind + " " + strconv.Itoa(r.count[kind])
	r.objects[id] = name
	return name
}

// remark adds a line between events.
func (r *recorder) remark(c *Closure, g *goroutine, e Entry, pc uintptr) {
	if !r.on {
		return
	}
	e.Step, e.G, e.Name = -1, g.id, c.m.nameOf(g)
	if pc != 0 {
		e.File, e.Line, e.Func = place(pc)
	}
	r.entries = append(r.entries, e)
}

func (r *recorder) end(c *Closure, g *goroutine) { r.remark(c, g, Entry{Op: "end"}, 0) }

// waits marks the latest operation of g as one that is not granted at once.
func (r *recorder) waits(c *Closure, g *goroutine) {
	if e := r.latest(g); e != nil {
		e.Waits = true
	}
}

// value adds what g's latest operation has read, written, sent or received.
func (r *recorder) value(g *goroutine, v any) {
	if e := r.latest(g); e != nil {
		e.Value = shorten(show(v))
	}
}

func (r *recorder) latest(g *goroutine) *Entry {
	if !r.on {
		return nil
	}
	for i := len(r.entries) - 1; i >= 0; i-- {
		if e := &r.entries[i]; e.G == g.id && e.Step >= 0 {
			return e
		}
	}
	return nil
}

// show returns a value as text. It calls no methods of the program's types,
// which might use primitives, and does not look behind pointers.
func show(v any) string {
	switch v := v.(type) {
	case nil, time.Duration, time.Time, misuse:
		return fmt.Sprint(v)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.Map, reflect.UnsafePointer:
		if r.IsNil() {
			return "nil"
		}
		return r.Type().String()
	}
	// Methods are not called on what was reached through a field like this.
	text := fmt.Sprint(struct{ v any }{v})
	return text[1 : len(text)-1]
}

func shorten(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

const thisPackage = "github.com/gopor/gopor/sched"

// ours reports whether a call is made by this package, or one below it that
// stands between it and the program; their tests are programs.
func ours(f runtime.Frame) bool {
	name, ok := strings.CutPrefix(f.Function, thisPackage)
	ok = ok && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/native.") || strings.HasPrefix(name, "/std/"))
	ok = ok || strings.HasPrefix(f.Function, twinOfTesting) || strings.HasPrefix(f.Function, harness)
	return ok && !strings.HasSuffix(f.File, "_test.go")
}

// What calls a test function begins with these names.
const (
	twinOfTesting = "github.com/gopor/gopor/por/testing."
	harness       = "github.com/gopor/gopor/por.(*harness)."
)

// callerPC returns the innermost call of the program; where g's whole stack is
// ours, the go statement that started g.
func (g *goroutine) callerPC() uintptr {
	var pcs [24]uintptr
	n := runtime.Callers(2, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "iter.") {
			return g.born
		}
		if !ours(f) && !strings.HasPrefix(f.Function, "runtime.") {
			return f.PC + 1
		}
		if !more {
			return g.born
		}
	}
}

// place returns the position of the call that returns to pc.
func place(pc uintptr) (file string, line int, function string) {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f.File, f.Line, f.Function
}

func position(pc uintptr) string {
	file, line, _ := place(pc)
	return fmt.Sprintf("%s:%d", file, line)
}

// userStack returns the stack of the calling goroutine.
func userStack() string {
	buf := make([]byte, 16<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

// lastRemark adds a value to the latest remark, which is g's.
func (r *recorder) lastRemark(g *goroutine, v any) {
	if n := len(r.entries); n > 0 && r.entries[n-1].G == g.id {
		r.entries[n-1].Value = shorten(show(v))
	}
}
