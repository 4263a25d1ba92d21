package build

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

func TestLimit(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	for i, name := range []string{"binaries/old", "binaries/kept", "tools/x/tool", "binaries/new", "other/mine"} {
		file := filepath.Join(cache, filepath.FromSlash(name))
		if err := replaceFile(file, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		used := now.Add(time.Duration(i-5) * 24 * time.Hour)
		if name == "binaries/new" {
			used = now
		}
		for _, f := range []string{file, filepath.Dir(file)} {
			if err := os.Chtimes(f, used, used); err != nil {
				t.Fatal(err)
			}
		}
	}
	has := func(name string, want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(cache, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	Limit(cache, 400, "")
	has("binaries/old", true)
	Limit(cache, 300, "")
	has("binaries/old", false)
	Limit(cache, 0, filepath.Join(cache, "binaries", "kept"))
	has("binaries/kept", true)
	has("tools/x", false)
	has("binaries/new", true) // in use, perhaps
	if size, err := Clean(cache); size != 200 || err != nil {
		t.Errorf("%d bytes, %v", size, err)
	}
	has("binaries", false)
	has("other/mine", true)
}

// What feeds builds is for nobody else to write.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := t.TempDir()
	for _, name := range []string{"ours", "theirs"} {
		file := filepath.Join(dir, name)
		err := replaceFile(file, nil)
		if name == "theirs" {
			err = os.WriteFile(file, nil, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ours, err := os.Stat(filepath.Join(dir, "ours"))
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err := os.Stat(filepath.Join(dir, "theirs")); err != nil || ours.Mode() != theirs.Mode() {
		t.Errorf("the mode is %v, that of another file %v, %v", ours.Mode(), theirs.Mode(), err)
	}
}

func TestRelativeCache(t *testing.T) {
	t.Setenv(environ.Cache, "cache")
	if dir, err := Cache(); err == nil {
		t.Errorf("the cache is %s", dir)
	}
}

// The go command keeps packages by what the tool is, so the tool has to be the same one in
// every cache.
func TestToolAnywhere(t *testing.T) {
	home, err := findHome()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 2 {
		t.Setenv(environ.Cache, t.TempDir())
		b := &Build{Dir: home}
		release, err := b.release()
		if err != nil {
			t.Fatal(err)
		}
		name, id, err := b.buildTool(home, release)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(name); err != nil || id == "" {
			t.Errorf("%q, %v", id, err)
		}
		ids = append(ids, id)
	}
	if ids[0] != ids[1] {
		t.Errorf("the tools of two caches are not the same: %v", ids)
	}
}
