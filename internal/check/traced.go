package check

import (
	"os"
	"strings"
)

// losesBreakpoints is what a debugger's user has to know when a test binary replaces itself.
const losesBreakpoints = "por: a debugger traces this process, and loses its breakpoints now: the test binary under control takes the place of the process; " +
	"build that binary for the debugger: por test -c -gcflags='all=-N -l' (docs/editors.md)"

// traced reports whether a debugger traces this process. It knows that on Linux only.
func traced() bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, tracer, ok := strings.Cut(string(status), "\nTracerPid:")
	tracer, _, _ = strings.Cut(tracer, "\n")
	return ok && strings.TrimSpace(tracer) != "0"
}
