package format

import (
	"testing"
	"time"
)

// speaks has a method that must not be called.
type speaks struct{ n int }

func (speaks) String() string { panic("called") }

func TestValue(t *testing.T) {
	var p *int
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, "<nil>"}, {time.Second, "1s"}, {7, "7"}, {"text", "text"}, {speaks{3}, "{3}"}, {p, "nil"}, {&speaks{}, "*format.speaks"}, {[]int{1, 2}, "[1 2]"},
	} {
		if got := Value(tt.v); got != tt.want {
			t.Errorf("Value(%#v) = %q, want %q", tt.v, got, tt.want)
		}
	}
	for n, want := range map[int]string{1: "a goroutine still waits when all others have finished", 3: "3 goroutines still wait when all others have finished"} {
		if got := LeakMessage(n); got != want {
			t.Errorf("LeakMessage(%d) = %q, want %q", n, got, want)
		}
	}
}
