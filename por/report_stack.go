package por

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/stack"
)

// assertions are packages whose functions report for a test: what they say is the user's,
// and so is the line that has called them.
var assertions = []string{"testing.", "github.com/stretchr/testify/", "gotest.tools/", "github.com/onsi/gomega", "github.com/matryer/is"}

// isUsers reports whether a function in a file is the user's, where it is the program's: one of neither
// package testing nor a library of assertions, but for the tests of that library.
func isUsers(function, file string) bool {
	if strings.HasSuffix(file, "_test.go") {
		return !stack.Testing(function)
	}
	for _, p := range assertions {
		if strings.HasPrefix(function, p) || strings.Contains(function, "/vendor/"+p) {
			return false
		}
	}
	return !stack.Testing(function)
}

// majorVersion is the end of the import path of a module that says its version there.
var majorVersion = regexp.MustCompile(`./v[0-9]+(_test)?$`)

// shortName returns the name of a function with that of its package, without its path.
func shortName(function string) string {
	plain, generic, _ := strings.Cut(function, "[")
	name := stack.Unescape(plain[strings.LastIndex(plain, "/")+1:])
	if in := stack.Package(plain); majorVersion.MatchString(in) { // the module's name comes before it
		name = path.Base(path.Dir(in)) + strings.TrimLeft(name[1:], "0123456789")
	}
	if generic != "" {
		name += "[...]" + generic[strings.LastIndex(generic, "]")+1:]
	}
	return name
}

// userFrames returns the frames of a stack that belong to the user, innermost first, as
// "function  file:line". If there are none, it returns them all.
func userFrames(frames []stack.Frame) []string {
	var user, all []string
	for _, f := range own(frames) {
		frame := shortName(f.Function) + "  " + f.Where()
		all = append(all, frame)
		if !f.Created && f.User() && isUsers(f.Function, f.File) {
			user = append(user, frame)
		}
	}
	if len(user) == 0 {
		return all
	}
	return user
}

// stuckCall returns the function that the innermost code of a module has called, or that code if it has called none, and
// the line of that code.
func stuckCall(frames []stack.Frame) string {
	called := ""
	for _, f := range own(frames) {
		if f.Created || !f.User() {
			continue
		}
		if isRewritten(stack.Package(f.Function)) {
			return cmp.Or(called, shortName(f.Function)) + " (" + f.Where() + ")"
		}
		called = shortName(f.Function)
	}
	return cmp.Or(called, "code that is not known")
}

// outside returns the innermost frame that is not of the standard library, such as of package reflect, or else the
// innermost.
func outside(frames []Frame) Frame {
	i := slices.IndexFunc(frames, func(f Frame) bool { return f.pkg == "" || isRewritten(f.pkg) })
	return frames[max(i, 0)]
}

// own returns the frames of a controlled goroutine without those of others that have ended
// on the same stack.
func own(frames []stack.Frame) []stack.Frame {
	i := slices.IndexFunc(frames, func(f stack.Frame) bool { return stack.RoleOf(f.Function) == stack.First })
	if i < 0 {
		return frames
	}
	return frames[:i]
}

// userPackage returns the path of the package that a goroutine of an instrumented
// binary is in: the one not under control that others call, or else its own.
func userPackage(frames []stack.Frame) string {
	at := ""
	for _, f := range own(frames) {
		if !f.User() {
			continue
		}
		pkg := stack.Package(f.Function)
		if at == "" || !isRewritten(pkg) {
			at = pkg
		}
		if isRewritten(pkg) {
			break
		}
	}
	return at
}
