package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestIRSMisuse(t *testing.T) {
	calls.Refused(t, porbenchCommand, command.Misused, [][2]string{
		{"irs nobody", `unknown program "nobody"; allowed: bigshot, dekker`},
		{"irs -runs 0", "-runs is 0, but has to be at least 1"},
		{"irs -work 1", `-work is "1", but has to be times such as`},
		{"irs -work=-1us", `-work is "-1us", but has to be times such as`},
		{"irs -picture x.svg", "-picture is of one program, but 0 are named"},
		{"irs bigshot -frob", "allowed: -json "},
	})
	file := filepath.Join(t.TempDir(), "none", "x.svg")
	for _, flag := range []string{"-svg", "-picture"} {
		if status, _, err := calls.Call(porbenchCommand, "irs", "bigshot", "-runs", "1", "-work", "0s", flag, file); status != command.Failed || !strings.Contains(err, file) {
			t.Errorf("%s: status %d, error %q", flag, status, err)
		}
	}
}

// TestIRS executes a few programs a few times. Every line has fewer constraints than the one
// before, down to none.
func TestIRS(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.svg")
	status, out, errs := calls.Call(porbenchCommand, "irs", "bigshot", "peterson", "indexer-15", "-runs", "3", "-work", "0s,1us", "-json", "-svg", file)
	if status != command.OK {
		t.Fatalf("status %d, error %q", status, errs)
	}
	lines := make(map[string][]cost)
	for line := range strings.Lines(out) {
		var c cost
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		name := c.Program + " " + c.Work.String()
		lines[name] = append(lines[name], c)
	}
	if len(lines) != 8 {
		t.Errorf("there are %d programs with as many works: %v", len(lines), out)
	}
	for name, cs := range lines {
		for i, c := range cs {
			last := i == len(cs)-1
			if i > 0 && (c.Constraints >= cs[i-1].Constraints || c.Traces <= cs[i-1].Traces) || last != (c.Constraints == 0) || last != (c.Traces == c.AllTraces) || c.Plain.Median <= 0 || c.Enforced.Median <= 0 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	if cs := lines["indexer-15-opt 0s"]; len(cs) < 3 || cs[0].AllTraces != 4096 || cs[0].Constraints != 12 || cs[0].Printed != "12: 2841" {
		t.Errorf("the indexer has %+v", cs)
	}
	picture := filepath.Join(dir, "y.svg")
	if status, _, errs := calls.Call(porbenchCommand, "irs", "bigshot", "-picture", picture); status != command.OK {
		t.Errorf("status %d, error %q", status, errs)
	}
	for _, name := range []string{file, picture} {
		if b, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(b), "<svg ") || !strings.HasSuffix(string(b), "</svg>\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, out, _ = calls.Call(porbenchCommand, "irs", "bigshot", "-runs", "1", "-work", "0s")
	if strings.Count(out, "bigshot") != 2 || !strings.Contains(out, "1: 5") {
		t.Errorf("the output is\n%s", out)
	}
}
