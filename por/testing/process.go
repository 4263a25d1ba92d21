package testing

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/sched"
)

// Changes that a test makes to the process, and its files, are reverted at the end of the test
// or subtest, among its cleanup functions, like natively, and again after the execution.

// directories are the directories that a test has asked for.
type directories struct {
	mu   turn   // like natively: the first caller gets the first number
	base string // has the directories of TempDir
	made int    // number of directories

	once      turn
	artifacts string // the result of ArtifactDir
}

// turn is a mutex for goroutines that are controlled and goroutines that are not.
type turn struct {
	ours   sched.Mutex
	theirs sync.Mutex
}

func (m *turn) lock() (unlock func()) {
	if !hook.Active() {
		m.theirs.Lock()
		return m.theirs.Unlock
	}
	m.ours.Lock()
	m.theirs.Lock()
	return func() {
		m.theirs.Unlock()
		m.ours.Unlock()
	}
}

// parallelConflict is the message of package testing.
const parallelConflict = "testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel"

// sequential forbids the test to be parallel. It panics if the test, or one around it, is.
func (t *executed) sequential() {
	for p := t; p != nil; p = p.parent {
		if p.parallel {
			panic(parallelConflict)
		}
	}
	t.process = true
}

// variable returns a function that restores an environment variable.
func variable(key string) (restore func()) {
	if old, had := os.LookupEnv(key); had {
		return func() { os.Setenv(key, old) }
	}
	return func() { os.Unsetenv(key) }
}

// Setenv sets an environment variable until the end of the test.
func (t *executed) Setenv(key, value string) {
	t.sequential()
	restore := variable(key)
	t.TB.Setenv(key, value)
	t.Cleanup(restore)
}

// Chdir changes the working directory, and PWD where that exists, until the end of the test.
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

// TempDir returns a new directory that is removed at the end of the test.
func (t *executed) TempDir() string {
	t.TB.Helper()
	defer t.dirs.mu.lock()()
	var err error
	hook.Serve(func() { _, err = os.Stat(t.dirs.base) })
	if err != nil {
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
	hook.Serve(func() { err = os.Mkdir(dir, 0o777) })
	if err != nil {
		t.Fatalf("TempDir: %v", err)
	}
	hook.FileMade(dir)
	return dir
}

// ArtifactDir returns a directory that is empty at the first call. With flag -artifacts it
// remains after the test, with the files of the last execution. Otherwise it is one of TempDir.
func (t *executed) ArtifactDir() string {
	t.TB.Helper()
	defer t.dirs.once.lock()()
	if t.dirs.artifacts != "" {
		return t.dirs.artifacts
	}
	kept, ok := any(t.outer).(interface{ ArtifactDir() string }) // since Go 1.26
	if f := flag.Lookup("test.artifacts"); !ok || f == nil || f.Value.String() != "true" {
		t.dirs.artifacts = t.TempDir()
		return t.dirs.artifacts
	}
	var dir string
	hook.Serve(func() { dir = kept.ArtifactDir() }) // prints the directory
	if rest := strings.TrimPrefix(t.name, t.outer.Name()); rest != "" {
		dir += "__" + artifactName(strings.TrimPrefix(rest, "/"))
		t.announce("=== ARTIFACTS " + t.name + " " + dir)
	}
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

// artifactName returns a unique directory name for a subtest: the beginning of the subtest's
// name, without characters that are special to file systems, and a hash.
func artifactName(name string) string {
	hash := fnv.New64a()
	io.WriteString(hash, name)
	begin := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("!#$%&()+,-.=@^_{}~ ", r) {
			return r
		}
		return -1
	}, name[:min(len(name), 48)])
	return fmt.Sprintf("%s_%016x", begin, hash.Sum64())
}

// Attr prints an attribute. An invalid attribute is an error.
func (t *executed) Attr(key, value string) {
	t.TB.Helper()
	if s := testctx.Attribute(key, value); s != "" {
		t.Error(s)
		return
	}
	t.announce("=== ATTR  " + t.name + " " + key + " " + value)
}

// announce prints a line of go test -v about a test, once per search.
func (t *executed) announce(line string) {
	if !testing.Verbose() {
		return
	}
	t.TB.(announcer).Announce(line, func() {
		marker := "" // of lines that are not the program's
		if flag.Lookup("test.v").Value.String() == "test2json" {
			marker = "\x16"
		}
		text := marker + line + "\n"
		if outer := t.outer.Name(); t.name != outer {
			text += marker + "=== NAME  " + outer + "\n" // the next output belongs to it
		}
		os.Stdout.WriteString(text)
	})
}

// announcer is the TB of an execution. Announce calls f if the execution is one with visible
// output and no earlier execution has announced this text.
type announcer interface{ Announce(text string, f func()) }
