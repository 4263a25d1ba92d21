package hook

import (
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/live"
)

// Felt returns, in words, an external effect of this process that another process could notice
// that does the same at the same time. It has changed a file outside of its own folders and of
// the excepted files, used the network, or run a program. Felt returns "" if controlled code
// has had no such effect.
func Felt(except ...string) string {
	what, files, moved := live.Felt()
	if what != "" {
		return what
	}
	for _, name := range files {
		if whole, err := filepath.Abs(name); err != nil || moved && !filepath.IsAbs(name) || !IsOwn(whole) && !contains(except, whole) {
			return "changes of " + name
		}
	}
	return ""
}

// Unfelt is the function of package live.
func Unfelt(within bool) (done func()) { return live.Unfelt(within) }

// IsOwn reports whether a file, by its absolute name, is below a folder of the process itself:
// such a file does not outlive executions.
func IsOwn(name string) bool {
	for _, dir := range OwnFolders() {
		if rest, below := strings.CutPrefix(name, dir); below && rest != "" && rest[0] == filepath.Separator {
			return true
		}
	}
	return false
}

func contains(files []string, whole string) bool {
	for _, name := range files {
		if abs, err := filepath.Abs(name); err == nil && abs == whole {
			return true
		}
	}
	return false
}
