package build

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Verdicts is the folder of the cache with the verdicts of tests that the go command has
// cached.
const Verdicts = "verdicts"

// Corpus is the folder of the cache with what searches with faults keep for later ones. It does not
// count as one of kinds: it is small, and nothing makes it anew.
const Corpus = "corpus"

// kinds are the folders of the cache: test binaries under control, the tools that build them,
// plans of builds, and verdicts.
var kinds = []string{"binaries", "tools", "plans", Verdicts}

// Kept is a file or folder of the cache.
type Kept struct {
	Name string
	Size int64
	Used time.Time
}

// List returns the files of a cache, the longest unused first.
func List(cache string) (all []Kept) {
	for _, kind := range kinds {
		files, _ := os.ReadDir(filepath.Join(cache, kind))
		for _, f := range files {
			info, err := f.Info()
			if err != nil {
				continue // it has been removed meanwhile
			}
			name := filepath.Join(cache, kind, f.Name())
			all = append(all, Kept{Name: name, Size: sizeOf(name), Used: info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return a.Used.Compare(b.Used) })
	return all
}

// sizeOf returns the size of a file, or of all files of a folder.
func sizeOf(name string) (size int64) {
	filepath.WalkDir(name, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// Remove removes a folder. It returns the number of bytes removed.
func Remove(dir string) (size int64, err error) {
	size = sizeOf(dir)
	return size, os.RemoveAll(dir)
}

// Limit removes from a cache the files that were not used for longest, until it has at most
// most bytes. It keeps the file keep, and all files used in the latest hour, since another
// process may be about to use them.
func Limit(cache string, most int64, keep string) {
	all := List(cache)
	var size int64
	for _, k := range all {
		size += k.Size
	}
	for _, k := range all {
		if size <= most || time.Since(k.Used) < time.Hour {
			return
		}
		if k.Name != keep && os.RemoveAll(k.Name) == nil {
			size -= k.Size
		}
	}
}

// Clean empties a cache. It returns the number of bytes removed.
func Clean(cache string) (size int64, err error) {
	for _, k := range List(cache) {
		size += k.Size
	}
	for _, kind := range kinds {
		if err1 := os.RemoveAll(filepath.Join(cache, kind)); err == nil {
			err = err1
		}
	}
	os.Remove(cache) // succeeds if it is empty now
	return size, err
}
