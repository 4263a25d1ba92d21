// Package record has the records by which test programs report the result of each search to por
// test.
package record

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

// Class is the class of a test's result, as shown in tables, summaries, JSON and pages.
type Class string

// The classes, in the order in which they are shown.
const (
	Every       Class = "under every schedule" // everything was explored, without assumptions
	Assuming    Class = "with assumptions"     // everything was explored, under assumptions
	Stopped     Class = "stopped by a limit"   // the executions before a limit pass
	Fails       Class = "fail"
	NotExplored Class = "not explored"
)

// Classes are all classes, in their order.
var Classes = []Class{Every, Assuming, Stopped, Fails, NotExplored}

// Entry is the result of a test.
type Entry struct {
	Class   Class
	Package string
	Test    string
	Place   string `json:",omitempty"` // file:line of the reason, "" if unknown
	Reason  string `json:",omitempty"` // of a test that fails or is not explored, in one line
	Kind    string `json:",omitempty"` // of the first failure: "deadlock"
	Needs   string `json:",omitempty"` // the limit that has stopped the search, with its flag
	// Took is how long the search took, 0 if unknown or if an earlier run has made it.
	Took time.Duration `json:",omitempty"`
	// Assumed are the assumptions of a test of class Assuming, each with the option that
	// explores the alternative, if there is one: "maps are ranged over in one order:
	// -check.maps=explore".
	Assumed []string `json:",omitempty"`
	// Late describes the failure of a test that passes unless code is unusually late: "when g1
	// is late by 50ms: ...".
	Late string `json:",omitempty"`
	// Skipped says that the test skips itself in every execution, for Reason. The entry has no
	// class.
	Skipped bool `json:",omitempty"`
	// Mended has the saved schedules that failed in an earlier run and no longer fail, each in
	// a line that begins with the file. The entry has no class.
	Mended []string `json:",omitempty"`
	// Failure is a failure of the test. It has an entry of its own, without a class, before the
	// entry of the test.
	Failure *Failure `json:",omitempty"`
	// Behind has the goroutines that the test leaves behind and that are still reachable, a
	// line for each. The entry is written in addition to that of the test, and has no class.
	Behind []string `json:",omitempty"`
}

// Failure is the description of a failure.
type Failure struct {
	Kind, Headline string
	Place          string // file:line, "" if unknown
	Time           string // the time model: "discrete", "lag", "any"
	Execution      int64  // number of the failing execution, 0 for a saved schedule
	Preemptions    int
	Steps          int
	Fewest         bool   // proven to need that many preemptions
	Always         bool   // all executions fail
	Saved          string // the file of its schedule, relative to the package's folder
	// Order has two places, as "file:line: what". The failure requires that the second event
	// comes before the first, but after the event that precedes the first. It is empty if the
	// places are unknown.
	Order  []string
	Report string
}

// CacheDebug is the setting of GODEBUG with which the go command tells por test the cache keys
// of test results.
const CacheDebug = "gocachetest=1"

// Tests and their child processes do not see the setting for the go command.
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

// Add reports the result of a test to por test, if that runs the test program.
func Add(e Entry) {
	// Reading the variable with package syscall keeps test results independent of it in the go
	// command's cache.
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
		f.Write(append(line, '\n')) // in one call: test programs run concurrently
	}
}

// Read returns the entries of a file.
func Read(name string) (all []Entry) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return Parse(data)
}

// Parse returns the entries in the text of a file.
func Parse(data []byte) (all []Entry) {
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}
