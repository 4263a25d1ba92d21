package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/sarif"
	"github.com/gopor/gopor/internal/test/calls"
	"github.com/gopor/gopor/por/report"
)

// TestSARIF prints failures of files and of folders.
func TestSARIF(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(dir, "work"))
	write := func(name string, text []byte) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	failure := func(name, headline string) string {
		var b bytes.Buffer
		d := &report.Diagnosis{Kind: "panic", Headline: headline, At: report.Frame{File: filepath.Join(dir, "work", "sub", "x.go"), Line: 7}}
		if err := d.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return write(name, b.Bytes())
	}
	failure("all/A.json", "first")
	failure("all/B.json", "second")
	write("all/A.html", []byte("<p>"))
	one := failure("C.json", "third")
	read := func(args ...string) *sarif.Run {
		t.Helper()
		var l sarif.Log
		status, out, problems := calls.Call(porCommand, append([]string{"sarif"}, args...)...)
		if err := json.Unmarshal([]byte(out), &l); err != nil || status != command.OK || problems != "" || len(l.Runs) != 1 {
			t.Fatalf("por sarif %q: status %d, %v, %s%s", args, status, err, problems, out)
		}
		return &l.Runs[0]
	}
	for _, test := range []struct{ args, headlines, uri string }{
		{filepath.Join(dir, "all"), "first second", "sub/x.go"},
		{filepath.Join(dir, "all") + " " + one, "first second third", "sub/x.go"},
		{"-root " + filepath.Join(dir, "work/sub") + " " + one, "third", "x.go"},
		{one + " --root=" + dir, "third", "work/sub/x.go"},
		{filepath.Join(dir, "none"), "", ""},
	} {
		var headlines []string
		for _, r := range read(strings.Fields(test.args)...).Results {
			headlines = append(headlines, r.Message.Text)
			if uri := r.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != test.uri {
				t.Errorf("por sarif %s: the file is %s, want %s", test.args, uri, test.uri)
			}
		}
		if got := strings.Join(headlines, " "); got != test.headlines {
			t.Errorf("por sarif %s has %q, want %q", test.args, got, test.headlines)
		}
	}
	for _, test := range []struct {
		args, want string
		status     int
	}{
		{"", "por: sarif: no files", command.Misused},
		{"-rot=x " + one, "unknown flag -rot=x; did you mean -root?", command.Misused},
		{one + " -root", "the flag -root needs a folder", command.Misused},
		{filepath.Join(dir, "D.json"), "no such file", command.Failed},
		{write("go.mod", []byte("module x")), "go.mod: files of -por.json end in .json", command.Failed},
		{write("E.json", []byte(`{"version": 1}`)), "E.json: this is not a failure that -por.json has written", command.Failed},
		{write("F.json", []byte(`{"version": 2, "kind": "panic", "headline": "x"}`)), "in version 1 of the format", command.Failed},
		{write("G.json", []byte(`{`)), "G.json: unexpected end of JSON", command.Failed},
	} {
		status, out, problems := calls.Call(porCommand, append([]string{"sarif"}, strings.Fields(test.args)...)...)
		if status != test.status || out != "" || !strings.Contains(problems, test.want) {
			t.Errorf("por sarif %s: status %d, %q, %q, want %d and %q", test.args, status, out, problems, test.status, test.want)
		}
	}
	if status, out, _ := calls.Call(porCommand, "sarif", "-h"); status != command.OK || out != sarifUsage {
		t.Errorf("por sarif -h: status %d, %s", status, out)
	}
}
