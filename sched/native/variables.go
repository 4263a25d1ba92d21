package native

import (
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

// Registries is Variables for variables of packages of the standard library that the caller
// changes by their functions.
func Registries(paths ...string) {
	for _, path := range paths {
		for _, p := range live.Kept(path) {
			hook.KeepVariable(path, p)
		}
	}
}
