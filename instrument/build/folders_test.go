package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		std, err := b.list("std")
		if err != nil {
			t.Fatal(err)
		}
		var names, paths []string
		for _, p := range slices.Concat(announcing, diverting, controlled) {
			if !slices.Contains(strings.Fields(std), p) {
				if !newer[p] {
					t.Errorf("there is no package %s", p)
				}
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
		if got := strings.Fields(text); !slices.Equal(got, paths) {
			t.Errorf("in %s the names are those of %q, want %q", dir, got, paths)
		}
	}
}

// newer are packages that the older of the releases has not, or not without an experiment.
var newer = set(`encoding/json/internal/jsonflags encoding/json/internal/jsonopts encoding/json/internal/jsonwire
	encoding/json/jsontext encoding/json/v2 uuid`)

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

// A pattern of this module's folders would name other modules within these: there it is one of import paths.
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
