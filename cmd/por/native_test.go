package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nativeModule is a module of a user's, which knows nothing of package sched.
var nativeModule = map[string]string{
	"counter.go": `package native

import "sync"

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Inc() { c.mu.Lock(); defer c.mu.Unlock(); c.n++ }
func (c *Counter) Bad() { c.n++ }
func (c *Counter) N() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }
`,
	"check_test.go": `package native

import (
	"testing"

	"github.com/gopor/gopor/por"
)

func TestCounter(t *testing.T) {
	por.Check(t, func() {
		var c Counter
		done := make(chan bool)
		go func() { c.Inc(); done <- true }()
		c.Inc()
		if <-done; c.N() != 2 {
			t.Error("lost")
		}
	})
}

func TestRace(t *testing.T) {
	por.Check(t, func() {
		var c Counter
		done := make(chan bool)
		go func() { c.Bad(); done <- true }()
		c.Bad()
		<-done
	})
}
`,
	"plain_test.go": `package native

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestPlain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var wg sync.WaitGroup
	c := make(chan int)
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			select {
			case c <- i:
			case <-ctx.Done():
			}
		}()
	}
	t.Run("sub", func(t *testing.T) {
		if sum := <-c + <-c; sum > 3 {
			t.Errorf("sum %d", sum)
		}
	})
	cancel()
	wg.Wait()
}
`,
}

// Native code is explored by go test alone, by por test, and without a line of
// por by por test -check.
func TestNative(t *testing.T) {
	if testing.Short() {
		t.Skip("builds several binaries")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	por := filepath.Join(dir, "por")
	runIn := func(dir string, words ...string) (string, error) {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "POR_CACHE="+filepath.Join(filepath.Dir(por), "cache"), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := runIn(root, "go", "build", "-o", por, "./cmd/por"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mod := filepath.Join(dir, "native")
	if err := os.Mkdir(mod, 0o777); err != nil {
		t.Fatal(err)
	}
	nativeModule["go.mod"] = "module example.org/native\n\ngo 1.25\n\nrequire github.com/gopor/gopor v0.0.0\n\nreplace github.com/gopor/gopor => " + root + "\n"
	for name, text := range nativeModule {
		if err := os.WriteFile(filepath.Join(mod, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		command string
		pass    bool
		want    []string
	}{
		{"go test -v -cover -run Counter", true, []string{"all 2 traces explored, none fails", "coverage: ", "--- PASS: TestCounter"}},
		{"go test -run Race", false, []string{"data race: ", "counter.go:11", "POR_REPLAY="}},
		{por + " test -v -run Counter", true, []string{"all 2 traces explored, none fails"}},
		{por + " test -check -v -run Plain", true, []string{"traces explored, none fails"}},
		{por + " test -check -check.engine=none -run Plain", false, []string{`POR_CHECK_ENGINE="none"`}},
	}
	for _, test := range tests {
		out, err := runIn(mod, strings.Fields(test.command)...)
		if (err == nil) != test.pass {
			t.Errorf("%s: %v", test.command, err)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the output lacks %q:\n%s", test.command, want, out)
			}
		}
	}
}
