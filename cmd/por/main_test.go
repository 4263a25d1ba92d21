package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir()) // where there are no tests, if a command line is not refused
	calls.Refused(t, porCommand, command.Misused, [][2]string{
		{"frob", `unknown command "frob"`},
		{"bnech", `unknown command "bnech"; did you mean bench? Allowed: check, triage, replay, test, demo, explain, sarif, clean, version, help`},
		{"help frob", `unknown command "frob"`},
		{"help toolexec", `unknown command "toolexec"`},
		{"demo x", "no arguments"},
		{"test -check -check.tme=5s", "unknown flag -check.tme; did you mean -check.time? Allowed: -check.time -check.executions "},
		{"test -check -check.engine none", "-check.engine=none: no engine has that name; allowed: "},
		{"test -check -check.time 5", `-check.time=5: a time has a unit, such as 5s; the flag means: `},
		{"test -check -check.leaks=yes", "allowed: fail, strict, or allow"},
		{"test -check=false", "to run tests once: por test"},
		{"test -check.time 5s", "-check.time needs -check; use por check"},
		{"tset ./...", `unknown command "tset"; did you mean test? Allowed: check, triage`},
		{"test -chek .", "unknown flag -chek; did you mean -check? Flags of the test program come after -args"},
		{"test -check -chek.time=3s .", "unknown flag -chek.time; did you mean -check.time? Flags of"},
		{"test -check -check.mem 3GB .", "did you mean -check.memory?"},
		{"test -check -check.wrong=1 .", "unknown flag -check.wrong; allowed: "},
		{"test -check -check.time=3 .", "-check.time=3: a time has a unit, such as 3s; the flag means: "},
		{"test -check -check.time=soon .", "-check.time=soon: this is not a time such as 3s, 500ms or 1m30s"},
		{"test -check -check.executions=many .", "this is not a whole number such as 1000"},
		{"test -check -check.seed=-1 .", "the number must not be negative"},
		{"test -check -check.seed=99999999999999999999 .", "the number is too large"},
		{"test -check -check.races=fial .", "there is no such mode; did you mean fail? Allowed: fail, explore"},
		{"test -check -check.engine=optimla .", "no engine has that name; did you mean optimal? Allowed: auto"},
		{"test -check . -por.ful", "unknown flag -por.ful; did you mean -por.full? Allowed: -por.full -por.html -por.json"},
		{"test -check . -por.x", "unknown flag -por.x; allowed: -por.full"},
		{"test -vet=all .", "-vet is not supported: vet would check rewritten code. Run go vet separately"},
		{"test -check -bench .", "-bench does not go with -check"},
		{"test -check -test.fuzz=X", "-fuzz does not go with -check"},
		{"check -bench .", "-bench does not go with por check, which explores tests; use go test -bench"},
		{"check -check -check.tme=5s", "check: unknown flag -check.tme; did you mean -check.time? Allowed: "},
		{"check -chek.time=3s .", "check: unknown flag -chek.time; did you mean -check.time? Flags of"},
		{"check -check=false .", "check: -check=false: the flag takes no value; to run tests once: por test"},
		{"chek ./...", `unknown command "chek"; did you mean check? Allowed: check, triage`},
		{"check -time=5s .", "check: unknown flag -time; did you mean -check.time? Flags of the test program come after the packages"},
		{"check -engine=hunt", "check: unknown flag -engine; did you mean -check.engine? Flags"},
		{"test -seed=5 -check", "test: unknown flag -seed; did you mean -check.seed? Flags"},
		{"check -cuont=1 .", "check: unknown flag -cuont; did you mean -count? Flags of the test program come after the packages"},
		{"check -test.rnu=X .", "check: unknown flag -test.rnu; did you mean -run? Flags"},
		{"check -update=all .", "check: unknown flag -update; flags of the test program come after the packages"},
		{"test -time=5s .", "test: unknown flag -time; did you mean -timeout? Flags"},
		{"check . -chek.time=5s", "check: unknown flag -chek.time; did you mean -check.time?"},
		{"check . -x -check.tme 5s", "check: unknown flag -check.tme; did you mean -check.time?"},
		{"replay -v x", "replay: the file comes first: por replay FILE -v"},
		{"replay x -cuont=1", "replay: unknown flag -cuont; did you mean -count?"},
		{"triage -fro=3s .", "triage: the flag -fro does not go with triage; did you mean -for? Allowed: -for, -run and what packages are compiled by, such as -tags"},
		{"triage -rnu X .", "did you mean -run?"},
		{"triage -count=3 .", "triage: the flag -count does not go with triage; allowed: -for, -run and"},
		{"clean -x", "clean takes no arguments but -corpus: por help clean"},
		{"version -jsno", "version: unknown flag -jsno; did you mean -json? Allowed: -json"},
		{"version -x", "version: unknown flag -x; allowed: -json"},
		{"version here", "version takes no arguments but -json"},
		{"vesrion", `unknown command "vesrion"; did you mean version? Allowed`},
		{"-version", `unknown command "-version"; did you mean version? Allowed`},
		{"help chek", `unknown command "chek"; did you mean check? Allowed: `},
		{"help stats", `unknown command "stats"; did you mean status? Allowed: check, triage, replay, test, demo, explain, sarif, clean, version, help, environment, status`},
		{"check ./... -run", "check: the flag -run needs a value"},
		{"check -check.time", "check: the flag -check.time needs a value"},
		{"-run X ./bank", `unknown command "-run"; did you mean por check -run? Allowed: `},
		{"test -toolexec x", "por sets it itself"},
	})
}

// TestMoved gives por words that are porbench's now.
func TestMoved(t *testing.T) {
	for _, word := range []string{"bench", "irs", "unfold"} {
		want := "por: " + word + " is a command of porbench: go run github.com/gopor/gopor/cmd/porbench " + word + " ...\n"
		for _, args := range [][]string{{word}, {word, "ring", "-n", "3"}, {word, "-help"}, {"help", word}} {
			if status, out, err := calls.Call(porCommand, args...); status != command.Misused || out != "" || err != want {
				t.Errorf("por %q: status %d, output %q, error %q, want %q", args, status, out, err, want)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	calls.Helped(t, porCommand, [][2]string{
		{"help", "usage: por COMMAND"},
		{"-h", "usage: por COMMAND"},
		{"help demo", "usage: por demo"},
		{"help clean", "usage: por clean"},
		{"clean -help", "usage: por clean"},
		{"demo -h", "usage: por demo"},
		{"help version", "usage: por version"},
		{"version --help", "usage: por version"},
		{"help environment", "  POR_SAVE (on or off)\n        off keeps failing"},
		{"help status", "    3  no test fails, and some were not explored"},
		{"help check", "usage: por check"},
		{"help check", "-check.leaks MODE"},
		{"check -h", "usage: por check"},
		{"help test", "usage: por test"},
		{"help test", "-check.leaks MODE"},
		{"help triage", "usage: por triage"},
		{"help replay", "usage: por replay"},
		{"test -help", "-check.leaks MODE"},
	})
}

// TestAlone gives por no arguments.
func TestAlone(t *testing.T) {
	if status, out, err := calls.Call(porCommand); status != command.Misused || out != "" || err != usage {
		t.Errorf("status %d, output %q, error %q", status, out, err)
	}
}

// TestUsage looks for all commands and topics in the usage.
func TestUsage(t *testing.T) {
	for _, v := range porCommand.Verbs {
		if !strings.Contains(usage, "\n  "+v.Name+" ") {
			t.Errorf("the usage lacks %s", v.Name)
		}
	}
	for _, topic := range porCommand.Topics {
		if !strings.Contains(usage, "\n  por help "+topic.Name+" ") {
			t.Errorf("the usage lacks the topic %s", topic.Name)
		}
	}
}

// TestStatuses compares the page on CI with the exit statuses.
func TestStatuses(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statuses {
		if row := fmt.Sprintf("| %d | %s |\n", s.status, s.meaning); !strings.Contains(string(page), row) {
			t.Errorf("docs/ci.md lacks the row %s", row)
		}
	}
}

// TestForeign names flags of the test program that may be meant for the command.
func TestForeign(t *testing.T) {
	for _, x := range []struct {
		check bool
		rest  string
		want  string
	}{
		{true, "-cuont=1", "-cuont was given to the test program; did you mean -count?"},
		{true, "--cuont 1", "-cuont was given to the test program; did you mean -count?"},
		{true, "-update -seed=3", "-seed was given to the test program; did you mean -check.seed?"},
		{false, "-seed=3", ""},
		{true, "-update count cuont", ""},
		{true, "-args -cuont=1", ""},
		{true, "", ""},
	} {
		c := testCommand{check: x.check}
		if got := c.foreign(strings.Fields(x.rest)); got != x.want {
			t.Errorf("%q: %q, want %q", x.rest, got, x.want)
		}
	}
}
