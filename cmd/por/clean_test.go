package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
)

// TestClean empties a cache, and leaves other files and the corpus. That goes if it is asked for.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("POR_CACHE", dir)
	for _, name := range []string{"binaries/x", "tools/y/tool", "mine", "corpus/x/y"} {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), make([]byte, 500_000)); err != nil {
			t.Fatal(err)
		}
	}
	var out, problems bytes.Buffer
	if status := porCommand.Run([]string{"clean"}, command.Env{Out: &out, Err: &problems}); status != command.OK || !strings.Contains(out.String(), "por: 1.0 MB removed from "+dir) {
		t.Errorf("%d: %s%s", status, out.String(), problems.String())
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 || files[0].Name() != "corpus" || files[1].Name() != "mine" {
		t.Errorf("left are %v, %v", files, err)
	}
	for _, left := range []string{"0.5", "0.0"} { // again, where there is none
		out.Reset()
		if status := porCommand.Run([]string{"clean", "-corpus"}, command.Env{Out: &out, Err: &problems}); status != command.OK || !strings.Contains(out.String(), "por: "+left+" MB removed from "+filepath.Join(dir, "corpus")) {
			t.Errorf("%d: %s%s", status, out.String(), problems.String())
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != "mine" {
			t.Errorf("left are %v, %v", files, err)
		}
	}
	t.Setenv("POR_CACHE", "relative")
	if status := porCommand.Run([]string{"clean"}, command.Env{Out: &out, Err: &problems}); status != command.Misused || !strings.Contains(problems.String(), "not absolute") {
		t.Errorf("%d: %s", status, problems.String())
	}
}
