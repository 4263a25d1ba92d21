package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// BenchmarkStart is of the first instrumented test of a small package: with a
// build cache that has the standard library and nothing else, again, and after a
// change. Go test -run - -bench Start -benchtime 1x ./cmd/por
func BenchmarkStart(b *testing.B) {
	n := extracted(b, leading)
	caches := b.TempDir()
	run := func(cache string, words ...string) {
		cmd := exec.Command("go", words...)
		cmd.Dir = n.dir
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(caches, cache), "POR_CACHE="+filepath.Join(caches, cache, "por"), "GOFLAGS=", "GOWORK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	run("std", "build", "std")
	test := []string{"test", "-count=1", "-run", "Counter"}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(filepath.Join(caches, "own")); err != nil {
				b.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(caches, "own"), os.DirFS(filepath.Join(caches, "std"))); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			run("own", test...)
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			run("own", test...)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			text := fmt.Sprintf("package native\n\nvar Change = %d\n", time.Now().UnixNano())
			if err := writeFile(filepath.Join(n.dir, "change.go"), []byte(text)); err != nil {
				b.Fatal(err)
			}
			run("own", test...)
		}
	})
}

// extracted returns a folder with the files of an archive, for a benchmark.
func extracted(b *testing.B, file string) *nativeCase {
	b.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		b.Fatal(err)
	}
	home, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	n := &nativeCase{TB: b, home: home, dir: b.TempDir()}
	n.extract(archive)
	return n
}
