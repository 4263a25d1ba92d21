package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/share"
)

// runs is what has come of running the test as it is.
type runs struct {
	n, failed int
	took      time.Duration
	first     string // what the first one that failed has printed
	reason    string // why there are none
}

// How often, and for which share of the time, the test is run as it is.
const (
	plainRuns, plainShare = 30, 15
	raceRuns, raceShare   = 5, 10
)

// runs builds the test binary by the name of bin and runs the test, most times at the most.
func (q *inquiry) runs(bin string, flags []string, most, part int) (r runs) {
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-o", bin}, q.flags, flags, []string{q.pkg})
	if _, err := q.goCommand(args...); err != nil {
		r.reason = err.Error()
		return r
	}
	if _, err := os.Stat(bin); err != nil {
		r.reason = q.path + " has no tests"
		return r
	}
	end := time.Now().Add(q.share(part))
	for r.n < most && (r.n == 0 || time.Now().Before(end)) {
		cmd := exec.Command(bin, "-test.run="+share.RunPattern(q.test), "-test.v", "-test.timeout="+(2*q.share(part)+10*time.Second).String())
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

// String says how often the test has failed.
func (r runs) String() string {
	if r.reason != "" {
		line, _, _ := strings.Cut(r.reason, "\n")
		return "not run: " + line
	}
	return fmt.Sprintf("failed %d of %d times, in %v each", r.failed, r.n, (r.took / time.Duration(max(r.n, 1))).Round(time.Millisecond))
}
