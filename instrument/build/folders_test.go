package build

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/known"
)

// The names by folders are those of the packages, in whatever folder the go command is run.
func TestFolders(t *testing.T) {
	home, err := findHome()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(home, "sched"), link); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{home, filepath.Join(home, "internal", "machine"), link} {
		b := &Build{Dir: dir, Home: home}
		if err := b.look(); err != nil {
			t.Fatal(err)
		}
		var names, paths []string
		for _, r := range slices.Concat(known.Rows("announce"), known.Rows("divert"), known.Rows("control")) {
			p := r.Path
			if !r.In(minor(runtime.Version())) {
				continue
			}
			names, paths = append(names, b.std(p)), append(paths, p)
		}
		for _, p := range runtimePackages {
			if p, below := strings.CutSuffix(p, "/..."); !below && !b.foreign {
				names, paths = append(names, b.own(p)), append(paths, module+"/"+p)
			}
		}
		for _, name := range names {
			if !strings.HasPrefix(name, "../") {
				t.Errorf("%s: %s is named by its import path", dir, name)
			}
		}
		text, err := b.list(names...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(paths, strings.Fields(text)); diff != "" {
			t.Errorf("in %s the names are those of others (-want +got)\n%s", dir, diff)
		}
	}
}

// Where a folder cannot be named from another one, packages are named by their import paths.
func TestNoFolders(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("d/", upwards))
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, b := range []Build{
		{Dir: deep, seenStd: "/go/src", seenHome: "/us"},
		{seenStd: "/a=b/src", seenHome: "/a b/us"},
		{seenStd: "/a.../src", seenHome: "us"},
		{},
	} {
		if std, own := b.std("bytes"), b.own("sched/..."); std != "bytes" || own != module+"/sched/..." {
			t.Errorf("%+v: %s and %s", b, std, own)
		}
	}
}

// A pattern of this module's folders would name other modules within these: there it is one of
// import paths.
func TestFoldersOfOthers(t *testing.T) {
	home, err := findHome()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{"internal": true, "internal/test/leaks/testdata/module": true, "instrument": false, "sched": false, "": false} {
		b := &Build{Dir: filepath.Join(home, dir), Home: home, seenHome: home}
		if got := b.own("internal/...") == module+"/internal/..."; got != want {
			t.Errorf("in %q, internal/... is named by import paths: %v, want %v", dir, got, want)
		}
	}
}

// TestRuntimePackages sees to it that all packages of this module that rewritten test binaries are
// linked with are compiled with the flags of runtimePackages: a package compiled in two ways does
// not link.
func TestRuntimePackages(t *testing.T) {
	home, err := findHome()
	if err != nil {
		t.Fatal(err)
	}
	b := &Build{Dir: home, Home: home}
	if err := b.look(); err != nil {
		t.Fatal(err)
	}
	text, err := b.list("-deps", module+"/por/...", module+"/irs", module+"/sched/std/...", module+"/sched/native/...")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, pkg := range strings.Fields(text) {
		name, ours := strings.CutPrefix(pkg, module+"/")
		if !ours {
			continue
		}
		found++
		if !slices.ContainsFunc(runtimePackages, func(p string) bool {
			all, below := strings.CutSuffix(p, "/...")
			return name == all || below && strings.HasPrefix(name, all+"/")
		}) {
			t.Errorf("%s is linked into rewritten test binaries, and runtimePackages lacks it", name)
		}
	}
	if found < 20 {
		t.Errorf("%d packages of this module are found", found)
	}
}
