package machine

import (
	"fmt"
	"runtime"
	"time"

	"github.com/gopor/gopor/internal/format"
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

func show(v any) string { return format.Value(v) }

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
	case error:
		return r.Error()
	case fmt.Stringer:
		return r.String()
	}
	return fmt.Sprint(r)
}
