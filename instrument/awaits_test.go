package instrument

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestAwaitsGolden compares files in which loops say where their turns begin with those next to
// them.
func TestAwaitsGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/awaits/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := check(t, "p", "go1.25", []Source{{"in.go", a.Files[0].Data}})
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := rewriteBy([]rewriter{rewriteAwaits, rewriteChannels, rewriteChanRanges, rewriteSelects, rewriteActs}, p)
		if _, err := check(t, "p", "go1.25", []Source{{"in.go", texts[0]}}); err != nil {
			t.Error(err)
		}
		if *update {
			a.Files[1].Data = texts[0]
			if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want := a.Files[1].Data; !bytes.Equal(texts[0], want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, texts[0], want)
		}
	}
}
