// Package environ has all environment variables of gopor.
//
// The go command does not use a cached test result if a variable has changed that the test has
// read with package os. It notices such reads only once package testing has begun to run tests.
// Therefore every Check reads all variables by [Check], set or not, including those that were
// needed earlier.
package environ

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// prefix is the prefix of the names of all variables, and of no others.
const prefix = "POR_"

// CheckPrefix is the prefix of the names of the variables by which por check passes its
// flags to test programs.
const CheckPrefix = prefix + "CHECK_"

// The names of the variables that the code reads.
const (
	Instrument    = prefix + "INSTRUMENT"
	Cache         = prefix + "CACHE"
	Replay        = prefix + "REPLAY"
	ReplayLenient = prefix + "REPLAY_LENIENT"
	Save          = prefix + "SAVE"
	Full          = prefix + "FULL"
	JSON          = prefix + "JSON"
	HTML          = prefix + "HTML"

	// CheckCommand is how to run tests of por check again, a [Rerun].
	CheckCommand = CheckPrefix + "COMMAND"

	// CheckRecord is the file to which test programs write the result of each test for por
	// check. Its name differs from run to run. Tests must not read the variable with package
	// os, or the go command could not cache their results.
	CheckRecord = CheckPrefix + "RECORD"

	// CheckStart is the start of the virtual clock, see [ParseStart].
	CheckStart = CheckPrefix + "START"

	// CheckWithin is set by test programs of por check for the processes that their tests
	// start.
	CheckWithin = CheckPrefix + "WITHIN"

	// CheckFolder is the folder in which por test or por check was called.
	CheckFolder = CheckPrefix + "FOLDER"

	// CheckNative says how to run a test without control, see package natively. Like the file
	// of CheckRecord it differs from run to run.
	CheckNative = CheckPrefix + "NATIVE"

	// Worker is set for worker processes of a search, see package share.
	Worker = prefix + "WORKER"
)

// A Variable is an environment variable. An empty value counts as not set.
type Variable struct {
	Name    string
	Values  string // description of the valid values
	Meaning string
	// valid returns an error for an invalid value. It is nil if package environ cannot check.
	valid func(value string) error
}

// Variables are all variables for users, sorted by name.
var Variables = []Variable{
	{Cache, "an absolute path", "the folder in which test binaries under control are kept", absolute},
	{Full, "0 or 1", "1 makes reports show all of an execution, however long that gets", oneOf("0", "1")},
	{HTML, "a file ending in .html, or a folder", "writes every failure as a page to look at in a browser", nil},
	{Instrument, "off", "keeps test binaries as go test has built them: native code is not under control", oneOf("off")},
	{JSON, "a file ending in .json, or a folder", "writes every failure as data", nil},
	{Replay, "a replay string, or the path of a saved schedule", "runs that schedule in place of a search, in the Check that has printed it", schedule},
	{ReplayLenient, "0 or 1", "1 lets a replay go on past what no longer fits", oneOf("0", "1")},
	{Save, "on or off", "off keeps failing schedules from being saved, and saved ones from being run", oneOf("on", "off")},
}

// flags are the suffixes of the names of the variables of por check.
var flags = []string{"COMMAND", "TIME", "EXECUTIONS", "MEMORY", "STEPS", "ENGINE", "SEED", "RACES", "CLOCK", "MAXCLOCK", "LAG", "START", "RAND", "MODEL", "LIBRARY", "NETWORK", "FAULTS", "MAPS", "SYMMETRIC", "LEAKS", "KEEP", "SAVE", "CORPUS", "OUTPUT", "PROCESSES"}

// Within reports whether a test of por check has started this process.
func Within() bool { return within != "" }

var within, _ = syscall.Getenv(CheckWithin)

// Folder returns the folder in which por test or por check was called, "" if a test program was
// not started by them.
func Folder() string { return folder }

var folder, _ = syscall.Getenv(CheckFolder)

// A Rerun is how to run the tests of por check again.
type Rerun struct {
	Por   string   // calls command por, as typed into a shell
	Dir   string   // the folder of flag -C, "" if there is none
	Flags []string // of go test or por check, those that make a difference
}

// String returns r as the value of [CheckCommand].
func (r Rerun) String() string {
	words := append([]string{r.Por, r.Dir}, r.Flags...)
	for i, w := range words {
		words[i] = strconv.Quote(w)
	}
	return strings.Join(words, " ")
}

// ParseRerun returns what a value of [CheckCommand] says. If that says nothing, command por is
// called by its name.
func ParseRerun(text string) Rerun {
	var words []string
	for {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			break
		}
		word, _ := strconv.Unquote(quoted)
		words, text = append(words, word), strings.TrimPrefix(text[len(quoted):], " ")
	}
	if len(words) < 2 {
		return Rerun{Por: "por"}
	}
	return Rerun{Por: words[0], Dir: words[1], Flags: words[2:]}
}

// ParseStart returns the moment that a value of [CheckStart] stands for: a time in the format
// of RFC 3339, or a date, in the years 1950 to 2200.
func ParseStart(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		return time.Time{}, errors.New("that is not a time")
	}
	if y := t.UTC().Year(); y < 1950 || y > 2200 {
		return time.Time{}, errors.New("the year is out of range")
	}
	return t, nil
}

// CheckPackages returns an error if text is neither an import path nor one with /... at its end.
func CheckPackages(text string) error {
	path := strings.TrimSuffix(text, "/...")
	if path == "" || path[0] == '.' || path[0] == '/' || strings.ContainsAny(path, " ,*") || strings.Contains(path, "...") {
		return errors.New("no import path; write it as an import does, such as google.golang.org/grpc, with /... at its end for the packages below")
	}
	return nil
}

func absolute(dir string) error {
	if !filepath.IsAbs(dir) {
		return errors.New("the path is not absolute, and tests run in the folders of their packages")
	}
	return nil
}

// schedule returns an error for text that cannot be a schedule. Whether a schedule is damaged
// shows when the test reads it.
func schedule(text string) error {
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "p") && !strings.ContainsAny(text, `/\`) {
		return errors.New("that is neither a schedule nor a path")
	}
	return nil
}

func oneOf(values ...string) func(string) error {
	return func(v string) error {
		if !slices.Contains(values, v) {
			return errors.New("the value is unknown")
		}
		return nil
	}
}

// Check reads all variables. Its error is one line with all unknown variables and all that have
// invalid values.
func Check() error {
	var wrong []string
	for _, v := range Variables {
		value := os.Getenv(v.Name)
		if value == "" || v.valid == nil {
			continue
		}
		if err := v.valid(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s=%q: %v; allowed: %s, or leave the variable unset", v.Name, value, err, v.Values))
		}
	}
	for _, flag := range flags {
		os.Getenv(CheckPrefix + flag)
	}
	for _, name := range unknown(os.Environ()) {
		wrong = append(wrong, fmt.Sprintf("the variable %s is unknown; there are %s", strings.Trim(strconv.Quote(name), `"`), strings.Join(names(), ", ")))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// unknown returns the names that have the prefix of gopor's variables but are unknown.
func unknown(env []string) []string {
	var out []string
	for _, text := range env {
		name, _, _ := strings.Cut(text, "=")
		if strings.HasPrefix(name, prefix) && !Known(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Known reports whether there is a variable of that name.
func Known(name string) bool {
	flag, ok := strings.CutPrefix(name, CheckPrefix)
	return ok && slices.Contains(flags, flag) || name == CheckRecord || name == CheckWithin || name == CheckFolder || name == CheckNative || name == Worker || slices.Contains(names(), name)
}

func names() []string {
	var out []string
	for _, v := range Variables {
		out = append(out, v.Name)
	}
	return out
}
