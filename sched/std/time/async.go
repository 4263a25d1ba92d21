package time

import (
	"os"
	"runtime/debug"
	"strings"

	"github.com/gopor/gopor/internal/hook"
)

func init() { hook.SetAsyncTimers(asyncTimers()) }

// asyncTimers reports whether the program has timers as before Go 1.23, by the version of Go in
// its go.mod. Since Go 1.27 no program has.
func asyncTimers() bool {
	if asyncRemoved {
		return false
	}
	settings := os.Getenv("GODEBUG")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "DefaultGODEBUG" {
				settings = s.Value + "," + settings
			}
		}
	}
	value := ""
	for setting := range strings.SplitSeq(settings, ",") { // the last setting counts
		if v, ok := strings.CutPrefix(setting, "asynctimerchan="); ok {
			value = v
		}
	}
	return value == "1" || value == "2"
}
