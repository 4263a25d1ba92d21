package testing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// T is a test or subtest: one within one execution, or one that runs once.
type T struct{ test }

// test is what T is made of.
type test interface {
	testing.TB
	Deadline() (deadline time.Time, ok bool)
	Parallel()
	Run(name string, f func(t *T)) bool
}

// once is a test that runs once, as package testing runs it.
type once struct{ *testing.T }

// Run runs f as a subtest.
func (t once) Run(name string, f func(t *T)) bool {
	return t.T.Run(name, func(t *testing.T) { f(&T{once{t}}) })
}

// executed is one test or subtest within one execution.
type executed struct {
	testing.TB // of the execution: takes what is logged, and failures

	outer  *testing.T // the test that explores
	parent *executed  // nil for the test itself
	name   string

	failed, skipped bool

	wanted func(name string) bool // tells which subtests are to run

	own  trace.ID   // the goroutine that runs it
	done sched.Bool // it is over, which is an event

	cleanups []func()
	cleaning bool // those functions are being called
	dirs     directories
	ctx      testctx.Context
	names    map[string]int // how often a subtest was asked for

	bubble   bool                  // it is what package synctest runs in the test around it
	parallel bool                  // Parallel was called
	process  bool                  // it has changed what the whole process has, and must not be parallel
	paused   *sched.Chan[struct{}] // tells the parent's Run that the subtest has ended or waits in Parallel
	released *sched.Chan[struct{}] // closed when the function has returned: parallel subtests go on
	waiting  sched.WaitGroup       // for them
}

func newExecuted(tb testing.TB, outer *testing.T) *executed {
	t := &executed{TB: tb, outer: outer, name: outer.Name(), wanted: selected}
	hook.SetShadow(unsafe.Pointer(&running), t)
	t.begin()
	return t
}

// begin makes the context of the test.
func (t *executed) begin() {
	t.ctx.Begin(t.TB.(interface{ Contexts() *testctx.Source }).Contexts())
}

// run calls the test function, waits for its parallel subtests and cleans up. It
// is the whole of the test's goroutine.
func (t *executed) run(f func(*T)) {
	t.own = hook.Current()
	defer t.over()
	defer t.end()
	f(&T{t})
}

// over is an event if anybody might still use the test.
func (t *executed) over() {
	if t.parent != nil || hook.Others() {
		t.done.Store(true)
	}
}

// late reports whether the test is over where another goroutine than its own asks.
func (t *executed) late() bool {
	id := hook.Current()
	return id >= 0 && id != t.own && t.done.Load()
}

// gone reports whether the test is over, and so are those around it, of whose output that of
// the test could be a part. The one around a bubble is not before all goroutines of that have ended.
func (t *executed) gone() bool {
	p := t
	for p != nil && p.late() {
		if p.bubble {
			return false
		}
		p = p.parent
	}
	return p == nil
}

// use panics if the test is gone, as package testing does: s is what the method was told.
func (t *executed) use(method, s string) {
	if t.gone() {
		panic(method + " after " + t.name + " has completed" + s)
	}
}

// useFailed panics if the test is over, as package testing does where one fails then that was
// told s before, if anything.
func (t *executed) useFailed(s string) {
	switch {
	case !t.late():
	case s != "" && (t.parent == nil || t.parent.gone()):
		panic("Log in goroutine after " + t.name + " has completed: " + s)
	default:
		panic("Fail in goroutine after " + t.name + " has completed")
	}
}

// end comes after the test function, however that has ended. Cleanup functions run
// even if the execution is unwound here.
func (t *executed) end() {
	defer t.clean()
	defer t.ctx.End()
	if t.released != nil {
		t.released.Close()
		t.waiting.Wait()
	}
}

// clean calls the functions registered by Cleanup.
func (t *executed) clean() {
	t.cleaning = true
	defer func() { t.cleaning = false }()
	t.cleanup()
}

// cleanup calls the functions registered by Cleanup, the last one first, and
// goes on with the others when one of them ends its goroutine.
func (t *executed) cleanup() {
	n := len(t.cleanups)
	if n == 0 {
		return
	}
	f := t.cleanups[n-1]
	t.cleanups = t.cleanups[:n-1]
	defer t.cleanup()
	f()
}

// Run runs f as a subtest in a goroutine of its own, and waits until it ends or
// calls Parallel. It reports whether the subtest has not failed so far.
func (t *executed) Run(name string, f func(t *T)) bool {
	if t.cleaning {
		panic("testing: t.Run called during t.Cleanup")
	}
	if t.bubble {
		panic("testing: t.Run called inside synctest bubble")
	}
	sub := &executed{TB: t.TB, outer: t.outer, parent: t, name: t.subname(name), wanted: t.wanted}
	if !t.wanted(sub.name) {
		return true
	}
	if !hook.Active() { // a goroutine that nobody controls has its own wait for it
		return sub.runOutside(f)
	}
	if t.released == nil {
		t.released = sched.NewChan[struct{}](0)
	}
	sub.begin()
	sub.paused = sched.NewChan[struct{}](1)
	before := hook.Phase(sub.name)
	defer hook.Phase(before)
	sched.Go(func() {
		hook.Join(sub.name)
		defer sub.leave()
		sub.run(f)
	})
	sub.paused.Recv()
	return !sub.failed
}

// runOutside is Run, for goroutines that nobody controls.
func (t *executed) runOutside(f func(t *T)) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanup()
		f(&T{t})
	}()
	<-done
	return !t.failed
}

// leave is the last thing that a subtest's goroutine does.
func (t *executed) leave() {
	if t.parallel {
		t.parent.waiting.Done()
	} else {
		t.paused.Send(struct{}{})
	}
}

// Parallel lets the test run in parallel with other parallel tests, once the
// function of its parent has returned. Test functions themselves are explored
// one by one.
func (t *executed) Parallel() {
	if t.parallel {
		panic("testing: t.Parallel called multiple times")
	}
	if t.bubble {
		panic("testing: t.Parallel called inside synctest bubble")
	}
	if t.process {
		panic(parallelConflict)
	}
	t.parallel = true
	if t.parent == nil {
		hook.Parallel()
		return
	}
	t.parent.waiting.Add(1)
	t.paused.Send(struct{}{})
	t.parent.released.Recv2()
}

// Name returns the name of the test, after those of the tests around it.
func (t *executed) Name() string { return t.name }

// Deadline returns the time on the virtual clock at which the test program would
// end itself, had it begun with the execution.
func (t *executed) Deadline() (deadline time.Time, ok bool) {
	if t.bubble {
		panic("testing: t.Deadline called inside synctest bubble")
	}
	f := flag.Lookup("test.timeout")
	if f == nil {
		return time.Time{}, false
	}
	timeout, ok := f.Value.(flag.Getter).Get().(time.Duration)
	return sched.StartTime().Add(timeout), ok && timeout > 0
}

// Context returns a context that is cancelled just before the functions
// registered by Cleanup are called.
func (t *executed) Context() context.Context { return t.ctx.Get() }

// Cleanup registers a function to be called when the test and its subtests are
// over.
func (t *executed) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// mark notes a failure of the test, and so of those around it.
func (t *executed) mark() {
	for p := t; p != nil; p = p.parent {
		p.failed = true
	}
}

// Failed reports whether the test has failed.
func (t *executed) Failed() bool { return t.failed }

// Fail marks the test as failed.
func (t *executed) Fail() {
	t.TB.Helper()
	t.useFailed("")
	if !t.failed {
		t.TB.Error(t.prefix() + "the test called Fail")
	}
	t.mark()
}

// FailNow is Fail, and ends the calling goroutine.
func (t *executed) FailNow() {
	t.TB.Helper()
	t.useFailed("")
	if !t.failed {
		t.TB.Error(t.prefix() + "the test called FailNow")
	}
	t.mark()
	runtime.Goexit()
}

func (t *executed) Error(args ...any) {
	t.TB.Helper()
	text := t.line(args)
	t.useFailed(text)
	t.mark()
	t.TB.Error(text)
}

func (t *executed) Errorf(format string, args ...any) {
	t.TB.Helper()
	text := t.prefix() + fmt.Sprintf(format, args...)
	t.useFailed(text)
	t.mark()
	t.TB.Error(text)
}

func (t *executed) Fatal(args ...any) {
	t.TB.Helper()
	text := t.line(args)
	t.useFailed(text)
	t.mark()
	t.TB.Fatal(text)
}

func (t *executed) Fatalf(format string, args ...any) {
	t.TB.Helper()
	text := t.prefix() + fmt.Sprintf(format, args...)
	t.useFailed(text)
	t.mark()
	t.TB.Fatal(text)
}

func (t *executed) Log(args ...any) {
	t.TB.Helper()
	text := t.line(args)
	t.use("Log in goroutine", ": "+text)
	t.TB.Log(text)
}

func (t *executed) Logf(format string, args ...any) {
	t.TB.Helper()
	text := t.prefix() + fmt.Sprintf(format, args...)
	t.use("Log in goroutine", ": "+text)
	t.TB.Log(text)
}

// Output returns a writer to the log.
func (t *executed) Output() io.Writer {
	t.use("Output called", "")
	return output{t, t.TB.Output()}
}

// output is what Output returns.
type output struct {
	t *executed
	w io.Writer
}

func (o output) Write(p []byte) (int, error) {
	o.t.use("Write called", "")
	return o.w.Write(p)
}

// prefix names the subtest in what it logs.
func (t *executed) prefix() string {
	if t.parent == nil {
		return ""
	}
	return t.name + ": "
}

// line returns what Error, Fatal and Log are told, as they print it.
func (t *executed) line(args []any) string {
	return t.prefix() + strings.TrimSuffix(fmt.Sprintln(args...), "\n")
}

// Skipped reports whether the test was skipped.
func (t *executed) Skipped() bool { return t.skipped }

// SkipNow ends the calling goroutine and marks the test as skipped.
func (t *executed) SkipNow() {
	t.skipped = true
	if t.parent == nil {
		t.TB.SkipNow()
	}
	runtime.Goexit()
}

func (t *executed) Skip(args ...any) {
	t.TB.Helper()
	t.skip(t.line(args))
}

func (t *executed) Skipf(format string, args ...any) {
	t.TB.Helper()
	t.skip(t.prefix() + fmt.Sprintf(format, args...))
}

// skip is SkipNow, for a reason.
func (t *executed) skip(reason string) {
	t.TB.Helper()
	t.use("Log in goroutine", ": "+reason)
	t.skipped = true
	if t.parent == nil {
		t.TB.Skip(reason)
	}
	t.TB.Log(reason)
	runtime.Goexit()
}

// selected reports whether the flags -run and -skip of the test program want
// the subtest of that name.
func selected(name string) bool {
	run, skip := flag.Lookup("test.run"), flag.Lookup("test.skip")
	return (run == nil || matches(run.Value.String(), name, true)) &&
		(skip == nil || skip.Value.String() == "" || !matches(skip.Value.String(), name, false))
}
