package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/std"
)

// TestMain lets the test binary be the tool of a go command that makes mistakes: in
// files that ask for them, and in some of packages net and database/sql.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "toolexec" {
		rewriters = append(rewriters, mistaken("//mistake of memory"))
		for _, mark := range []string{"//mistake of syntax", "// pipeDeadline is an abstraction", "// Drivers returns a sorted list"} {
			rewriters = append(rewriters, mistaken(mark))
			syntaxRewriters = append(syntaxRewriters, mistaken(mark))
		}
		os.Exit(Toolexec(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// mistaken is a rewriter whose text does not compile where a file has the mark, or
// which panics.
func mistaken(mark string) rewriter {
	return func(r *rewriting) {
		switch text := string(r.Src); {
		case strings.Contains(text, mark+": panic"):
			panic("confused")
		case strings.Contains(text, mark):
			r.After(r.AST, edit.Literal("; var _ int = nothing"))
		}
	}
}

// TestFallback builds a program with packages that the rewriter makes mistakes in, and
// a program that does not compile anyway.
func TestFallback(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds programs")
	}
	archive, err := txtar.ParseFile("testdata/fallback.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := behaviourModule(t)
	for _, f := range archive.Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("POR_CACHE", cache)
	t.Setenv("GOFLAGS", "-mod=mod")
	b := &build.Build{Dir: dir, Tool: []string{self, "toolexec"}, ToolID: cache} // of no use to later builds
	flags, err := b.Prepare(std.Packages())
	if err != nil {
		t.Fatal(err)
	}
	goRun := func(pkg string) string {
		cmd := exec.Command("go", slices.Concat([]string{"run"}, flags, []string{pkg})...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for range 2 { // what is kept of it is as good
		out := goRun(".")
		for line := range strings.Lines(string(archive.Comment)) {
			if !strings.Contains(out, strings.TrimSpace(line)) {
				t.Errorf("the output lacks %s", line)
			}
		}
		if t.Failed() {
			t.Fatalf("%s", out)
		}
	}
	if out := goRun("./wrong"); !strings.Contains(out, "wrong.go:3:15: undefined: nobody") || strings.Contains(out, "por: ") {
		t.Errorf("%s", out)
	}
}
