package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
)

// say prints the summary: to standard error, or among the events if -json asks for these. There
// what is on standard error is an error to those that read the events.
//
// Strict has the lines that say why the run fails by -check.strict. Failed says that go test has
// failed: if no test is counted as one that fails, something else has.
func (c *testCommand) say(e command.Env, s *record.Summary, lost, strict []string, failed bool, behind string) {
	var lines []string
	if text := s.String(); text != "" {
		lines = append(lines, text)
	}
	if len(lost) > 0 {
		lines = append(lines, fmt.Sprintf("  from the cache of go test, with no verdict kept: %s (-count=1 runs the tests again)", strings.Join(lost, " ")))
	}
	switch {
	case len(lines) > 0 || behind != "":
	case !c.check || c.runsNone || os.Getenv(environ.Replay) != "": // a replay is no exploration
		return
	default:
		lines = append(lines, "no test was explored")
	}
	switch {
	case !failed || s.Count[record.Fails] > 0:
	case len(s.Tests) == 0 && len(lost) == 0:
		lines = append(lines, "  go test fails before that, for a reason which is above")
	default:
		lines = append(lines, "  go test fails for another reason, which is above")
	}
	if failed && c.given != "" && s.Count[record.Fails] == 0 {
		lines = append(lines, "  "+c.given)
	}
	lines = append(lines, strict...)
	text := ""
	if behind != "" {
		text = "por: " + behind + "\n"
	}
	if len(lines) > 0 {
		text += s.Table() + "por: " + strings.TrimPrefix(strings.Join(lines, "\n"), "  ") + "\n"
	}
	if !c.json {
		io.WriteString(e.Err, text)
		return
	}
	pkg := s.Last
	if pkg == "" && len(lost) > 0 {
		pkg = lost[len(lost)-1]
	}
	switch pkg {
	case "":
		return // no test program has told anything: the events of go test say all there is
	case ".":
		pkg = "command-line-arguments"
	}
	encoder := json.NewEncoder(e.Out)
	for line := range strings.Lines(text) {
		encoder.Encode(event{Time: time.Now(), Action: "output", Package: pkg, Output: line})
	}
}

// event is one of those that go test -json prints. An event without a package is a package without
// a name to some that read them, so the summary is output of the package that has ended last.
type event struct {
	Time    time.Time
	Action  string
	Package string `json:",omitempty"`
	Output  string
}
