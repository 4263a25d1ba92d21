package main

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/record"
)

// With -check.total tests are run in rounds. In the first all have the same limit of time, so that
// half of the total is enough for them. Most tests need less, or are stopped early. Those that the
// limit has stopped run again, with all that is left, as long as that at least doubles the limit.
// A search begins anew in each round. So what it repeats is never more than what it adds.

// budget is the time that all searches may take, by the clock, without what is built.
type budget struct {
	left     time.Duration
	most     time.Duration // value of -check.time, 0 if there is none
	parallel int           // how many packages run side by side
}

// timed is what has stopped a test that may run again.
const timed = "time: -check.time"

// share returns the limit with which a number of tests in each package take what is left, however
// the packages follow one another.
func (b *budget) share(tests map[string]int) time.Duration {
	sum, most := 0, 0
	for _, n := range tests {
		sum, most = sum+n, max(most, n)
	}
	if sum == 0 {
		return b.capped(b.left)
	}
	lanes := min(b.parallel, len(tests))
	return b.capped(b.left * time.Duration(lanes) / time.Duration(sum+most*(lanes-1)))
}

// capped returns a limit that is not above -check.time, and not 0, which means none.
func (b *budget) capped(limit time.Duration) time.Duration {
	if b.most > 0 {
		limit = min(limit, b.most)
	}
	return max(limit.Round(time.Millisecond), time.Millisecond)
}

// first returns the limit of the first round.
func (b *budget) first(tests map[string]int) time.Duration {
	half := *b
	half.left /= 2
	return half.share(tests)
}

// spend takes the time of searches, of which those of a package follow one another.
func (b *budget) spend(round []record.Entry) {
	took := make(map[string]time.Duration)
	var sum, most time.Duration
	for _, e := range round {
		took[e.Package] += e.Took
		sum, most = sum+e.Took, max(most, took[e.Package])
	}
	b.left -= max(most, sum/time.Duration(b.parallel))
}

// next returns the tests of a round that run again, and their limit. There are none if what is left
// does not double the limit that they had.
func (b *budget) next(round []record.Entry, limit time.Duration) (again []record.Entry, longer time.Duration) {
	tests := make(map[string]int)
	for _, e := range round {
		if e.Class == record.Stopped && e.Needs == timed {
			again = append(again, e)
			tests[e.Package]++
		}
	}
	if longer = b.share(tests); len(again) == 0 || longer < 2*limit {
		return nil, 0
	}
	return again, longer
}

// replaced returns what is known of tests after some have run again.
func replaced(all, again, round []record.Entry) []record.Entry {
	type test struct{ pkg, name string }
	ran := make(map[test]bool)
	for _, e := range round {
		ran[test{e.Package, e.Test}] = true
	}
	repeated := func(e record.Entry) bool {
		return ran[test{e.Package, e.Test}] && slices.ContainsFunc(again, func(a record.Entry) bool { return a.Package == e.Package && a.Test == e.Test })
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e record.Entry) bool { return repeated(e) && e.Mended == nil })
	return append(all, slices.DeleteFunc(slices.Clone(round), func(e record.Entry) bool { return !repeated(e) })...)
}

// again returns the flag -run and the packages by which tests run again, given what these were.
func again(tests []record.Entry, pattern string, packages []string) (run string, in []string) {
	var names []string
	for _, e := range tests {
		name, _, _ := strings.Cut(e.Test, "/")
		name, _, _ = strings.Cut(name, "#")
		names = append(names, regexp.QuoteMeta(name))
		in = append(in, e.Package)
	}
	slices.Sort(names)
	slices.Sort(in)
	names, in = slices.Compact(names), slices.Compact(in)
	if slices.Contains(in, ".") { // what is not named by an import path
		in = packages
	}
	_, below, found := strings.Cut(pattern, "/")
	if run = "-run=^(" + strings.Join(names, "|") + ")$"; found {
		run += "/" + below
	}
	return run, in
}

// setTotal gives the budget, from the values of flags that have been checked.
func (c *testCommand) setTotal() {
	if c.total == "" {
		return
	}
	b := &budget{parallel: runtime.GOMAXPROCS(0)}
	b.left, _ = time.ParseDuration(c.total)
	b.most, _ = time.ParseDuration(c.time)
	if n, err := strconv.Atoi(c.lanes); err == nil && n > 0 {
		b.parallel = n
	}
	c.budget = b
}

// setLimit hands the limit of a round to test programs.
func (c *testCommand) setLimit(limit time.Duration) {
	variable, err := checkflags.Env(checkflags.Time, limit.String())
	if err != nil { // cannot happen: it is a time
		panic(err)
	}
	c.environ = append(c.environ, variable)
}

// countTests returns how many tests each package has that are run, as its source says.
func (c *testCommand) countTests(dir string, packages []string) (map[string]int, error) {
	s, err := loadSources(dir, c.compiled(), packages)
	if err != nil {
		return nil, err
	}
	count := make(map[string]int)
	for _, p := range s.targets {
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			f, err := s.parse(p, name)
			if err != nil {
				return nil, err
			}
			for _, d := range testFuncs(f.File) {
				if name := d.Name.Name; !strings.HasPrefix(name, "Example") && c.selects(name) {
					count[p.ImportPath]++
				}
			}
		}
	}
	return count, nil
}

// selects reports whether -run and -skip select a test function. A pattern that is wrong selects
// all: the test program refuses it.
func (c *testCommand) selects(name string) bool {
	first, _, _ := strings.Cut(c.pattern, "/")
	run, err := regexp.Compile(first)
	if err == nil && !run.MatchString(name) {
		return false
	}
	skip, err := regexp.Compile(c.skip)
	return c.skip == "" || strings.Contains(c.skip, "/") || err != nil || !skip.MatchString(name)
}

// rounds runs tests that a limit has stopped again, until the total is spent.
func (c *testCommand) rounds(e command.Env, p *program, limit time.Duration, res result) result {
	round := res.all
	for !res.interrupted && (res.err == nil || !c.failfast) {
		c.budget.spend(round)
		tests, longer := c.budget.next(round, limit)
		if len(tests) == 0 {
			break
		}
		if limit = longer; !c.json {
			fmt.Fprintf(e.Err, "por: -check.total: %s again, for %v each\n", format.Counted(int64(len(tests)), "test"), limit)
		}
		c.setLimit(limit)
		run, packages := again(tests, c.pattern, p.packages)
		more := c.once(e, p, []string{run}, packages)
		round = more.all
		res.all, res.interrupted = replaced(res.all, tests, more.all), more.interrupted
		if res.err == nil {
			res.err = more.err
		}
	}
	for i, e := range res.all {
		if e.Needs == timed && limit != c.budget.most {
			res.all[i].Needs = "time: -" + checkflags.Total
		}
	}
	return res
}
