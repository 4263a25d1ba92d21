package machine

import (
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
	return format.Value(v)
}

// Misuse is the value of a panic that a primitive raises, as the standard
// library's would.
type Misuse string

func (e Misuse) Error() string { return string(e) }

// RuntimeError says that the panic is one of the Go runtime's.
func (e Misuse) RuntimeError() {}
