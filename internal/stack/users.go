package stack

// This file distinguishes the code of the program from the standard library, gopor and
// assertion libraries.

import (
	"cmp"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// assertions are prefixes of packages with functions that report to a test. Their messages, and
// the lines that call them, belong to the user.
var assertions = []string{"testing.", "github.com/stretchr/testify/", "gotest.tools/", "github.com/onsi/gomega", "github.com/matryer/is"}

// IsUsers reports whether a function in a file, which belongs to the program, is written by the
// user. Functions of package testing and of assertion libraries are not, except for the tests
// of such a library.
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

// majorVersion matches the end of import paths with the version of the module.
var majorVersion = regexp.MustCompile(`./v[0-9]+(_test)?$`)

// ShortName returns the name of a function with the name of its package, without the path.
func ShortName(function string) string {
	plain, generic, _ := strings.Cut(function, "[")
	name := Unescape(plain[strings.LastIndex(plain, "/")+1:])
	if in := Package(plain); majorVersion.MatchString(in) { // the version follows the module's name
		name = path.Base(path.Dir(in)) + strings.TrimLeft(name[1:], "0123456789")
	}
	if generic != "" {
		name += "[...]" + generic[strings.LastIndex(generic, "]")+1:]
	}
	return name
}

// UserFrames returns the frames of a stack that belong to the user, innermost first, in the
// form "function  file:line". If there are none, it returns all frames.
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

// StuckCall returns the function called by the innermost code of a module, with the line of
// that code. If that code has called no function, it returns the function of the code itself.
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

// Own returns the frames of a controlled goroutine. It omits the frames of ended goroutines
// below them on the same stack.
func Own(frames []Frame) []Frame {
	i := slices.IndexFunc(frames, func(f Frame) bool { return RoleOf(f.Function) == First })
	if i < 0 {
		return frames
	}
	return frames[:i]
}

// UserPackage returns the import path of the package that a goroutine of an instrumented binary
// is in. That is the uncontrolled package that controlled code has called, or else the
// innermost package.
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

// IsRewritten reports whether a package of an instrumented binary belongs to a module rather
// than to the standard library. External test packages belong to the module of their package.
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
