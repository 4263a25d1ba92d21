package instrument

import (
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mapsSources returns the files of the package of the toolchain that gives maps their order.
func mapsSources(t *testing.T) (sources []Source) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}} {{join .GoFiles \" \"}}", "internal/runtime/maps").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(out))
	for _, name := range words[1:] {
		text, err := os.ReadFile(filepath.Join(words[0], name))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{Name: name, Text: text})
	}
	return sources
}

// TestMapOrder gives the maps of the toolchain their order. All functions that set an entry have to be found:
// one that is not leaves the order of some maps to chance.
func TestMapOrder(t *testing.T) {
	for _, c := range []struct{ before, after, problem string }{
		{"", "", ""},
		{"runtime_mapassign_faststr(", "runtime_mapassign_string(", "runtime_mapassign_string] set an entry"},
		{"entryOffset = rand()", "entryOffset = 1", "loops begin in 0 places"},
	} {
		sources := mapsSources(t)
		for i, s := range sources {
			if c.before != "" {
				sources[i].Text = []byte(strings.ReplaceAll(string(s.Text), c.before, c.after))
			}
		}
		files, err := parse(token.NewFileSet(), sources)
		if err != nil {
			t.Fatal(err)
		}
		err = order(files)
		switch {
		case c.problem == "" && err != nil:
			t.Error(err)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%q in place of %q: got error %v, want one with %q", c.after, c.before, err, c.problem)
		}
	}
}
