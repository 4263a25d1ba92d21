package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/record"
)

// The go command runs no test program whose result it has in its cache, so nothing tells what has
// come of the tests. With [record.CacheDebug] it prints by which key it keeps and finds results:
// the hash of the program, its flags, and the variables and files that the tests have read. What
// tests have told is kept under the same key.

// cacheLines is a writer for what the go command has to say. It takes the lines about the cache
// of tests, and passes on all others.
type cacheLines struct {
	to     io.Writer
	shown  bool   // the user has asked for these lines
	line   []byte // the last one, up to now, as long as it may be about the cache
	passes bool   // the last one is not

	found map[string]string   // by package: the key of the result that is taken from the cache
	saved map[string][]string // by package: the keys under which its result is kept
}

func newCacheLines(to io.Writer) *cacheLines {
	return &cacheLines{to: to, found: make(map[string]string), saved: make(map[string][]string)}
}

// watch makes the go command print lines about the cache of tests.
func (w *cacheLines) watch(environ []string) []string {
	const name = "GODEBUG"
	value := os.Getenv(name)
	if w.shown = slices.Contains(strings.Split(value, ","), record.CacheDebug); w.shown {
		return environ
	}
	if value != "" {
		value += ","
	}
	return build.Environ(environ, name, value+record.CacheDebug)
}

const aboutCache = "testcache: "

// Write implements [io.Writer].
func (w *cacheLines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if ended {
			line = rest[:len(line)+1]
		}
		rest = after
		if !w.passes {
			w.line = append(w.line, line...)
			n := min(len(w.line), len(aboutCache))
			if w.passes = string(w.line[:n]) != aboutCache[:n] || ended && n < len(aboutCache); w.passes {
				line = w.line
			}
		}
		if w.passes {
			if _, err := w.to.Write(line); err != nil {
				return 0, err
			}
		}
		if ended {
			if !w.passes {
				w.note(string(w.line))
			}
			w.line, w.passes = w.line[:0], false
		}
	}
	return len(p), nil
}

// flush passes on what is no whole line.
func (w *cacheLines) flush() {
	if !w.passes {
		w.to.Write(w.line)
	}
	w.line = nil
}

var (
	cacheFound = regexp.MustCompile(`^testcache: (\S+): test ID [0-9a-f]+ => input ID [0-9a-f]+ => ([0-9a-f]+)\n$`)
	cacheSaved = regexp.MustCompile(`^testcache: (\S+): save test ID [0-9a-f]+ => input ID [0-9a-f]+ => ([0-9a-f]+)\n$`)
	cacheOther = regexp.MustCompile(`^testcache: (\S+): `)
)

// note notes a line about the cache. The go command prints what it has found before it looks whether
// the result is of use: any line about the package after that says that it is not.
func (w *cacheLines) note(line string) {
	if w.shown {
		io.WriteString(w.to, line)
	}
	if m := cacheFound.FindStringSubmatch(line); m != nil {
		w.found[m[1]] = m[2]
	} else if m := cacheSaved.FindStringSubmatch(line); m != nil {
		delete(w.found, m[1])
		w.saved[m[1]] = append(w.saved[m[1]], m[2])
	} else if m := cacheOther.FindStringSubmatch(line); m != nil {
		delete(w.found, m[1])
	}
}

// verdictAge is how long the verdicts of a package are kept without being asked for. The go command keeps
// results for five days.
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
			all = append(all, record.Parse(text)...)
		}
	}
	slices.Sort(lost)
	build.Trim(dir, time.Now().Add(-verdictAge))
	return all, lost
}

// keep writes the verdicts of a package, whole or not at all. If that cannot be done they are missed
// when the go command takes the result from its cache, which is said then.
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
