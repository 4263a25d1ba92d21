package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/record"
)

// The go command does not run a test program if the result is in its cache, so nothing tells what
// has come of the tests. With [record.CacheDebug] it prints by which key it keeps and finds
// results: the hash of the program, its flags, and the variables and files that the tests have
// read. What tests have told is kept under the same key.

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

// note notes a line about the cache. The go command prints what it has found before it looks
// whether the result is of use: any line about the package after that says that it is not.
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
