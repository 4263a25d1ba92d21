package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A text stands in place of the one before, and nothing is left.
func TestScreen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tty")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{f: f}
	s.Show("one")
	s.Show(strings.Repeat("x", 100))
	s.Wipe()
	s.Wipe()
	s.Say("verdict")
	if n := Columns(f); n != 0 {
		t.Errorf("a file has %d columns", n)
	}
	f.Close()
	const clear = "\r\x1b[K"
	text, err := os.ReadFile(name)
	if want := clear + "one\r" + clear + strings.Repeat("x", 76) + "...\r" + clear + "verdict\n"; string(text) != want || err != nil {
		t.Errorf("%q, want %q, %v", text, want, err)
	}
	var none *Screen
	none.Show("x")
	none.Say("x")
	none.Wipe()
}
