package instrument

import (
	"bytes"
	goversion "go/version"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestSyntaxGolden compares files that are rewritten, but for plain memory and
// without second texts, with those next to them.
func TestSyntaxGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/rewrite/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			version := "go1.25"
			if v := strings.TrimSpace(string(a.Comment)); v != "" {
				version = v
			}
			if goversion.Compare(runtime.Version(), version) < 0 {
				t.Skipf("%s knows no %s", runtime.Version(), version)
			}
			sources := []Source{{a.Files[0].Name, a.Files[0].Data}}
			p, err := check(t, "p", version, sources)
			if err != nil {
				t.Fatal(err)
			}
			texts, refused := rewriteBy(syntaxRewriters, p)
			if _, err := check(t, "p", version, []Source{{a.Files[0].Name, texts[0]}}); err != nil {
				t.Error(err)
			}
			text := texts[0]
			for _, r := range refused {
				text = append(text, "// "+r.Error()+"\n"...)
			}
			if *update {
				a.Files[1].Data = text
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want := a.Files[1].Data; !bytes.Equal(text, want) {
				t.Errorf("(-want +got)\n%s", cmp.Diff(string(want), string(text)))
			}
		})
	}
}
