package hook

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

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

// ownFolders has the folders that are empty when an execution begins or after it.
var ownFolders atomic.Pointer[[]string]

// OwnFolders returns the names of the process's own folders, and AddOwnFolder adds one.
func OwnFolders() []string {
	if all := ownFolders.Load(); all != nil {
		return *all
	}
	return nil
}

func AddOwnFolder(name string) {
	for {
		old := ownFolders.Load()
		all := append(slices.Clone(OwnFolders()), name)
		if ownFolders.CompareAndSwap(old, &all) {
			return
		}
	}
}

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

// FileMade notes that a file was made for the calling goroutine. If that is controlled, the
// file has the time of its execution.
func FileMade(name string) {
	if live.In() {
		live.Caller.FileMade(name)
	}
}
