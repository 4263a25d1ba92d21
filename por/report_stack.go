package por

import (
	"path/filepath"
	"slices"
	"strings"
)

// machinery begins the names of functions that no user has written.
var machinery = []string{
	"runtime.", "runtime/", "panic(", "iter.", "testing.", "internal/",
	"github.com/gopor/gopor/sched.", "github.com/gopor/gopor/por.",
}

// userFrames returns the frames of a stack, as runtime.Stack prints it, that
// belong to the user, innermost first, as "function  file:line". If there are
// none, it returns them all.
func userFrames(stack string) []string {
	var user, all []string
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i++ {
		file, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue
		}
		file, _, _ = strings.Cut(file, " +0x")
		function := lines[i]
		if isText(function) {
			user = user[:max(0, len(user)-1)]
			i++
			continue
		}
		created := strings.HasPrefix(function, "created by ")
		frame := functionName(function) + "  " + filepath.Base(file)
		all = append(all, frame)
		if !created && isUser(function, file) {
			user = append(user, frame)
		}
		i++
	}
	if len(user) == 0 {
		return all
	}
	return user
}

// isText reports whether a frame stands between the text of a small function, which
// is a function literal in rewritten code, and the function's own frame: one of
// package native's Do, Get and Get2.
func isText(function string) bool {
	name, ok := strings.CutPrefix(function, "github.com/gopor/gopor/sched/native.")
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "[")
	return ok && (name == "Do" || name == "Get" || name == "Get2")
}

// userPackage returns the path of the package that a goroutine of an instrumented
// binary is in: the one not under control that others call, or else its own.
func userPackage(stack string) string {
	lines, at := strings.Split(stack, "\n"), ""
	for i := 1; i < len(lines); i++ {
		file, ok := strings.CutPrefix(lines[i], "\t")
		if !ok || !isUser(lines[i-1], file) {
			continue
		}
		slash := strings.LastIndex(lines[i-1], "/") + 1
		name, _, _ := strings.Cut(lines[i-1][slash:], ".")
		pkg := lines[i-1][:slash] + name
		if at == "" || !isRewritten(pkg) {
			at = pkg
		}
		if isRewritten(pkg) {
			break
		}
	}
	return at
}

// isUser reports whether a frame is of code that a user has written.
func isUser(function, file string) bool {
	name, _, _ := strings.Cut(file, ":")
	if strings.HasSuffix(name, "_test.go") {
		return true
	}
	return !slices.ContainsFunc(machinery, func(prefix string) bool {
		return strings.HasPrefix(function, prefix)
	})
}

// functionName returns the name in a line of a stack without its arguments and
// without the folders of its package.
func functionName(line string) string {
	line = strings.TrimPrefix(line, "created by ")
	line, _, _ = strings.Cut(line, " in goroutine ")
	if strings.HasSuffix(line, ")") {
		if i := strings.LastIndex(line, "("); i > 0 {
			line = line[:i]
		}
	}
	return line[strings.LastIndex(line, "/")+1:]
}
