// Package record is how test programs tell por test what has come of each search.
package record

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"syscall"

	"github.com/gopor/gopor/internal/environ"
)

// Class is what has come of a test, in the words of tables, summaries, JSON and pages.
type Class string

// The classes, in the order in which they are told.
const (
	Every       Class = "under every schedule" // everything was explored, and nothing is assumed
	Assuming    Class = "with assumptions"     // everything was explored, but something is assumed
	Stopped     Class = "stopped by a limit"   // what was explored until a limit passes
	Fails       Class = "fail"
	NotExplored Class = "not explored"
)

// Classes are all classes, in their order.
var Classes = []Class{Every, Assuming, Stopped, Fails, NotExplored}

// Entry is what has come of a test.
type Entry struct {
	Class   Class
	Package string
	Test    string
	Place   string `json:",omitempty"` // file:line that the reason is about, "" if unknown
	Reason  string `json:",omitempty"` // of one that fails or is not explored, in one line
	Needs   string `json:",omitempty"` // what has stopped the search, and what sets it: "time: -check.time"
	// Assumed is what a test of the class Assuming takes for granted, each with what explores it, if anything does: "maps are
	// ranged over in one order: -check.maps=explore".
	Assumed []string `json:",omitempty"`
	Late    string   `json:",omitempty"` // how a test fails that passes unless code is late by more than is usual: "when g1 is late by 50ms: ..."
	Skipped bool     `json:",omitempty"` // the test skips itself in every execution, for Reason; the entry has no class
	// Mended says of saved schedules that they failed in an earlier run and fail no longer, each in a
	// line that begins with the file. The entry has no class.
	Mended []string `json:",omitempty"`
	// Failure is one that was found. It has an entry of its own, without a class, before
	// that of the test.
	Failure *Failure `json:",omitempty"`
	// Behind has the goroutines that the test leaves behind and that something still reaches, a line for each. The entry
	// is told beside that of the test, and has no class.
	Behind []string `json:",omitempty"`
}

// Failure is what is told of a failure.
type Failure struct {
	Kind, Headline string
	Place          string // file:line, "" if unknown
	Time           string // how time passes: "discrete", "lag", "any"
	Execution      int64  // in which it was found, 0 if by a saved schedule
	Preemptions    int
	Steps          int
	Fewest         bool   // it does not show with fewer preemptions
	Always         bool   // all executions fail
	Saved          string // the file of its schedule, from the folder of the package
	// Order is two places, as "file:line: what", of which the second has to come between what is
	// before the first and the first for the failure to show; empty if that is not known.
	Order  []string
	Report string
}

// CacheDebug is the setting of GODEBUG with which the go command tells por test by which keys it keeps
// results of tests.
const CacheDebug = "gocachetest=1"

// What is for the go command alone, tests and the programs that they start do not see.
func init() {
	const name = "GODEBUG"
	if _, told := syscall.Getenv(environ.CheckRecord); !told {
		return
	}
	value, _ := syscall.Getenv(name)
	switch own, found := strings.CutSuffix(value, ","+CacheDebug); {
	case found:
		syscall.Setenv(name, own)
	case value == CacheDebug:
		syscall.Unsetenv(name)
	}
}

// Told reports whether por test runs the test program.
func Told() bool {
	_, ok := syscall.Getenv(environ.CheckRecord)
	return ok
}

// Add tells por test, if that runs the test program, what has come of a test.
func Add(e Entry) {
	// By this package, so that it is no matter for the results that the go command keeps.
	name, ok := syscall.Getenv(environ.CheckRecord)
	if !ok {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // por test has ended
	}
	defer f.Close()
	if line, err := json.Marshal(e); err == nil {
		f.Write(append(line, '\n')) // at once: test programs run at the same time
	}
}

// Read returns what is recorded in a file.
func Read(name string) (all []Entry) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return Parse(data)
}

// Parse returns what is recorded in the text of a file.
func Parse(data []byte) (all []Entry) {
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}
