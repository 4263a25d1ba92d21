package instrument

import (
	"os"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestTwiceGolden compares files that are rewritten by all rewriters with those
// next to them.
func TestTwiceGolden(t *testing.T) { golden(t, "testdata/twice/*.txtar", rewritten) }

// TestAcrossGolden rewrites a package, and one that imports the result, and
// compares both with what is next to them.
func TestAcrossGolden(t *testing.T) {
	const name = "testdata/across/across.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: a.Comment, Files: a.Files[:2:2]}
	var known []*Package
	for _, pkg := range []string{"q", "p"} {
		sources := []Source{{pkg + ".go", []byte(files[pkg+".go"])}}
		p, err := check(t, pkg, "go1.25", sources, known...)
		if err != nil {
			t.Fatal(err)
		}
		after := rewritten(p, sources)
		if p, err = check(t, pkg, "go1.25", after, known...); err != nil {
			t.Fatalf("%v\n%s", err, after[0].Text)
		}
		known = append(known, p)
		out.Files = append(out.Files, txtar.File{Name: pkg + ".out.go", Data: after[0].Text})
		if got, want := string(after[0].Text), files[pkg+".out.go"]; got != want && !*update {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
