package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/record"
)

// verdictAge is how long the verdicts of a package are kept without being asked for. The go command
// keeps results for five days.
const verdictAge = 10 * 24 * time.Hour

// settle keeps what test programs have told, all, and returns it with what is kept of the packages
// that the go command has taken from its cache. Lost are those of which nothing is kept.
func (w *cacheLines) settle(all []record.Entry) (whole []record.Entry, lost []string) {
	if len(w.found)+len(w.saved) == 0 {
		return all, nil
	}
	cache, err := build.Cache()
	if err != nil {
		return all, nil
	}
	dir := filepath.Join(cache, build.Verdicts)
	ran := make(map[string]*bytes.Buffer)
	for _, e := range all {
		if ran[e.Package] == nil {
			ran[e.Package] = new(bytes.Buffer)
		}
		e.Mended = nil // which is told once
		json.NewEncoder(ran[e.Package]).Encode(e)
	}
	for pkg, keys := range w.saved {
		for _, key := range keys {
			keep(dir, key, ran[pkg])
		}
	}
	for pkg, key := range w.found {
		name := filepath.Join(dir, key)
		text, err := os.ReadFile(name)
		switch {
		case ran[pkg] != nil: // it has run after all
		case err != nil:
			lost = append(lost, pkg)
		default:
			now := time.Now()
			os.Chtimes(name, now, now) // in use
			for _, e := range record.Parse(text) {
				e.Took = 0 // in another run
				all = append(all, e)
			}
		}
	}
	slices.Sort(lost)
	build.Trim(dir, time.Now().Add(-verdictAge))
	return all, lost
}

// keep writes the verdicts of a package, whole or not at all. If that cannot be done they are
// missed when the go command takes the result from its cache, which is said then.
func keep(dir, key string, verdicts *bytes.Buffer) {
	if os.MkdirAll(dir, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return
	}
	if verdicts != nil {
		_, err = f.Write(verdicts.Bytes())
	}
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), filepath.Join(dir, key)) != nil {
		os.Remove(f.Name())
	}
}
