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
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{{"a bc d", 6, "> a bc\n| d"}, {"a bc d", 8, "> a bc d"}, {"äöü äöü", 9, "> äöü äöü"}, {"äöü äöü", 8, "> äöü\n| äöü"}, {"longer", 3, "> longer"}, {"", 3, "> "}} {
		if got := Wrap("> ", "| ", test.text, test.width); got != test.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
	for word, want := range map[string]string{"": "''", "-tags=a,b": "-tags=a,b", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a\nb": "'a\nb'", "ä": "'ä'"} {
		if got := Quoted(word); got != want {
			t.Errorf("Quoted(%q) = %s, want %s", word, got, want)
		}
	}
	for d, want := range map[time.Duration]string{1234567: "1.23ms", 12345678900: "12.35s", 1499: "1µs", 0: "0s"} {
		if got := Time(d); got != want {
			t.Errorf("Time(%d) = %q, want %q", d, got, want)
		}
	}
}
