// Package caller tells which function calls, and of which package the tests are that run.
package caller

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/stack"
)

// Tested returns the import path of the package of the tests that this program runs, or "."
// if it cannot be told.
func Tested() string {
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

// Name returns the name of the function skip frames above its caller.
func Name(skip int) string {
	pc, _, _, ok := runtime.Caller(skip + 1)
	if !ok {
		return "unknown"
	}
	return runtime.FuncForPC(pc).Name()
}
