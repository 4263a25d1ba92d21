package instrument

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the rewriter makes into the test data")

// TestGolden compares files in which plain memory is rewritten with those next to
// them.
func TestGolden(t *testing.T) { golden(t, "testdata/memory/*.txtar", withMemory) }

// golden compares rewritten files with those next to them.
func golden(t *testing.T, pattern string, rewrite func(*Package, []Source) []Source) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 {
				t.Fatalf("%d files, not 2: in.go and out.go", len(a.Files))
			}
			version := "go1.25"
			if len(a.Comment) > 2 && string(a.Comment[:2]) == "go" {
				version = string(a.Comment[:len("go1.21")])
			}
			sources := []Source{{"in.go", a.Files[0].Data}}
			p, err := check(t, "p", version, sources)
			if err != nil {
				t.Fatal(err)
			}
			after := rewrite(p, sources)
			if _, err := check(t, "p", version, after); err != nil {
				t.Error(err)
			}
			if *update {
				a.Files[1].Data = after[0].Text
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := string(after[0].Text), string(a.Files[1].Data); got != want {
				t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
			}
		})
	}
}
