package api

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopor/gopor/sched/std"
)

var update = flag.Bool("update", false, "write the generated files")

// TestGenerated fails if a file of a twin is not what is generated, and writes it if the
// command line asks for that.
func TestGenerated(t *testing.T) {
	imp, err := importerOf(std.Packages())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range std.Packages() {
		original, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join("..", path)
		want, err := Generate(original, dir)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, generated)
		switch have, err := os.ReadFile(file); {
		case *update && want != nil:
			if err := os.WriteFile(file, want, 0o666); err != nil {
				t.Error(err)
			}
		case want != nil && string(have) != string(want):
			t.Errorf("%s is not what is generated (%v); run go generate ./sched/std", file, err)
		}
	}
}
