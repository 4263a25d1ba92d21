package por

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por/report"
)

// place is where a search was asked for.
type place struct {
	name string // what a replay string goes by
	test string // the test's name, "" outside tests
	pkg  string // import path of the test's package, "." if unknown
	// command runs tests, and is followed by flags.
	command   string
	flags     []string // those that the tests were built or run with, as far as they matter
	benchmark bool
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
		command, function := r.Rerun()
		words := strings.Fields(command)
		n := slices.Index(words, "-check") + 1
		p.command, p.flags = strings.Join(words[:n], " "), words[n:]
		if p.pkg = testPackage(); p.pkg == "." {
			p.pkg = packageOf(function)
		}
	} else {
		p.pkg = testPackage()
		p.flags = goFlags()
	}
	if p.pkg == "." {
		if _, args, _ := build.Parent(); len(args) > 0 && strings.HasSuffix(args[0], ".go") {
			p.pkg = strings.Join(args, " ")
		}
	}
	_, p.benchmark = t.(*testing.B)
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
	return f != nil && f.Value.String() == share.RunPattern(test)
}

// testPackage returns the import path of the package of the tests that this program runs, or "."
// if it cannot be told.
func testPackage() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && testing.Testing() {
		path := strings.TrimSuffix(info.Path, ".test") // which tests of a main package lack
		if path == "command-line-arguments" {
			return "."
		}
		return path
	}
	return callingPackage()
}

// callingPackage returns the import path of the test that is calling, or "." if it
// cannot be told.
func callingPackage() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	previous := ""
	for {
		f, more := frames.Next()
		testing := stack.Testing(f.Function)
		if testing && previous != "" {
			return packageOf(previous)
		}
		if !testing && !strings.HasPrefix(f.Function, "reflect.") {
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
	pkg := strings.TrimSuffix(stack.Package(function), "_test")
	if pkg == "" || pkg == "command-line-arguments" || pkg == "main" {
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
	if flagValue("test.short") == "true" {
		flags = append(flags, "-short")
	}
	return flags
}

// flagValue returns the value of a flag of the test program, "" if there is no such flag.
func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// longReplay is how many characters a replay string may have for the command line. A longer
// one is a file there, if it is saved.
const longReplay = 400

// replayCommand returns what to type to replay the schedule of a report here.
func (p place) replayCommand(rep *report.Failure) string {
	replay := rep.Replay
	if len(replay) > longReplay && rep.Saved != "" {
		replay = quoted(filepath.ToSlash(rep.Saved))
	}
	if p.test == "" {
		return "POR_REPLAY=" + replay + " <the same command>"
	}
	words := []string{"POR_REPLAY=" + replay, p.command}
	for _, f := range p.flags {
		words = append(words, quoted(f))
	}
	if p.benchmark {
		words = append(words, "-run '^$' -bench")
	} else {
		words = append(words, "-run")
	}
	return strings.Join(append(words, "'"+strings.ReplaceAll(share.RunPattern(p.test), "'", `'\''`)+"'", p.pkg), " ")
}

// quoted quotes a word for a shell, if need be.
func quoted(word string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-+=./:,@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
