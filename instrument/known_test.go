package instrument

import (
	"testing"

	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/network"
	"github.com/gopor/gopor/internal/known"
)

// Every function that gets code by name is in the table of package known, with its parameters, so that
// a release in which it is another one is noticed.
func TestHooksAreKnown(t *testing.T) {
	hooks := make(map[string]bool)
	for _, name := range divert.Hooks() {
		hooks[name] = true
	}
	for pkg, statements := range network.Statements {
		for name := range statements {
			hooks[pkg+"."+name] = true
		}
	}
	for name := range hooks {
		if args, ok := known.Of("hook", name); !ok || args == "" {
			t.Errorf("std.txt has no line \"hook %s\" with the parameters that the code expects", name)
		}
	}
}
