package machine

import (
	"fmt"
	"reflect"
	"runtime"
	"time"
)

// Show returns a value as text, a date by how long after the beginning of the clock it is.
func (m *Machine) Show(v any) string {
	if v, is := v.(time.Time); is {
		for _, start := range []time.Time{m.Start, BubbleStart} {
			if d := v.Sub(start); d >= 0 && d < 10*365*24*time.Hour {
				return "start+" + d.String()
			}
		}
	}
	return show(v)
}

// show returns a value as text. It calls no methods of the program's types,
// which might use primitives, and does not look behind pointers.
func show(v any) string {
	switch v := v.(type) {
	case nil, time.Duration, Misuse:
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

// Place returns the position of the call that returns to pc.
func Place(pc uintptr) (file string, line int, function string) {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f.File, f.Line, f.Function
}

// Misuse is the value of a panic that a primitive raises, as the standard
// library's would.
type Misuse string

func (e Misuse) Error() string { return string(e) }

// RuntimeError says that the panic is one of the Go runtime's.
func (e Misuse) RuntimeError() {}

func PanicText(r any) string {
	switch r := r.(type) {
	case Misuse:
		return string(r)
	case error:
		return r.Error()
	case fmt.Stringer:
		return r.String()
	}
	return fmt.Sprint(r)
}

// LeakMessage is the message of a [trace.FailLeak] of n goroutines.
func LeakMessage(n int) string {
	if n == 1 {
		return "a goroutine still waits when all others have finished"
	}
	return fmt.Sprintf("%d goroutines still wait when all others have finished", n)
}
