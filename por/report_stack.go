package por

import (
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/stack"
)

// userFrames returns the frames of a stack that belong to the user, innermost first, as
// "function  file:line". If there are none, it returns them all.
func userFrames(frames []stack.Frame) []string {
	var user, all []string
	for _, f := range own(frames) {
		frame := f.Function[strings.LastIndex(f.Function, "/")+1:] + "  " + f.Where()
		all = append(all, frame)
		if !f.Created && f.User() {
			user = append(user, frame)
		}
	}
	if len(user) == 0 {
		return all
	}
	return user
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
