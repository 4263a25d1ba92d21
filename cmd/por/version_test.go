package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

// TestVersionsOf reads what a program says about itself.
func TestVersionsOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}, {Key: "vcs", Value: "git"},
	}}
	if text := versionsOf(info).String(); !strings.HasPrefix(text, "por v1.2.3, revision abc, modified\nbuilt with "+runtime.Version()+" for ") {
		t.Error(text)
	}
	info.Settings[1].Value = "false"
	if text := versionsOf(info).String(); !strings.HasPrefix(text, "por v1.2.3, revision abc\n") {
		t.Error(text)
	}
	for _, info := range []*debug.BuildInfo{nil, {}} {
		if text := versionsOf(info).String(); !strings.HasPrefix(text, "por unknown\nbuilt with ") {
			t.Errorf("%v: %s", info, text)
		}
	}
}

// TestVersion asks with go commands of all kinds.
func TestVersion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go commands are scripts")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	path := filepath.Join(dir, "go")
	for script, want := range map[string]string{
		"":                   "uses no go command: there is no go command in PATH\n",
		"exit 1":             "uses " + path + ": it does not say its version: go env GOVERSION\n",
		"true":               "uses " + path + ": it does not say its version: go env GOVERSION\n",
		"echo go1.27.1":      "uses go1.27.1, by " + path + "\n",
		"echo go1.25.1":      "uses go1.25.1, by " + path + ": it is too old\n",
		"echo go1.99.1":      "uses go1.99.1, by " + path + ": por does not know it, and tries it: no verdict is exhaustive\n",
		"echo devel go1.27-": "uses devel go1.27-, by " + path + ": por does not know it, and tries it: no verdict is exhaustive\n",
	} {
		os.Remove(path)
		if script != "" {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$1 $2\" = 'env GOVERSION' ] && "+script+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		status, text, problems := calls.Call(porCommand, "version")
		if status != command.OK || problems != "" || !strings.HasSuffix(text, "\nknows the standard library of go1.26 to go1.27\n"+want) {
			t.Errorf("with %q: status %d, error %q: %s", script, status, problems, text)
		}
		status, text, problems = calls.Call(porCommand, "version", "-json")
		var got versions
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != command.OK || problems != "" || got.Newest != "go1.27" || !strings.HasSuffix(got.String(), want) {
			t.Errorf("with %q: status %d, error %q, %v: %s", script, status, problems, err, text)
		}
	}
}
