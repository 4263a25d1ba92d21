package native

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

// Variables registers package-level variables that executions may change: pkg is the name of
// the package, and the list has names, each with a pointer to its variable.
func Variables(pkg string, list ...any) {
	for i := 0; i+1 < len(list); i += 2 {
		hook.KeepVariable(pkg+"."+list[i].(string), list[i+1])
	}
}

// mostLocals is how many local variables are registered at most.
const mostLocals = 10_000

var locals atomic.Int64

// Locals is Variables for local variables of a function that may run before the first execution,
// such as TestMain. What a handler has captured there outlives the function. Locals does nothing if
// the caller is controlled: an execution does not see the variables of another one.
func Locals(pkg string, list ...any) {
	if !live.In() && locals.Add(int64(len(list)/2)) <= mostLocals {
		Variables(pkg, list...)
	}
}

// Registries is Variables for variables of packages of the standard library that the caller
// changes by their functions.
func Registries(paths ...string) {
	for _, path := range paths {
		for _, p := range live.Kept(path) {
			hook.KeepVariable(path, p)
		}
	}
}
