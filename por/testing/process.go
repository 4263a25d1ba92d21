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

// What a test does to the process, and leaves in files, is undone when the test or subtest
// is over, among its cleanup functions, as natively; and after the execution, however that
// has ended.

// directories are those that a test has asked for.
type directories struct {
	mu   turn   // as natively: who is first gets the first number
	base string // holds those of TempDir
	made int    // how many

	once      turn
	artifacts string // what ArtifactDir has returned
}

// turn is a mutex that goroutines take which nobody controls, too.
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

// ArtifactDir returns a directory that is empty when it is first asked for. With flag -artifacts it is kept
// after the test, as the last execution has left it; without, it is one of TempDir.
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
	hook.Serve(func() { dir = kept.ArtifactDir() }) // says so
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

// artifactName returns a directory's name for a subtest, which no other has: the beginning of the subtest's, of
// letters, digits and what is of no meaning to file systems, and a hash of it.
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

// Attr shows an attribute. What must not be in one is an error.
func (t *executed) Attr(key, value string) {
	t.TB.Helper()
	if s := testctx.Attribute(key, value); s != "" {
		t.Error(s)
		return
	}
	t.announce("=== ATTR  " + t.name + " " + key + " " + value)
}

// announce prints a line that go test -v has of a test, once in a search.
func (t *executed) announce(line string) {
	if !testing.Verbose() {
		return
	}
	t.TB.(announcer).Announce(line, func() {
		marker := "" // of lines that are not of the program
		if flag.Lookup("test.v").Value.String() == "test2json" {
			marker = "\x16"
		}
		text := marker + line + "\n"
		if outer := t.outer.Name(); t.name != outer {
			text += marker + "=== NAME  " + outer + "\n" // whose output follows
		}
		os.Stdout.WriteString(text)
	})
}

// announcer is the TB of an execution: Announce calls f if the execution is one that people are told of, and
// none before it has announced this text.
type announcer interface{ Announce(text string, f func()) }
