package native

import (
	"github.com/gopor/gopor/internal/hook"
)

// Variables names package-level variables that executions may change: pkg is the
// name of the package, and then come names, each with a pointer to its variable.
func Variables(pkg string, list ...any) {
	for i := 0; i+1 < len(list); i += 2 {
		hook.KeepVariable(pkg+"."+list[i].(string), list[i+1])
	}
}
