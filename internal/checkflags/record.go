package checkflags

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/gopor/gopor/internal/environ"
)

// Entry is what has come of a test.
type Entry struct {
	Class    string
	Package  string
	Test     string
	Headline string // of one that is unfit
}

// The classes of tests.
const (
	Exhausted = "exhausted" // passes under every schedule
	Explored  = "explored"  // passes under those that were tried
	Fails     = "fails"     // fails under some schedules
	Unfit     = "unfit"     // fails under all, or cannot be explored
)

// Record tells por test, if that runs the test program, what has come of a test.
func Record(e Entry) {
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

// Summary returns, in one line, what has come of the tests that are recorded in a file,
// and a line for each of those that are unfit. It is empty if none were run.
func Summary(name string) (text string, unfit int) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", 0
	}
	count := make(map[string]int)
	var list strings.Builder
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		count[e.Class]++
		if e.Class == Unfit {
			fmt.Fprintf(&list, "  %s.%s %s\n", e.Package, e.Test, e.Headline)
		}
	}
	if len(count) == 0 {
		return "", 0
	}
	fail := "fail"
	if count[Fails] == 1 {
		fail = "fails"
	}
	text = fmt.Sprintf("%d exhausted, %d explored in part, %d %s under some schedules", count[Exhausted], count[Explored], count[Fails], fail)
	if n := count[Unfit]; n > 0 {
		text += fmt.Sprintf("; %d not explored:\n%s", n, strings.TrimSuffix(list.String(), "\n"))
	}
	return text, count[Unfit]
}
