package edges

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// table is the whole of it.
func table() []row {
	return slices.Concat(languageRows, syncRows, mapRows, atomicRows(), contextRows, timeRows, osRows, netRows, logRows, testingRows, runtimeRows)
}

// finding is what a judge says of a program.
type finding struct {
	race   bool   // a data race
	fails  bool   // it fails otherwise
	all    bool   // every schedule was run
	output string // what that rests on
}

var (
	raceFound = regexp.MustCompile(`por: data race( in \S+)?: `)
	raceShown = regexp.MustCompile(`WARNING: DATA RACE|race detected during execution of test`)
	allRun    = regexp.MustCompile(`por: .* explored.*\(exhaustive`)
)

// TestTable asks both judges about all rows.
func TestTable(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds, explores and runs a program of some hundred tests")
	}
	m := newModule(t, programs(table()))
	found, shown := m.explore(t), m.native(t)
	for i, p := range m.programs {
		f, s, text := found[i], shown[i], p.text(i)
		switch {
		case f.race != p.races, f.fails:
			t.Errorf("%s (%s): por: race: %v, want %v\n%s\n%s", p.of.name, p.of.why, f.race, p.races, text, f.output)
		case !p.races && !f.all && (p.of.part == "" || !strings.Contains(f.output, p.of.part)):
			t.Errorf("%s: not exhaustive\n%s\n%s", p.of.name, text, f.output)
		}
		if s.race != (p.races != (p.why != "")) || s.fails && !s.race {
			t.Errorf("%s: go test -race: race: %v; por: %v; reason for a difference: %q\n%s\n%s", p.of.name, s.race, f.race, p.why, text, s.output)
		}
	}
	t.Logf("%d rows, %d programs", len(table()), len(m.programs))
}

// explore asks por check.
func (m *module) explore(t *testing.T) []finding {
	t.Helper()
	return m.findings(t, raceFound, m.por, "test", "-check", "-check.time=30s", "-check.leaks=allow", "-timeout=0", "-json", "-mod=mod", "./...")
}

// native asks go test -race, often.
func (m *module) native(t *testing.T) []finding {
	t.Helper()
	return m.findings(t, raceShown, "go", "test", "-race", "-tags", "restless", "-count=40", "-cpu=1,2,4", "-json", "-mod=mod", "-vet=off", "./...")
}

// findings runs a command that tells of tests, and returns what it says of each.
func (m *module) findings(t *testing.T, race *regexp.Regexp, words ...string) []finding {
	t.Helper()
	out, _ := m.command(words...).CombinedOutput() // there are races: it fails
	at := make(map[string]*finding)
	all := make([]finding, len(m.programs))
	for i, p := range m.programs {
		at["Test"+p.name(i)] = &all[i]
	}
	rest := ""
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			rest += string(line)
			continue
		}
		name, _, _ := strings.Cut(e.Test, "/")
		f := at[name]
		switch {
		case f == nil:
			rest += e.Output
		case e.Action == "output":
			f.output += e.Output
		case e.Action == "fail" || e.Action == "skip":
			f.fails = true
		}
	}
	for i := range all {
		f := &all[i]
		if f.output == "" {
			t.Fatalf("nothing is said of Test%s:\n%.6000s", m.programs[i].name(i), rest)
		}
		f.race, f.all = race.MatchString(f.output), allRun.MatchString(f.output)
		f.fails = f.fails && !f.race
	}
	return all
}
