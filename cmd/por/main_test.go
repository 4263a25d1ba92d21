package main

import (
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestMisuse(t *testing.T) {
	calls.Refused(t, porCommand, command.Misused, [][2]string{
		{"", "no command; allowed: check, test, triage, replay, demo, clean, help"},
		{"frob", `unknown command "frob"`},
		{"bnech", `unknown command "bnech"; did you mean bench? Allowed: check, test, triage, replay, demo, clean, help`},
		{"help frob", `unknown command "frob"`},
		{"help toolexec", `unknown command "toolexec"`},
		{"demo x", "no arguments"},
		{"test -check -check.tme=5s", "unknown flag -check.tme; did you mean -check.time? Allowed: -check.time -check.executions "},
		{"test -check -check.engine none", "-check.engine=none: no engine has that name; allowed: "},
		{"test -check -check.time 5", `-check.time=5: a time has a unit, such as 5s; the flag means: `},
		{"test -check -check.leaks=yes", "allowed: fail, strict, or allow"},
		{"test -check=false", "to run tests once: por test"},
		{"test -check.time 5s", "-check.time needs -check; use por check"},
		{"tset ./...", `unknown command "tset"; did you mean test? Allowed: check, test, triage`},
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
		{"chek ./...", `unknown command "chek"; did you mean check? Allowed: check, test`},
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
		{"help demo", "usage: por COMMAND"},
		{"help clean", "usage: por COMMAND"},
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
