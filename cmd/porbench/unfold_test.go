package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestUnfoldMisuse(t *testing.T) {
	calls.Refused(t, porbenchCommand, command.Misused, [][2]string{
		{"unfold", "no program; allowed: readers-writers, ring"},
		{"unfold nobody", `unknown program "nobody"; allowed: readers-writers, ring`},
		{"unfold ring abba", "2 programs (ring abba)"},
		{"unfold ring -n 1", "n (N) is 1, but has to be in 2..64"},
		{"unfold abba -n 2", "-n does not apply to program abba"},
		{"unfold abba -limit 0", "-limit is 0, but has to be at least 1"},
		{"unfold -limit -3 abba", "-limit is -3, but has to be at least 1"},
		{"unfold abba -config 0", "-config is 0, but has to be at least 1"},
		{"unfold abba -config 4", "-config is 4, but abba has 3 maximal configurations"},
		{"unfold abba -o x.png", `-o is "x.png", but has to end in .svg, .dot or .gv`},
		{"unfold abba -o x", `-o is "x", but has to end in`},
		{"unfold abba -frob", "allowed: -config "},
	})
}

func TestUnfoldFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "x.svg")
	calls.Refused(t, porbenchCommand, command.Failed, [][2]string{
		{"unfold abba -limit 20", "abba: unfold: there are more than 20 events"},
		{"unfold mpat -n 6", "mpat(6): unfold: there are more than 300 events"},
		{"unfold disp -n 2 -m 3", "disp(2, 3): unfold: there are more than 300 events"},
		{"unfold abba -o " + file, file},
	})
	if _, err := os.Stat(file); err == nil {
		t.Errorf("there is a file %s", file)
	}
}

func TestUnfold(t *testing.T) {
	const (
		svg   = "<svg "
		dot   = "digraph unfolding {"
		title = "ssb(2): 12 events, 4 maximal configurations"
	)
	dir := t.TempDir()
	for _, k := range []struct {
		line, file string // "": standard output
		begins     string
		holds      string
	}{
		{"unfold ssb -n 2", "", svg, title},
		{"unfold -o - -n 2 ssb", "", svg, title},
		{"unfold ssb -n 2", "a.svg", svg, title},
		{"unfold ssb -n 2", "a.SVG", svg, title},
		{"unfold ssb -n 2", "a.dot", dot, title},
		{"unfold ssb -n 2", "a.gv", dot, title},
		{"unfold ssb -n 2 -limit 12 -config 4", "b.svg", svg, "configuration 4 of 4: 5 events"},
		{"unfold abba -config 2", "", svg, "configuration 2 of 3: 5 events, deadlock"},
		{"unfold disp -n 2 -m 1", "", svg, "disp(2, 1): "},
	} {
		words := strings.Fields(k.line)
		file := filepath.Join(dir, k.file)
		if k.file != "" {
			words = append(words, "-o", file)
		}
		status, out, err := calls.Call(porbenchCommand, words...)
		if status != command.OK || err != "" {
			t.Errorf("porbench %s: status %d, error %q", k.line, status, err)
		}
		if k.file != "" {
			if out != "" {
				t.Errorf("porbench %s, into a file: output %q", k.line, out)
			}
			written, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			out = string(written)
		}
		if !strings.HasPrefix(out, k.begins) || !strings.Contains(out, k.holds) {
			t.Errorf("porbench %s: %q, want it to begin with %q and to hold %q", k.line, out, k.begins, k.holds)
		}
	}
	if status, out, err := calls.Call(porbenchCommand, "unfold", "-help"); status != command.OK || err != "" || !strings.Contains(out, "-limit number") {
		t.Errorf("porbench unfold -help: status %d, output %q, error %q", status, out, err)
	}
}

// TestUnfoldInterrupted interrupts a drawing that would take minutes.
func TestUnfoldInterrupted(t *testing.T) {
	interrupt := make(chan os.Signal, 1)
	interrupt <- os.Interrupt
	var out, err bytes.Buffer
	status := porbenchCommand.Run(strings.Fields("unfold readers-writers -n 14 -limit 1000000"), command.Env{Out: &out, Err: &err, Interrupt: interrupt})
	if status != command.Interrupted || out.Len() > 0 || err.Len() > 0 {
		t.Errorf("status %d, output %q, error %q", status, out.String(), err.String())
	}
}

// The pages in docs have pictures that porbench unfold draws.
func TestPictures(t *testing.T) {
	for file, args := range map[string][]string{
		"locks.svg": {"unfold", "locks", "-n", "2", "-m", "1"},
		"abba.svg":  {"unfold", "abba", "-config", "2"},
	} {
		want, err := os.ReadFile(filepath.Join("../../docs", file))
		if err != nil {
			t.Fatal(err)
		}
		var out, problems bytes.Buffer
		if status := porbenchCommand.Run(args, command.Env{Out: &out, Err: &problems}); status != command.OK || out.String() != string(want) {
			t.Errorf("docs/%s is not what porbench %s draws (status %d): %s", file, strings.Join(args, " "), status, &problems)
		}
	}
}
