package testing

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/natively"
	"github.com/gopor/gopor/internal/putback"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/report"
)

// options returns the options that the command line sets for every Check.
func options() ([]por.Option, error) {
	opts, err := checkflags.Options()
	return append([]por.Option{por.MaxSteps(checkflags.Steps())}, opts...), err
}

// quiet is the test that explores the function at pc. It logs without positions, since all
// positions are in this package.
type quiet struct {
	*testing.T
	pc   uintptr
	once func() // runs the function once
}

func (t *quiet) say(text string) { fmt.Fprintln(t.Output(), text) }

func (t *quiet) Logf(format string, args ...any) { t.say(fmt.Sprintf(format, args...)) }

func (t *quiet) Errorf(format string, args ...any) {
	t.Logf(format, args...)
	t.Fail()
}

func (t *quiet) Fatalf(format string, args ...any) {
	t.Logf(format, args...)
	t.FailNow()
}

// Unfit records that the function cannot be explored. That skips the test rather than failing
// it, since nothing was tested.
func (t *quiet) Unfit(headline, text string) {
	t.record(record.Entry{Class: record.NotExplored, Reason: headline})
	os.Getenv(environ.CheckRecord) // the go command must not cache this result
	t.say("por: " + headline + "\n" + text)
	t.T.SkipNow()
}

// runner runs tests without control.
var runner = natively.NewRunner()

// Natively runs the test once without control.
func (t *quiet) Natively(limit time.Duration, end time.Time, over func() bool) (o natively.Outcome) {
	putback.Around(putback.Folder(), func() { o = runner.Run(t.Name(), limit, end, over) })
	return o
}

// Explored records the result of a search.
func (t *quiet) Explored(v report.Verdict) {
	if class := v.Class(); class != "" {
		t.record(record.Entry{Class: record.Class(class), Needs: v.Needs(), Assumed: v.Assumed(), Late: v.Late(), Took: v.Took()})
	}
}

// AllSkipped records that the function has skipped the test in every execution.
func (t *quiet) AllSkipped(reason string) { t.record(record.Entry{Skipped: true, Reason: reason}) }

// record reports the result of the test to por test.
func (t *quiet) record(e record.Entry) {
	_, function := t.Rerun()
	e.Package, e.Test = strings.TrimSuffix(stack.Package(function), "_test"), t.Name()
	record.Add(e)
}

// Native returns the native test.
func (t *quiet) Native() *testing.T { return t.T }

// Leave runs the function once, after it has asked for a search itself.
func (t *quiet) Leave() { t.once() }

// Rerun returns how to run the function again, and its name.
func (t *quiet) Rerun() (r environ.Rerun, function string) {
	return environ.ParseRerun(os.Getenv(environ.CheckCommand)), runtime.FuncForPC(t.pc).Name()
}
