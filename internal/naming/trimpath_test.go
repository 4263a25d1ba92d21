package naming

import (
	"os"
	"path/filepath"
	"testing"
)

// Files that are named as -trimpath has the compiler name them are found.
func TestOnDisk(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/gopor/gopor/internal/naming/trimpath.go": filepath.Join(startFolder, "trimpath.go"),
		"github.com/gopor/gopor/sched/closure.go":            filepath.Join(filepath.Dir(filepath.Dir(startFolder)), "sched", "closure.go"),
		"github.com/Azure/Go@v1.2.3-Rc.1/Sub/A.go":           filepath.Join(trimmed().cache, "github.com", "!azure", "!go@v1.2.3-!rc.1", "Sub", "A.go"),
		"sync/mutex.go": "sync/mutex.go",
		filepath.Join(startFolder, "trimpath.go"): filepath.Join(startFolder, "trimpath.go"),
		"github.com/gopor/gopor2/trimpath.go":     "github.com/gopor/gopor2/trimpath.go",
	} {
		if got := OnDisk(name); got != want {
			t.Errorf("%s is taken for %s, not %s", name, got, want)
		}
	}
	if _, err := os.Stat(OnDisk("github.com/gopor/gopor/internal/naming/trimpath.go")); err != nil {
		t.Error(err)
	}
}
