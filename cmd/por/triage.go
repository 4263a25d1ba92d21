package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
)

const triageUsage = `usage: por triage [-for D] [FLAGS OF GO TEST] PACKAGE -run TEST

Finds out what is wrong with a test that is flaky. It runs the test as it is and with
-race a few times, then explores it, phase by phase: with every schedule that matters
in discrete time, with code that takes time, with timers in any order, and at random.
It says what is wrong and whether that depends on the schedule, on time or on neither,
writes a regression test that fails deterministically, and says what to do next.

  -for D  how long to take, without building (1m)

The exit status is 1 if something is wrong with the test, 0 if nothing was found.
`

// inquiry is a test that is looked into.
type inquiry struct {
	env   command.Env
	flags []string // of go test
	pkg   string   // as it was given
	test  string   // a function, perhaps with subtests
	limit time.Duration

	dir, path string   // of the package
	tests     []string // its files of tests, without folder

	plain, race runs
	found       *record.Failure
	phase       phase        // that has found it
	class       record.Class // of the last phase
	unfit       string       // why the test cannot be explored
	draws       []int64      // executions at random until it failed, 0 where it did not
	regression  *regression  // nil if none was written
	problem     string       // why not
	output      bytes.Buffer // of the phase
}

// triage is the command of that name.
func triage(args []string, e command.Env) int {
	q := &inquiry{env: e, limit: time.Minute}
	if slices.ContainsFunc(args, command.IsHelp) {
		fmt.Fprint(e.Out, triageUsage)
		return command.OK
	}
	if err := environ.Check(); err != nil {
		return e.Misused("%v", err)
	}
	if err := q.parse(args); err != nil {
		return e.Misused("triage: %v", err)
	}
	if err := q.locate(); err != nil {
		return e.Failed(fmt.Errorf("triage: %w", err))
	}
	os.Setenv(environ.Save, "on") // what is found is to be kept
	if err := q.investigate(); err != nil {
		return e.Failed(fmt.Errorf("triage: %w", err))
	}
	q.tell(e.Out)
	if q.found == nil && q.plain.failed == 0 && q.race.failed == 0 && q.unfit == "" {
		return command.OK
	}
	return command.Failed
}

func (q *inquiry) say(format string, args ...any) {
	fmt.Fprintf(q.env.Err, "por: "+format+"\n", args...)
}

// investigate does everything that takes time.
func (q *inquiry) investigate() error {
	tmp, err := os.MkdirTemp("", "por-triage-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	q.say("running %s as it is", q.test)
	q.plain = q.runs(filepath.Join(tmp, "plain.test"), nil, plainRuns, plainShare)
	if q.plain.reason != "" {
		return errors.New(q.plain.reason)
	}
	q.say("running it with -race")
	q.race = q.runs(filepath.Join(tmp, "race.test"), []string{"-race"}, raceRuns, raceShare)
	for _, p := range phases {
		q.say("exploring it: %s", p.name)
		q.explore(p, "-check.time="+q.share(p.share).String())
		if q.found != nil || q.unfit != "" || q.class == record.Every {
			break // the last says that there is nothing that the other phases could find
		}
	}
	if q.found != nil {
		q.say("drawing schedules at random, to see how likely it is")
		q.draw()
		q.say("writing a regression test")
		q.regression, err = q.writeRegression()
		if err != nil {
			q.problem = err.Error()
		}
	}
	return nil
}

// share returns a part of the time, in per cent.
func (q *inquiry) share(percent int) time.Duration {
	return max(q.limit*time.Duration(percent)/100, 200*time.Millisecond).Round(time.Millisecond)
}
