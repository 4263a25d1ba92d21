package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/instrument/build"
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

	dir, path string // of the package

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

// runs is what has come of running the test as it is.
type runs struct {
	n, failed int
	took      time.Duration
	first     string // what the first one that failed has printed
	reason    string // why there are none
}

// phase is a way of exploring the test.
type phase struct {
	name  string
	flags []string
	share int // of the time, in per cent
}

var phases = []phase{
	{"every schedule, in discrete time", []string{"-check.clock=discrete"}, 25},
	{"every schedule, with code that takes time", []string{"-check.clock=lag"}, 15},
	{"bound by bound, then at random", []string{"-check.engine=hunt", "-check.clock=discrete"}, 15},
	{"timers in any order", []string{"-check.clock=any", "-check.engine=hunt"}, 10},
}

// How often, and for which share of the time, the test is run as it is.
const (
	plainRuns, plainShare = 30, 15
	raceRuns, raceShare   = 5, 10
)

// triage is the command of that name.
func triage(args []string, e command.Env) int {
	q := &inquiry{env: e, limit: time.Minute}
	if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "-help" || a == "--help" }) {
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

// testName matches names of tests that -run may have: one test, perhaps one of its subtests.
var testName = regexp.MustCompile(`^(Test|Fuzz)[\pL\pN_]*(/.+)?$`)

// parse reads the command line.
func (q *inquiry) parse(args []string) error {
	for i := 0; i < len(args); i++ { // the flag -for is not one of go test
		name, value, ok := strings.Cut(args[i], "=")
		if name != "-for" && name != "--for" {
			continue
		}
		n := 1
		if !ok && i+1 < len(args) {
			value, n = args[i+1], 2
		}
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("-for %s: a time such as 30s is needed", value)
		}
		q.limit = d
		args = slices.Delete(slices.Clone(args), i, i+n)
		break
	}
	flags, packages, rest := build.SplitFlags(args)
	for _, f := range flags {
		switch {
		case f.Name == "run" || f.Name == "test.run":
			q.test = strings.Trim(strings.ReplaceAll(f.Value, "$/^", "/"), "^$")
		case build.Compiled(f) && f.Name != "race":
			q.flags = append(q.flags, f.Words...)
		default:
			return fmt.Errorf("the flag -%s does not go with triage; allowed are -for, -run and what packages are compiled by, such as -tags", f.Name)
		}
	}
	switch {
	case len(packages) != 1 || len(rest) > 0 || strings.Contains(packages[0], "..."):
		return errors.New("one package is needed, such as ./bank")
	case !testName.MatchString(q.test):
		return fmt.Errorf("-run %q: the name of one test is needed, such as TestTransfer", q.test)
	}
	q.pkg = packages[0]
	return nil
}

// locate finds the package.
func (q *inquiry) locate() error {
	out, err := q.goCommand(append(append([]string{"list"}, q.flags...), "-f", "{{.Dir}}\n{{.ImportPath}}", q.pkg)...)
	if err != nil {
		return err
	}
	q.dir, q.path, _ = strings.Cut(strings.TrimSpace(out), "\n")
	return nil
}

// goCommand runs the go command and returns what it prints. The error is what it has to say.
func (q *inquiry) goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
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

// runs builds the test binary by the name of bin and runs the test, most times at the most.
func (q *inquiry) runs(bin string, flags []string, most, share int) (r runs) {
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-o", bin}, q.flags, flags, []string{q.pkg})
	if _, err := q.goCommand(args...); err != nil {
		r.reason = err.Error()
		return r
	}
	if _, err := os.Stat(bin); err != nil {
		r.reason = q.path + " has no tests"
		return r
	}
	end := time.Now().Add(q.share(share))
	for r.n < most && (r.n == 0 || time.Now().Before(end)) {
		cmd := exec.Command(bin, "-test.run="+runPattern(q.test), "-test.v", "-test.timeout="+(2*q.share(share)+10*time.Second).String())
		cmd.Dir = q.dir
		cmd.Env = append(os.Environ(), environ.Instrument+"=off", environ.Save+"=off")
		begin := time.Now()
		out, err := cmd.CombinedOutput()
		r.took += time.Since(begin)
		r.n++
		if r.n == 1 && !strings.Contains(string(out), "=== RUN") {
			r.reason = fmt.Sprintf("%s has no test %s", q.path, q.test)
			return r
		}
		if err != nil {
			if r.failed++; r.first == "" {
				r.first = string(out)
			}
		}
	}
	return r
}

// explore explores the test once, and notes what has come of it.
func (q *inquiry) explore(p phase, more ...string) (draw int64) {
	q.output.Reset()
	args := slices.Concat([]string{"-check", "-count=1", "-v", "-run=" + runPattern(q.test)}, q.flags, p.flags, more, []string{q.pkg})
	quiet := command.Env{Name: q.env.Name, Out: &q.output, Err: &q.output, Interrupt: q.env.Interrupt}
	testAnd(args, quiet, func(told string) {
		for _, e := range record.Read(told) {
			switch {
			case e.Failure != nil && q.found == nil:
				q.found, q.phase = e.Failure, p
			case e.Failure != nil:
				draw = max(e.Failure.Execution, 1)
			case e.Class == record.NotExplored:
				q.unfit = e.Reason
			default:
				q.class = e.Class
			}
		}
	})
	return draw
}

// drawn is how many searches at random there are.
const drawn = 3

// draw finds out how likely the failure is where schedules are drawn at random.
func (q *inquiry) draw() {
	clock := "-check.clock=" + q.found.Time
	for seed := range drawn {
		p := phase{flags: []string{"-check.engine=random", fmt.Sprintf("-check.seed=%d", seed+1), clock, "-check.save=off"}}
		q.draws = append(q.draws, q.explore(p, "-check.time="+q.share(5).String(), "-check.executions=100000"))
	}
}

// likelihood says how likely the failure is, "" if that is not known.
func (q *inquiry) likelihood() string {
	var sum, hits int64
	for _, n := range q.draws {
		if n > 0 {
			sum, hits = sum+n, hits+1
		}
	}
	if hits == 0 {
		return "rarer than a search at random finds in the time"
	}
	n := (sum + hits - 1) / hits
	if n == 1 {
		return "so do schedules drawn at random, the first one each time"
	}
	return fmt.Sprintf("about one in %d schedules drawn at random", n)
}
