package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All twins are named for go mod vendor, which would leave them out.
func TestVendored(t *testing.T) {
	text, err := os.ReadFile("vendored.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = filepath.WalkDir("../../sched/std", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rest, below := strings.CutPrefix(filepath.ToSlash(name), "../../sched/std/")
		switch files, _ := filepath.Glob(filepath.Join(name, "*.go")); {
		case rest == "internal" || rest == "api":
			return filepath.SkipDir
		case !below || len(files) == 0:
		case !strings.Contains(string(text), `"github.com/gopor/gopor/sched/std/`+rest+`"`):
			t.Errorf("%s is not named", rest)
		default:
			n++
		}
		return nil
	})
	if err != nil || n < 10 {
		t.Error(n, err)
	}
}
