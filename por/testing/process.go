package testing

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/sched"
)

// What a test does to the process, and leaves in files, is undone when the test or subtest
// is over, among its cleanup functions, as natively; and after the execution, however that
// has ended.

// directories are those that a test has asked for.
type directories struct {
	mu   sched.Mutex // as natively: who is first gets the first number
	base string      // holds those of TempDir
	made int         // how many

	once      sched.Mutex
	artifacts string // what ArtifactDir has returned
}

// parallelConflict is what package testing says.
const parallelConflict = "testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel"

// sequential panics if the test is parallel, or is part of one that is, and keeps it from that.
func (t *executed) sequential() {
	for p := t; p != nil; p = p.parent {
		if p.parallel {
			panic(parallelConflict)
		}
	}
	t.process = true
}

// variable returns a function that puts an environment variable back to what it is.
func variable(key string) (restore func()) {
	if old, had := os.LookupEnv(key); had {
		return func() { os.Setenv(key, old) }
	}
	return func() { os.Unsetenv(key) }
}

// Setenv sets an environment variable until the test is over.
func (t *executed) Setenv(key, value string) {
	t.sequential()
	restore := variable(key)
	t.TB.Setenv(key, value)
	t.Cleanup(restore)
}

// Chdir changes the working directory, and PWD where there is that, until the test is over.
func (t *executed) Chdir(dir string) {
	t.sequential()
	old, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	restore := variable("PWD")
	t.TB.Chdir(dir)
	t.Cleanup(restore)
	t.Cleanup(func() {
		if err := os.Chdir(old); err != nil {
			panic("testing.Chdir: " + err.Error())
		}
	})
}

// TempDir returns a new directory that lives as long as the test.
func (t *executed) TempDir() string {
	t.TB.Helper()
	t.dirs.mu.Lock()
	defer t.dirs.mu.Unlock()
	if _, err := os.Stat(t.dirs.base); err != nil {
		base := t.TB.TempDir()
		t.dirs.base = base
		t.Cleanup(func() {
			if err := os.RemoveAll(base); err != nil {
				t.Errorf("TempDir RemoveAll cleanup: %v", err)
			}
		})
	}
	t.dirs.made++
	dir := filepath.Join(t.dirs.base, fmt.Sprintf("%03d", t.dirs.made))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatalf("TempDir: %v", err)
	}
	return dir
}

// ArtifactDir returns a directory that is empty when it is first asked for. With flag -artifacts it is kept
// after the test, as the last execution has left it; without, it is one of TempDir.
func (t *executed) ArtifactDir() string {
	t.TB.Helper()
	t.dirs.once.Lock()
	defer t.dirs.once.Unlock()
	if t.dirs.artifacts != "" {
		return t.dirs.artifacts
	}
	kept, ok := any(t.outer).(interface{ ArtifactDir() string }) // since Go 1.26
	if f := flag.Lookup("test.artifacts"); !ok || f == nil || f.Value.String() != "true" {
		t.dirs.artifacts = t.TempDir()
		return t.dirs.artifacts
	}
	dir := filepath.Join(kept.ArtifactDir(), strings.ReplaceAll(t.name, "/", "__"))
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		t.Fatalf("ArtifactDir: %v", err)
	}
	t.dirs.artifacts = dir
	return dir
}

// Attr keeps nothing, since attributes belong to the test, not to an execution. What must not be in one is an
// error.
func (t *executed) Attr(key, value string) {
	t.TB.Helper()
	if s := testctx.Attribute(key, value); s != "" {
		t.Error(s)
	}
}
