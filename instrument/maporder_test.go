package instrument

import (
	"go/token"
	"strings"
	"testing"
)

// TestMapOrder gives the maps of the toolchain their order. All functions that set an entry have to be found:
// one that is not leaves the order of some maps to chance.
func TestMapOrder(t *testing.T) {
	for _, c := range []struct{ before, after, problem string }{
		{"", "", ""},
		{"runtime_mapassign_faststr(", "runtime_mapassign_string(", "runtime_mapassign_string] set an entry"},
		{"entryOffset = rand()", "entryOffset = 1", "loops begin in 0 places"},
	} {
		sources := stdSources(t, "internal/runtime/maps") // those of the toolchain
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
