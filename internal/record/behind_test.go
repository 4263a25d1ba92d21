package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "told")
	write := func(all ...Entry) {
		var text []byte
		for _, e := range all {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, line...), '\n')
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	left := func(test string, lines ...string) Entry { return Entry{Package: "p", Test: test, Behind: lines} }
	for _, test := range []struct {
		all  []Entry
		want string
	}{
		{nil, ""},
		{[]Entry{{Class: Every, Package: "p", Test: "A"}}, ""},
		{[]Entry{left("A", "g1 waits"), left("A", "g2 waits")}, "1 test leaves goroutines behind that something still reaches: p.A (g1 waits)"},
		{[]Entry{left("A", "x", "y", "z"), left("B", "x", "y", "z", "u")}, "2 tests leave goroutines behind that something still reaches: p.A (x; y; z), p.B (x; y; and 2 more goroutines)"},
		{[]Entry{left("A", "x"), left("B", "x"), left("C", "x"), left("D", "x"), left("E", "x"), left("F", "x")},
			"6 tests leave goroutines behind that something still reaches: p.A (x), p.B (x), p.C (x), p.D (x), p.E (x), p.F (x)"},
		{[]Entry{left("A", "x"), left("B", "x"), left("C", "x"), left("D", "x"), left("E", "x"), left("F", "x"), left("G", "x")},
			"7 tests leave goroutines behind that something still reaches: p.A (x), p.B (x), p.C (x), p.D (x), p.E (x), and 2 more tests"},
	} {
		write(test.all...)
		if got := Behind(Read(name)); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	// What a test leaves behind is no test of its own.
	write(Entry{Class: Every, Package: "p", Test: "A"}, left("A", "x"))
	if text := Summarise(Read(name)).String(); !strings.HasPrefix(text, "1 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 0 fail, 0 not explored") {
		t.Errorf("the summary is %q", text)
	}
}
