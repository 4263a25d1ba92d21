package hook

import (
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/live"
)

// Felt says what this process has done that another process of the same program would feel that did the same at the same
// time, in words: it has changed a file that is not one of its own folders, or of those that are excepted by their names, used the network, run a
// program. It is "" if there is nothing, as far as code that is under control has done it.
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

// IsOwn reports whether a file, known by its whole name, is below one of the process's own folders: it does not outlive executions.
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
