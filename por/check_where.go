package por

import (
	"flag"
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/stack"
)

// place is where a search was asked for.
type place struct {
	name string // what a replay string goes by
	test string // the test's name, "" outside tests
	pkg  string // import path of the test's package, "." if unknown
	// command runs tests, and is followed by flags.
	command string
}

// rerunner is a test that [Check] is called for by something else than its own
// package.
type rerunner interface {
	// Rerun returns the command that runs tests in this way, and the name of the
	// test function, with that of its package.
	Rerun() (command, function string)
}

// locate returns the place of a Check in test t. A Check that is not the first
// of its test has its number in its name.
func locate(t testing.TB, name string) place {
	p := place{name: name, test: t.Name(), command: "go test"}
	if r, ok := t.(rerunner); ok {
		p.command, p.pkg = r.Rerun()
		p.pkg = packageOf(p.pkg)
	} else {
		p.pkg = testPackage()
	}
	n := number(t)
	if name == "" {
		p.name = t.Name()
		if n > 1 {
			p.name = fmt.Sprintf("%s#%d", t.Name(), n)
		}
	}
	return p
}

// checks holds, for every test that runs and has called Check, what its calls
// were.
var checks struct {
	sync.Mutex
	of map[testing.TB]*checksOfTest
}

type checksOfTest struct {
	calls    int
	replayed bool // POR_REPLAY was meant for one of them
}

// number counts the calls of Check in t.
func number(t testing.TB) int {
	checks.Lock()
	defer checks.Unlock()
	c := checks.of[t]
	if c == nil {
		c = new(checksOfTest)
		if checks.of == nil {
			checks.of = make(map[testing.TB]*checksOfTest)
		}
		checks.of[t] = c
		t.Cleanup(func() { forget(t) })
	}
	c.calls++
	return c.calls
}

// noteReplayed says that a Check of t was the one that POR_REPLAY is meant for.
func noteReplayed(t testing.TB) {
	checks.Lock()
	defer checks.Unlock()
	if c := checks.of[t]; c != nil {
		c.replayed = true
	}
}

// forget ends the counting for t. If t was the only test asked for, and
// POR_REPLAY was meant for none of its Checks, that is a mistake to tell.
func forget(t testing.TB) {
	checks.Lock()
	c := checks.of[t]
	delete(checks.of, t)
	checks.Unlock()
	if replayString() != "" && !c.replayed && askedFor(t.Name()) {
		t.Errorf("por: POR_REPLAY holds the schedule of another Check: none of the %d in %s has been replayed; run the test that the failure report names, or unset POR_REPLAY", c.calls, t.Name())
	}
}

// askedFor reports whether the -run flag names exactly this test.
func askedFor(test string) bool {
	f := flag.Lookup("test.run")
	return f != nil && f.Value.String() == runPattern(test)
}

// runPattern returns the -run flag that selects exactly one test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// testPackage returns the import path of the test that is calling, or "." if it
// cannot be told.
func testPackage() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	previous := ""
	for {
		f, more := frames.Next()
		testing := stack.Testing(f.Function)
		if testing && previous != "" {
			return packageOf(previous)
		}
		if !testing {
			previous = f.Function
		}
		if !more {
			return "."
		}
	}
}

// packageOf returns the import path in a function's name; that of an external
// test package is the package it tests.
func packageOf(function string) string {
	pkg, err := url.PathUnescape(strings.TrimSuffix(stack.Package(function), "_test"))
	if err != nil || pkg == "" || pkg == "command-line-arguments" || pkg == "main" {
		return "."
	}
	return pkg
}

// callerName returns the name of the function skip frames above its caller.
func callerName(skip int) string {
	pc, _, _, ok := runtime.Caller(skip + 1)
	if !ok {
		return "unknown"
	}
	return runtime.FuncForPC(pc).Name()
}

// replayCommand returns what to type to replay a schedule here.
func (p place) replayCommand(replay string) string {
	if p.test == "" {
		return "POR_REPLAY=" + replay + " <the same command>"
	}
	return fmt.Sprintf("POR_REPLAY=%s %s -run '%s' %s", replay, p.command, runPattern(p.test), p.pkg)
}
