package explore

import (
	"flag"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por/report"
)

// Place is where a search was asked for.
type Place struct {
	Name string // what a replay string goes by
	Test string // the test's name, "" outside tests
	Pkg  string // import path of the test's package, "." if unknown
	// Command runs tests, and is followed by flags.
	Command string
	// Por calls command por, if that runs the tests, with the folder Dir for its flag -C. Each
	// is "" otherwise.
	Por, Dir  string
	Flags     []string // those that the tests were built or run with, as far as they matter
	Benchmark bool
}

// TestPackage returns the import path of the package of the tests that this program runs, or "."
// if it cannot be told.
func TestPackage() string {
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
			return PackageOf(previous)
		}
		if !testing && !strings.HasPrefix(f.Function, "reflect.") {
			previous = f.Function
		}
		if !more {
			return "."
		}
	}
}

// PackageOf returns the import path in a function's name; that of an external
// test package is the package it tests.
func PackageOf(function string) string {
	pkg := strings.TrimSuffix(stack.Package(function), "_test")
	if pkg == "" || pkg == "command-line-arguments" || pkg == "main" {
		return "."
	}
	return pkg
}

// CallerName returns the name of the function skip frames above its caller.
func CallerName(skip int) string {
	pc, _, _, ok := runtime.Caller(skip + 1)
	if !ok {
		return "unknown"
	}
	return runtime.FuncForPC(pc).Name()
}

// FlagValue returns the value of a flag of the test program, "" if there is no such flag.
func FlagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// LongReplay is how many characters a replay string may have for the command line. A longer
// one is a file there, if it is saved.
const LongReplay = 400

// ReplayCommand returns what to type to replay the schedule of a report here.
func (p Place) ReplayCommand(rep *report.Failure) string {
	replay := rep.Replay
	if len(replay) > LongReplay && rep.Saved != "" {
		replay = format.Quoted(filepath.ToSlash(rep.Saved))
	}
	if p.Test == "" {
		return "POR_REPLAY=" + replay + " <the same command>"
	}
	words := []string{"POR_REPLAY=" + replay, p.Command}
	for _, f := range p.Flags {
		words = append(words, format.Quoted(f))
	}
	if p.Benchmark {
		words = append(words, "-run '^$' -bench")
	} else {
		words = append(words, "-run")
	}
	return strings.Join(append(words, "'"+strings.ReplaceAll(share.RunPattern(p.Test), "'", `'\''`)+"'", p.Pkg), " ")
}
