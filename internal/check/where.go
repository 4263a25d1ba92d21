package check

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/caller"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/share"
)

// rerunner is a test that [Check] is called for by something else than its own
// package.
type rerunner interface {
	// Rerun returns how to run tests in this way, and the name of the test function, with that
	// of its package.
	Rerun() (r environ.Rerun, function string)
}

// locate returns the place of a Check in test t. A Check that is not the first
// of its test has its number in its name.
func locate(t testing.TB, name string) explore.Place {
	p := explore.Place{Name: name, Test: t.Name(), Command: "go test"}
	if r, ok := t.(rerunner); ok {
		again, function := r.Rerun()
		p.Por, p.Dir, p.Command, p.Flags = again.Por, again.Dir, again.Por+" check", again.Flags
		if p.Dir != "" {
			p.Command += " -C " + format.Quoted(p.Dir)
		}
		if p.Pkg = caller.Tested(); p.Pkg == "." {
			p.Pkg = caller.PackageOf(function)
		}
	} else {
		p.Pkg = caller.Tested()
		p.Flags = goFlags()
	}
	if p.Pkg == "." {
		if _, args, _ := build.Parent(); len(args) > 0 && strings.HasSuffix(args[0], ".go") {
			p.Pkg = strings.Join(args, " ")
		}
	}
	_, p.Benchmark = t.(*testing.B)
	n := number(t)
	if name == "" {
		p.Name = t.Name()
		if n > 1 {
			p.Name = fmt.Sprintf("%s#%d", t.Name(), n)
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
	if explore.ReplayString() != "" && !c.replayed && askedFor(t.Name()) {
		t.Errorf("por: POR_REPLAY holds the schedule of another Check: none of the %d in %s has been replayed; run the test that the failure report names, or unset POR_REPLAY", c.calls, t.Name())
	}
}

// askedFor reports whether the -run flag names exactly this test.
func askedFor(test string) bool {
	f := flag.Lookup("test.run")
	return f != nil && f.Value.String() == share.RunPattern(test)
}

// goFlags returns the flags of go test that the test binary depends on.
func goFlags() (flags []string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Value == "" || s.Value == "false":
			case s.Key == "-tags":
				flags = append(flags, s.Key+"="+s.Value)
			case s.Key == "-race" || s.Key == "-msan" || s.Key == "-asan":
				flags = append(flags, s.Key)
			}
		}
	}
	parent, _, _ := build.Parent()
	for _, f := range parent {
		if f.Name == "mod" || f.Name == "modfile" || f.Name == "overlay" {
			flags = append(flags, "-"+f.Name+"="+f.Value)
		}
	}
	if explore.FlagValue("test.short") == "true" {
		flags = append(flags, "-short")
	}
	return flags
}
