package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/saved"
)

// TestReplayRefuses gives por replay files that are of no use.
func TestReplayRefuses(t *testing.T) {
	dir := t.TempDir()
	good := saved.Schedule{Test: "TestX", Check: "TestX", By: saved.ByCheck, Replay: "p1x", Flags: []string{"-exec=rm"}}
	name, err := saved.Write(dir, &good)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, "x")
	later := filepath.Join(dir, "later")
	if err := os.WriteFile(elsewhere, good.Text(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(later, []byte("por schedule v9\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, command.Misused, "no file"},
		{[]string{filepath.Join(dir, "nothing")}, command.Failed, "no such file"},
		{[]string{later}, command.Failed, "another version of por: v9, and this one reads v1"},
		{[]string{elsewhere}, command.Failed, "is not in the folder testdata/por of a package"},
		{[]string{filepath.Join(dir, name)}, command.Failed, "has the flag -exec=rm, which no saved schedule has"},
	} {
		var out, problems bytes.Buffer
		if status := porCommand.Run(append([]string{"replay"}, test.args...), command.Env{Out: &out, Err: &problems}); status != test.status || !strings.Contains(problems.String(), test.want) {
			t.Errorf("%v: %d: %s, want %s", test.args, status, problems.String(), test.want)
		}
	}
}
