package stack

// This file tells the code of the program from that of the standard library, of gopor and of libraries of assertions.

import (
	"cmp"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// assertions are packages whose functions report for a test: what they say is the user's,
// and so is the line that has called them.
var assertions = []string{"testing.", "github.com/stretchr/testify/", "gotest.tools/", "github.com/onsi/gomega", "github.com/matryer/is"}

// IsUsers reports whether a function in a file is the user's, where it is the program's: one of neither
// package testing nor a library of assertions, but for the tests of that library.
func IsUsers(function, file string) bool {
	if strings.HasSuffix(file, "_test.go") {
		return !Testing(function)
	}
	for _, p := range assertions {
		if strings.HasPrefix(function, p) || strings.Contains(function, "/vendor/"+p) {
			return false
		}
	}
	return !Testing(function)
}

// majorVersion is the end of the import path of a module that says its version there.
var majorVersion = regexp.MustCompile(`./v[0-9]+(_test)?$`)

// ShortName returns the name of a function with that of its package, without its path.
func ShortName(function string) string {
	plain, generic, _ := strings.Cut(function, "[")
	name := Unescape(plain[strings.LastIndex(plain, "/")+1:])
	if in := Package(plain); majorVersion.MatchString(in) { // the module's name comes before it
		name = path.Base(path.Dir(in)) + strings.TrimLeft(name[1:], "0123456789")
	}
	if generic != "" {
		name += "[...]" + generic[strings.LastIndex(generic, "]")+1:]
	}
	return name
}

// UserFrames returns the frames of a stack that belong to the user, innermost first, as
// "function  file:line". If there are none, it returns them all.
func UserFrames(frames []Frame) []string {
	var user, all []string
	for _, f := range Own(frames) {
		frame := ShortName(f.Function) + "  " + f.Where()
		all = append(all, frame)
		if !f.Created && f.User() && IsUsers(f.Function, f.File) {
			user = append(user, frame)
		}
	}
	if len(user) == 0 {
		return all
	}
	return user
}

// StuckCall returns the function that the innermost code of a module has called, or that code if it has called none, and
// the line of that code.
func StuckCall(frames []Frame) string {
	called := ""
	for _, f := range Own(frames) {
		if f.Created || !f.User() {
			continue
		}
		if IsRewritten(Package(f.Function)) {
			return cmp.Or(called, ShortName(f.Function)) + " (" + f.Where() + ")"
		}
		called = ShortName(f.Function)
	}
	return cmp.Or(called, "code that is not known")
}

// Own returns the frames of a controlled goroutine without those of others that have ended
// on the same
func Own(frames []Frame) []Frame {
	i := slices.IndexFunc(frames, func(f Frame) bool { return RoleOf(f.Function) == First })
	if i < 0 {
		return frames
	}
	return frames[:i]
}

// UserPackage returns the path of the package that a goroutine of an instrumented
// binary is in: the one not under control that others call, or else its own.
func UserPackage(frames []Frame) string {
	at := ""
	for _, f := range Own(frames) {
		if !f.User() {
			continue
		}
		pkg := Package(f.Function)
		if at == "" || !IsRewritten(pkg) {
			at = pkg
		}
		if IsRewritten(pkg) {
			break
		}
	}
	return at
}

// IsRewritten reports whether a package of an instrumented binary is of a module,
// which the standard library is not. The tests outside of a package have one of their own.
func IsRewritten(pkg string) bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != "" && (pkg == m.Path || pkg == m.Path+"_test" || strings.HasPrefix(pkg, m.Path+"/")) {
			return true
		}
	}
	return false
}
