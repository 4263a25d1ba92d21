package build

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

// TestPreparedName holds the name of what is kept to what it depends on.
func TestPreparedName(t *testing.T) {
	ours := t.TempDir()
	user := filepath.Join(ours, "user")
	file := func(name, text string) {
		t.Helper()
		if err := replaceFile(filepath.Join(ours, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	file("go.mod", "module "+module+"\n\ngo 1.26.0\n")
	file("sched/sched.go", "package sched\n")
	const required = "module example.com/user\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => ..\n"
	file("user/go.mod", required)
	file("user/a.go", "package user\n\nimport _ \""+module+"/sched\"\n")
	name := func(change func(*Build)) string {
		t.Helper()
		b := &Build{Dir: user, Env: Environ(nil, "GOFLAGS", "-mod=mod"), ToolID: "1", plans: ours}
		if change != nil {
			change(b)
		}
		if err := b.look(); err != nil {
			t.Fatal(err)
		}
		name, err := b.preparedName(&Plan{Tool: b.ToolID, Twins: map[string]string{"sync": "ours"}})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	first := name(nil)
	if again := name(nil); again != first {
		t.Errorf("%s, and then %s", first, again)
	}
	seen := map[string]string{first: "nothing"}
	differs := func(what string, change func(*Build)) {
		t.Helper()
		got := name(change)
		if seen[got] != "" {
			t.Errorf("%s: the same name as with %s", what, seen[got])
		}
		seen[got] = what
	}
	differs("another tool", func(b *Build) { b.ToolID = "2" })
	differs("a build tag", func(b *Build) { b.Flags = []string{"-tags=x"} })
	differs("a flag of the compiler", func(b *Build) { b.Gcflags = []string{"all=-N"} })
	differs("another processor", func(b *Build) { b.Env = Environ(b.Env, "GOARCH", "arm64") })
	differs("flags in the environment", func(b *Build) { b.Env = Environ(b.Env, "GOFLAGS", "-mod=mod -tags=x") })
	file("user/go.mod", required+"\n// changed\n")
	differs("another go.mod", nil)
	file("user/go.sum", "\n")
	differs("a go.sum", nil)
	file("sched/sched.go", "package sched\n\nconst changed = true\n")
	differs("a change of ours", nil)
	file("x.json", "{}")
	overlay := "-overlay=" + filepath.Join(ours, "x.json")
	if got := name(func(b *Build) { b.Env = Environ(b.Env, "GOFLAGS", "-mod=mod "+overlay) }); got != "" {
		t.Errorf("with an overlay in the environment: %s", got)
	}
	if got := name(func(b *Build) { b.Flags = []string{overlay} }); got != "" {
		t.Errorf("with an overlay, which is not looked at: %s", got)
	}
}

// TestRecall uses what was kept only while all that it names is there.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(environ.Cache, dir)
	archive, order := filepath.Join(dir, "a.a"), filepath.Join(dir, "maps.a")
	for _, name := range []string{archive, order} {
		if err := replaceFile(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	b := &Build{plans: dir}
	var err error
	if b.plan, err = (&Plan{Archives: map[string]string{"a": archive}, Maps: order}).save(dir); err != nil {
		t.Fatal(err)
	}
	if b.stdPlan, err = (&Plan{Archives: map[string]string{"b": archive}}).save(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "prepared-x.json")
	if new(Build).recall(name) {
		t.Error("what was never written down is recalled")
	}
	if err := b.remember(name); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-24 * time.Hour)
	os.Chtimes(b.plan, old, old)
	got := new(Build)
	if !got.recall(name) || got.plan != b.plan || got.stdPlan != b.stdPlan {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(b.plan); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Error("a plan in use is not marked as that")
	}
	for _, gone := range []string{order, archive, b.stdPlan, b.plan} {
		text, err := os.ReadFile(gone)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(gone)
		if new(Build).recall(name) {
			t.Errorf("recalled without %s", gone)
		}
		if err := replaceFile(gone, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := replaceFile(name, []byte("{")); err != nil || new(Build).recall(name) {
		t.Error("half a file is recalled")
	}
}
