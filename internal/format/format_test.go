package format

import (
	"testing"
	"time"
)

func TestFormat(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
	for _, test := range []struct {
		n    int64
		noun string
		want string
	}{{0, "step", "0 steps"}, {1, "step", "1 step"}, {1, "steps", "1 step"}, {1000, "traces", "1,000 traces"}} {
		if got := Counted(test.n, test.noun); got != test.want {
			t.Errorf("Counted(%d, %q) = %q, want %q", test.n, test.noun, got, test.want)
		}
	}
	for d, want := range map[time.Duration]string{1234567: "1.23ms", 12345678900: "12.35s", 1499: "1µs", 0: "0s"} {
		if got := Time(d); got != want {
			t.Errorf("Time(%d) = %q, want %q", d, got, want)
		}
	}
}
