package putback

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/gopor/gopor/internal/environ"
)

// Folder returns the folder for keepers of this user, or "" if there is none. Tests may change
// the environment later, so the result belongs to the start of the process.
func Folder() string {
	dir, _ := syscall.Getenv(environ.Cache)
	if !filepath.IsAbs(dir) {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(cache, "gopor")
	}
	return filepath.Join(dir, "files")
}
