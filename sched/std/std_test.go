package std

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// TestPackages compares the list of twins with the folders.
func TestPackages(t *testing.T) {
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == "internal" {
			return fs.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(path)); d.Name() == "doc.go" && dir != "." {
			found = append(found, dir)
		}
		return err
	})
	slices.Sort(found)
	if err != nil || !slices.Equal(found, Packages()) {
		t.Errorf("found %v, want %v, %v", found, Packages(), err)
	}
}
