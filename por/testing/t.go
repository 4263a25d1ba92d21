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

// T is a test or subtest of one execution, or a test that runs once.
type T struct{ test }

// test is the implementation of T.
type test interface {
	testing.TB
	Deadline() (deadline time.Time, ok bool)
	Parallel()
	Run(name string, f func(t *T)) bool
}

// once is a test that runs once, in package testing.
type once struct{ *testing.T }

// Run runs f as a subtest.
func (t once) Run(name string, f func(t *T)) bool {
	return t.T.Run(name, func(t *testing.T) { f(&T{once{t}}) })
}

// executed is a test or subtest of one execution.
type executed struct {
	testing.TB // of the execution: receives logged text and failures

	outer  *testing.T // the test that explores
	parent *executed  // nil for the test itself
	name   string

	failed, skipped bool

	wanted func(name string) bool // selects the subtests to run

	own  trace.ID // the goroutine that runs it
	done hook.TestEnd

	cleanups []func()
	cleaning bool // cleanup functions are running
	dirs     directories
	ctx      testctx.Context
	names    map[string]int // how often a subtest's name was used

	bubble   bool                  // package synctest runs it in the test around it
	parallel bool                  // Parallel was called
	process  bool                  // it has changed the process, and must not be parallel
	paused   *sched.Chan[struct{}] // notifies the parent's Run of the end or of Parallel
	// Parallel subtests wait for the end of this context. They do so in no order, unlike those that
	// receive from a channel, which depend on each other.
	released sched.Context
	release  sched.CancelFunc
	waiting  sched.WaitGroup // for parallel subtests
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

// run calls the test function, waits for its parallel subtests and cleans up. The test's
// goroutine does nothing else.
func (t *executed) run(f func(*T)) {
	t.own = hook.Current()
	defer t.over()
	defer t.end()
	f(&T{t})
}

// over marks the test as over. That is an event if another goroutine may still use the test.
func (t *executed) over() {
	if t.parent != nil || hook.Others() {
		t.done.Over()
	}
}

// late reports whether the test is over and the caller is another goroutine than its own.
func (t *executed) late() bool {
	id := hook.Current()
	return id >= 0 && id != t.own && t.done.IsOver()
}

// gone reports whether the test and all tests around it are over, so that its output cannot be
// a part of theirs. The test around a bubble is over only after all goroutines of the bubble.
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

// use panics if the test is gone, like package testing. s is the argument of the method.
func (t *executed) use(method, s string) {
	if t.gone() {
		panic(method + " after " + t.name + " has completed" + s)
	}
}

// useFailed panics if the test is over, like a failing method of package testing. s is the text
// that the method would log, if any.
func (t *executed) useFailed(s string) {
	switch {
	case !t.late():
	case s != "" && (t.parent == nil || t.parent.gone()):
		panic("Log in goroutine after " + t.name + " has completed: " + s)
	default:
		panic("Fail in goroutine after " + t.name + " has completed")
	}
}

// end runs after the test function, even if the goroutine exits. Cleanup functions run even if
// the execution is unwinding.
func (t *executed) end() {
	defer t.clean()
	defer t.ctx.End()
	if t.released != nil {
		t.release()
		t.waiting.Wait()
	}
}

// clean calls the functions registered by Cleanup.
func (t *executed) clean() {
	t.cleaning = true
	defer func() { t.cleaning = false }()
	t.cleanup()
}

// cleanup calls the functions registered by Cleanup, the last one first. If one of them ends
// its goroutine, the others run nevertheless.
func (t *executed) cleanup() {
	hook.Acquire(unsafe.Pointer(t))
	n := len(t.cleanups)
	if n == 0 {
		return
	}
	f := t.cleanups[n-1]
	t.cleanups = t.cleanups[:n-1]
	defer t.cleanup()
	f()
}

// Run runs f as a subtest in a goroutine of its own, and waits until it ends or calls Parallel.
// It returns false if the subtest has failed so far.
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
	if !hook.Active() { // the calling goroutine is not controlled
		return sub.runOutside(f)
	}
	if t.released == nil {
		t.released, t.release = sched.WithCancel(sched.Background())
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

// runOutside is Run for goroutines that are not controlled.
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

// leave is the last call of a subtest's goroutine.
func (t *executed) leave() {
	if t.parallel {
		t.parent.waiting.Done()
	} else {
		t.paused.Send(struct{}{})
	}
}

// Parallel makes the test run in parallel with other parallel tests, once the function of its
// parent has returned. Test functions themselves are explored one by one.
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
	t.parent.released.Done().Recv2()
}

// Name returns the name of the test, prefixed with the names of the tests around it.
func (t *executed) Name() string { return t.name }

// Deadline returns the virtual time at which the test program would reach its timeout, had it
// begun with the execution.
func (t *executed) Deadline() (deadline time.Time, ok bool) {
	if t.bubble {
		panic("testing: t.Deadline called inside synctest bubble")
	}
	f := flag.Lookup("test.timeout")
	if f == nil {
		return time.Time{}, false
	}
	timeout, ok := f.Value.(flag.Getter).Get().(time.Duration)
	return hook.StartTime().Add(timeout), ok && timeout > 0
}

// Context returns a context that is cancelled just before the functions registered by Cleanup
// are called.
func (t *executed) Context() context.Context { return t.ctx.Get() }

// Cleanup registers a function to be called at the end of the test and its subtests. The call
// comes after what the calling goroutine has done so far, as by the lock that package testing has.
func (t *executed) Cleanup(f func()) {
	hook.Acquire(unsafe.Pointer(t))
	t.cleanups = append(t.cleanups, f)
	hook.Release(unsafe.Pointer(t))
}

// mark marks the test and the tests around it as failed.
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

// FailNow marks the test as failed, and ends the calling goroutine.
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

// output is the writer returned by Output.
type output struct {
	t *executed
	w io.Writer
}

func (o output) Write(p []byte) (int, error) {
	o.t.use("Write called", "")
	return o.w.Write(p)
}

// prefix returns the prefix of a subtest's log lines.
func (t *executed) prefix() string {
	if t.parent == nil {
		return ""
	}
	return t.name + ": "
}

// line returns the text that Error, Fatal and Log print.
func (t *executed) line(args []any) string {
	return t.prefix() + strings.TrimSuffix(fmt.Sprintln(args...), "\n")
}

// Skipped reports whether the test was skipped.
func (t *executed) Skipped() bool { return t.skipped }

// SkipNow marks the test as skipped, and ends the calling goroutine.
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

// skip is SkipNow with a reason.
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

// selected reports whether the flags -run and -skip of the test program select the subtest with
// a name.
func selected(name string) bool {
	run, skip := flag.Lookup("test.run"), flag.Lookup("test.skip")
	return (run == nil || matches(run.Value.String(), name, true)) &&
		(skip == nil || skip.Value.String() == "" || !matches(skip.Value.String(), name, false))
}
