package check

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// executionTB is the testing.TB that a closure gets, a fresh one in every
// execution. What it reports becomes a failure of the execution; what it logs
// is kept only when the execution is run for a report. Everything that would
// tell the outer test something is kept away from it.
type executionTB struct {
	testing.TB // the outer test: its unexported method, its Name and ArtifactDir

	run      trace.Run       // the execution, to tell how far it is
	logging  bool            // keep what is logged
	out      *written.Output // where output and logs are kept; nil if they are not
	show     func(text string)
	fresh    func(text string) bool // whether it is not announced yet
	tempDirs func() (string, error)
	contexts *testctx.Source
	ctx      testctx.Context

	mu       sync.Mutex // guards the rest
	failures []trace.Failure
	failed   bool
	skipped  bool
	sealed   bool   // the execution is over: what its unwinding reports does not count
	log      []byte // appended to here: packages fmt and strings would announce what they do to it
	helpers  map[string]bool
	cleanups []func()
	undo     []func() // what the driver does after the execution, last first
	reason   string   // why the test was skipped, if it said so
}

// fail records a failure at the first caller that is not a helper.
func (tb *executionTB) fail(msg string) {
	at := tb.caller()
	where := at.Base()
	msg = strings.TrimSuffix(msg, "\n")
	tb.record(where, msg)
	msg = format.FirstLine(msg)
	stack := ""
	if tb.out != nil {
		stack = string(debug.Stack())
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.failed = true
	if tb.sealed {
		return
	}
	tb.failures = append(tb.failures, trace.Failure{
		Kind: trace.FailAssertion,
		G:    hook.Current(),
		Step: tb.run.Len() - 1,
		Msg:  where + ": " + msg,

		At:    at,
		Stack: stack,
	})
	if c, ok := tb.run.(*exec.Closure); ok {
		c.Failing()
	}
}

// record adds a message to the execution's log.
func (tb *executionTB) record(where, msg string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if !(tb.logging || tb.show != nil) || tb.sealed {
		return
	}
	text := where + ": " + strings.ReplaceAll(strings.TrimSuffix(msg, "\n"), "\n", "\n    ")
	tb.keep([]byte(text + "\n"))
	if tb.show != nil && tb.out == nil {
		tb.show(text)
	}
}

// keep adds a text to the log.
func (tb *executionTB) keep(text []byte) {
	if tb.logging {
		tb.log = append(tb.log, text...)
	}
	if tb.out != nil {
		tb.out.Add(report.Output{Step: tb.run.Len() - 1, G: hook.Current(), Stream: "log", Text: string(text)})
	}
}

// caller returns the position of the first frame outside this file that has
// not called Helper and is of no library of assertions.
func (tb *executionTB) caller() trace.Position {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	tb.mu.Lock()
	defer tb.mu.Unlock()
	var first trace.Position
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, executionMethod) && !strings.HasPrefix(f.Function, "testing.") {
			pos := trace.Position{File: f.File, Line: f.Line}
			if first.File == "" {
				first = pos
			}
			if !tb.helpers[f.Function] && stack.IsUsers(f.Function, f.File) {
				return pos
			}
		}
		if !more {
			return first
		}
	}
}

// executionMethod begins the name of every method of executionTB.
var executionMethod = strings.TrimSuffix(stack.Name((*executionTB).Helper), "Helper")

// Helper marks the calling function: positions of reports are its caller's.
func (tb *executionTB) Helper() {
	var pcs [3]uintptr // of the caller, or the test around the execution and its caller
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	f, more := frames.Next()
	for more && strings.HasPrefix(f.Function, "testing.") {
		f, more = frames.Next()
	}
	if f.Function == "" {
		return
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if tb.helpers == nil {
		tb.helpers = make(map[string]bool)
	}
	tb.helpers[f.Function] = true
}

func (tb *executionTB) Error(args ...any)                 { tb.fail(fmt.Sprintln(args...)) }
func (tb *executionTB) Errorf(format string, args ...any) { tb.fail(fmt.Sprintf(format, args...)) }

func (tb *executionTB) Fail() {
	if !tb.Failed() {
		tb.fail("the test called Fail")
	}
}

// FailNow ends the calling goroutine, which is the closure's or one that it has
// started.
func (tb *executionTB) FailNow() {
	if !tb.Failed() {
		tb.fail("the test called FailNow")
	}
	runtime.Goexit()
}

func (tb *executionTB) Fatal(args ...any) {
	tb.fail(fmt.Sprintln(args...))
	runtime.Goexit()
}

func (tb *executionTB) Fatalf(format string, args ...any) {
	tb.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (tb *executionTB) Failed() bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.failed
}

func (tb *executionTB) Log(args ...any) {
	if tb.logging || tb.show != nil {
		tb.record(tb.caller().Base(), fmt.Sprintln(args...))
	}
}

func (tb *executionTB) Logf(format string, args ...any) {
	if tb.logging || tb.show != nil {
		tb.record(tb.caller().Base(), fmt.Sprintf(format, args...))
	}
}

// Output returns a writer to the execution's log.
func (tb *executionTB) Output() io.Writer {
	if !tb.logging {
		return io.Discard
	}
	return executionOutput{tb}
}

type executionOutput struct{ tb *executionTB }

func (o executionOutput) Write(p []byte) (int, error) {
	o.tb.mu.Lock()
	defer o.tb.mu.Unlock()
	if !o.tb.sealed {
		o.tb.keep(p)
	}
	return len(p), nil
}

// Run runs f, in a goroutine of its own, as a part of the execution, and waits for its end. It gets
// the test around Check, as the closure does. It reports whether the execution has not failed
// meanwhile.
func (tb *executionTB) Run(name string, f func(*testing.T)) bool {
	outer, ok := tb.TB.(*testing.T)
	if !ok {
		tb.Fatalf("%s: Run of a %T inside of Check", name, tb.TB)
	}
	before := len(tb.reported())
	over := sched.NewChan[struct{}](0)
	sched.Go(func() {
		defer over.Close()
		f(outer)
	})
	over.Recv2()
	return len(tb.reported()) == before
}

// reported returns the failures so far.
func (tb *executionTB) reported() []trace.Failure {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.failures
}

// Parallel does nothing: how parts of an execution follow each other is up to the schedule.
func (tb *executionTB) Parallel() {}

// Attr shows an attribute of the test. What must not be in one is an error.
func (tb *executionTB) Attr(key, value string) {
	if s := testctx.Attribute(key, value); s != "" {
		tb.Error(s)
		return
	}
	if outer, ok := tb.TB.(interface{ Attr(key, value string) }); ok {
		tb.Announce(key+" "+value, func() { outer.Attr(key, value) })
	}
}

// Announce calls f, which tells the reader of go test -v what text says, if the execution is one of
// which people see the log, or is the first one, and text is new in this Check.
func (tb *executionTB) Announce(text string, f func()) {
	if tb.logging && tb.fresh(text) {
		hook.Serve(f)
	}
}

func (tb *executionTB) Skip(args ...any) { tb.skip(fmt.Sprintln(args...)) }

func (tb *executionTB) Skipf(format string, args ...any) { tb.skip(fmt.Sprintf(format, args...)) }

// SkipNow ends the calling goroutine. The execution passes unless something else
// fails it.
func (tb *executionTB) SkipNow() { tb.skip("") }

// skip is SkipNow, for a reason.
func (tb *executionTB) skip(reason string) {
	if reason != "" && tb.logging {
		tb.record(tb.caller().Base(), reason)
	}
	tb.mu.Lock()
	tb.skipped, tb.reason = true, strings.TrimSuffix(reason, "\n")
	tb.mu.Unlock()
	runtime.Goexit()
}

func (tb *executionTB) Skipped() bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.skipped
}

// Cleanup registers a function that runs on the closure's goroutine when the
// closure returns, the one registered last first.
func (tb *executionTB) Cleanup(f func()) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	hook.Acquire(unsafe.Pointer(tb))
	tb.cleanups = append(tb.cleanups, f)
	hook.Release(unsafe.Pointer(tb))
}

// finish cancels the context and runs the cleanup functions. One that panics or
// ends its goroutine does not keep the others from running.
func (tb *executionTB) finish() {
	tb.ctx.End()
	tb.cleanup()
}

func (tb *executionTB) cleanup() {
	tb.mu.Lock()
	hook.Acquire(unsafe.Pointer(tb))
	n := len(tb.cleanups)
	if n == 0 {
		tb.mu.Unlock()
		return
	}
	f := tb.cleanups[n-1]
	tb.cleanups = tb.cleanups[:n-1]
	tb.mu.Unlock()
	defer tb.cleanup()
	f()
}

// Context returns a context that is cancelled when the closure has returned,
// before the cleanup functions run. It is under control: native code can wait for
// it, and code that uses primitives of package sched asks for it by TestContext of package por.
func (tb *executionTB) Context() context.Context { return tb.ctx.Get() }

// Contexts returns where contexts of parts of the test come from.
func (tb *executionTB) Contexts() *testctx.Source { return tb.contexts }

// TempDir returns a new directory that lives as long as the execution.
func (tb *executionTB) TempDir() (dir string) {
	var err error
	hook.Serve(func() { dir, err = tb.tempDirs() }) // where that is is found out once
	if err != nil {
		tb.Fatalf("TempDir: %v", err)
	}
	hook.FileMade(dir)
	tb.afterwards(func() { os.RemoveAll(dir) })
	return dir
}

// Setenv sets an environment variable until the execution is over. It affects
// the whole process, so it must not be used in parallel tests.
func (tb *executionTB) Setenv(key, value string) {
	old, had := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		tb.Fatalf("Setenv: %v", err)
	}
	tb.afterwards(func() {
		if had {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

// Chdir changes the working directory, and PWD, until the execution is over. It affects
// the whole process, so it must not be used in parallel tests.
func (tb *executionTB) Chdir(dir string) {
	old, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		tb.Fatalf("Chdir: %v", err)
	}
	tb.afterwards(func() { os.Chdir(old) })
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(old, dir)
	}
	tb.Setenv("PWD", dir)
}

func (tb *executionTB) afterwards(f func()) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.undo = append(tb.undo, f)
}

// restore undoes what the execution did to the process. That may be when the next one has begun,
// and is no part of it.
func (tb *executionTB) restore() {
	tb.mu.Lock()
	undo := tb.undo
	tb.undo, tb.sealed = nil, true
	tb.mu.Unlock()
	tb.ctx.Release()
	for i := len(undo) - 1; i >= 0; i-- {
		hook.Serve(undo[i])
	}
}
