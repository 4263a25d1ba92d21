package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every module that a build may use has a pattern: what none matches would not be rewritten.
func TestRoots(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work":   "go 1.27.0\n\nuse (\n\t./a\n\t\"./b\"\n)\n\nreplace lost.net/l v1.0.0 => found.net/f v1.1.0\n",
		"a/go.mod":  "module shop\n\ngo 1.27.0\n\nrequire (\n\texample.org/x v1.2.3 // indirect\n\tv8.run/y v0.0.1\n)\n\nreplace text => ../text\n",
		"a/go.sum":  "github.com/z/z v1.0.0/go.mod h1:abc/def=\n",
		"b/go.mod":  "module example.com/b\n",
		"other.txt": "",
	} {
		if err := replaceFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	b := &Build{environment: make([]string, len(settled))}
	b.environment[slices.Index(settled, "GOMOD")] = os.DevNull
	b.environment[slices.Index(settled, "GOWORK")] = filepath.Join(dir, "go.work")
	got := join(b.roots())
	want := "command-line-arguments example.com/... example.org/... found.net/... github.com/... lost.net/... shop/... text/... v8.run/..."
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// matches reports whether a pattern of the go command matches an import path.
func matches(pattern, path string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	if prefix, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(path, prefix)
	}
	return path == pattern
}

// In the trees that are not marked just those packages are that announce accesses of memory.
func TestMarkedInTrees(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	any := func(patterns []string, path string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
	}
	for path := range strings.FieldsSeq(string(out)) {
		in, marked := any(unmarkedTrees, path), any(markedInTrees, path)
		if marked && !in {
			t.Errorf("%s is marked in the trees, and is in none", path)
		}
		if in && marked != IsAnnouncing(path) {
			t.Errorf("%s is marked: %v, announces accesses: %v", path, marked, !marked)
		}
	}
}

// Where import paths alone are matched, no pattern names a folder, and what is not of the standard library has a mark.
func TestFlagsByName(t *testing.T) {
	b := &Build{goRelease: "go1.27.4", seenStd: "/go/src", seenHome: "/us", plan: "/plans/p", stdPlan: "/plans/s", ToolID: "id",
		Gcflags: []string{"-N", "all=-l"}, environment: make([]string, len(settled))}
	got := join(b.flags())
	for _, want := range []string{
		"-gcflags=all=-gopor-std=s -l -dwarf=false -gcflags=crypto/internal/...=-l",
		"-gcflags=internal/reflectlite=-gopor-std=s -l -dwarf=false",
		"-gcflags=database/sql=-gopor=/plans/p -l",
		"-gcflags=net=-gopor=/plans/p -l",
		"-gcflags=-gopor=/plans/p -N -gcflags=github.com/gopor/gopor/...=-gopor-ours=id -l",
		"-gcflags=github.com/gopor/gopor/examples/...=-gopor=/plans/p -l",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("flags are %s\nwithout %s", got, want)
		}
	}
	if strings.Contains(got, "../") || strings.Contains(got, "std=-l") {
		t.Errorf("flags have patterns that do not match: %s", got)
	}
}

func TestKnownRelease(t *testing.T) {
	for version, want := range map[string]bool{"go1.26.8": true, "go1.27rc1": true, "go1.27.4 X:nodwarf5": true,
		"go1.25.4": false, "go1.28": false, "devel go1.27-0123abc": false, "strange": false, "go2.0": false} {
		if KnownRelease(version) != want {
			t.Errorf("%s is known: %v", version, !want)
		}
	}
	if got := join(ownFlags(strings.Fields("-mod=vendor -tags=x -modfile a.mod --mod mod -race"))); got != "-tags=x -race" {
		t.Errorf("flags for gopor's own module are %q", got)
	}
}
