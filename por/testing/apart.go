package testing

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/sched"
)

// RunTests is a deprecated way to run tests. A test that calls it runs the tests within its
// execution, and only the result tells whether they have failed.
func RunTests(match func(pat, str string) (bool, error), tests []InternalTest) (ok bool) {
	if !hook.Active() {
		return testing.RunTests(match, explored(tests))
	}
	t := hook.Shadow(unsafe.Pointer(&running), func() any { return (*executed)(nil) }).(*executed)
	if t == nil {
		panic("testing.RunTests called in an execution of a test that calls por.Check itself, where there is no test to run others in")
	}
	ok = true
	for _, x := range tests {
		if is, err := match("", x.Name); err != nil || !is {
			continue
		}
		wanted := func(name string) bool { is, err := match("", name); return err == nil && is }
		a := &executed{TB: apart{t.TB}, outer: t.outer, name: x.Name, wanted: wanted}
		a.begin()
		before := hook.Phase(x.Name)
		sched.Go(func() {
			hook.Join(x.Name)
			a.run(x.F)
		}).Join()
		hook.Phase(before)
		ok = ok && !a.failed
	}
	return ok
}

// running has the test of an execution as its shadow.
var running struct{ _ byte }

// apart is the log of tests run by RunTests, which do not fail the execution.
type apart struct{ testing.TB }

func (a apart) Contexts() *testctx.Source {
	return a.TB.(interface{ Contexts() *testctx.Source }).Contexts()
}

func (a apart) Announce(text string, f func()) { a.TB.(announcer).Announce(text, f) }

func (a apart) Error(args ...any) { a.TB.Helper(); a.Log(args...) }
func (a apart) Fatal(args ...any) { a.TB.Helper(); a.Log(args...); runtime.Goexit() }
func (a apart) Skip(args ...any)  { a.TB.Helper(); a.Log(args...); runtime.Goexit() }
func (a apart) SkipNow()          { runtime.Goexit() }

func (a apart) Log(args ...any) {
	a.TB.Helper()
	a.TB.Log("RunTests: " + strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}
