package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/testctx"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Judge looks at the calls of executions.
type Judge interface {
	// Subject is the user's closure.
	Subject() any
	// Run is the closure of one execution.
	Run()
	// Prepare is called before a search.
	Prepare(*explore.Session) error
	// Verdict is called at the end of every execution, and says what is wrong with it.
	Verdict(*explore.Session) []trace.Failure
	// Checked is what verdicts say, Misused what is wrong with the closure, nil if nothing is.
	Checked() string
	Misused() error
	// Undecided says which executions were not judged, though they were complete, "" for none.
	Undecided() string
	// LeaveOpen says that another process has left one undecided.
	LeaveOpen()
	// Draw draws the history of the execution that was wrong last.
	Draw(io.Writer) error
}

// IsNil reports whether x, such as a test or a context, is nil or a nil pointer.
func IsNil(x any) bool {
	v := reflect.ValueOf(x)
	return x == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Check is por.Check for the function of that name, which may have a judge of histories. The
// options are those of package por.
func Check[O any](t testing.TB, name string, f any, j Judge, opts []O) {
	if IsNil(t) {
		panic("por: " + name + ": the testing.TB is nil; give the t of the test, or call por.Explore outside of tests")
	}
	t.Helper()
	if hook.Active() {
		LeaveExecution()
		t.Fatalf("por: %s inside Check: the closure of a Check (or Explore) must not call %[1]s itself; make it a test of its own", name)
	}
	h, err := NewHarness(t, f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := explore.NewConfig(opts)
	if err != nil {
		t.Fatal(err)
	}
	h.from = NewOrigin(f, c.Direct)
	if j != nil {
		h.judge = j
		h.from = NewOrigin(j.Subject(), c.Direct)
	}
	if Uncontrolled != nil && !c.Direct {
		t.Fatalf("por: %v", Uncontrolled)
	}
	if testing.Short() {
		c.DefaultTime(explore.DefaultShortTime)
	} else {
		c.DefaultTime(explore.DefaultCheckTime)
	}
	c.DefaultClock()
	defaultCorpus(t, &c)
	where := locate(t, c.Name)
	if explore.IsWorker() {
		h.work(t, c, where)
		return
	}
	if passesOver(where.Name) {
		t.Logf("por: %s is passed over, since another Check is served", where.Name)
		return
	}
	if _, ok := t.(explore.Existing); ok {
		// What the test does makes no difference to other tests: none needs it to run first.
		defer hook.Unfelt(false)()
	}
	for {
		s := NewShared(c, h.Subject(), h)
		s.Where = where
		if explore.ReplayString() == "" && c.Replay == "" {
			s.Store = explore.NewStore(t, where, &c)
		}
		s.SetDeadline(t)
		if _, ok := t.(explore.Existing); ok {
			s.Existing()
		}
		err = s.PrepareReplay()
		if err != nil || s.Script != nil {
			noteReplayed(t)
		}
		if err != nil {
			t.Fatalf("por: %v", err)
		}
		if e, ok := t.(explore.Existing); ok && s.Foreign && !askedFor(t.Name()) {
			e.Unfit("POR_REPLAY holds the schedule of another test", "To explore this one unset POR_REPLAY.")
		}
		if s.Foreign {
			t.Logf("por: skipped, since POR_REPLAY holds the schedule of another Check than %s", s.Where.Name)
			return
		}
		res, err := h.Run(s)
		switch {
		case h.left.Load():
			parent.served.Store(false)
			t.(leaver).Leave()
			return
		case !h.contexts.Late():
			if j != nil && err == nil && s.Script == nil && len(res.Failures) == 0 {
				err = j.Misused()
			}
			h.report(t, res, err)
			if s.Halted() == explore.StopInterrupted {
				interrupted(s.Where.Name, res)
			}
			return
		}
	}
}

// defaultCorpus sets the folder of what searches with faults keep, where no option does.
func defaultCorpus(t testing.TB, c *explore.Config) {
	if c.MostFaults == 0 || c.Says.Corpus || !explore.IsTest(t) {
		return
	}
	if cache, err := build.Cache(); err == nil {
		c.Corpus = filepath.Join(cache, build.Corpus)
	}
}

// leaver is a test that explores functions which may call Check themselves. Then
// its own search is given up, and Leave is called.
type leaver interface{ Leave() }

// LeaveExecution ends the calling goroutine, which asks for a search, if the
// execution that it is in is one of a [leaver].
func LeaveExecution() {
	h, ok := hook.Owner().(*harness)
	if !ok {
		return
	}
	if _, ok := h.outer.(leaver); ok {
		h.left.Store(true)
		h.session.CutShort()
		runtime.Goexit()
	}
}

// Run runs a session of the Check, and counts its executions.
func (h *harness) Run(s *sharer) (*report.Result, error) {
	h.ran, h.skipped = 0, 0
	h.session = s
	if testing.Verbose() && explore.IsTest(h.outer) {
		s.Tell = func(text string) { fmt.Fprintln(h.outer.Output(), text) }
	}
	res, err := s.Run()
	if s.Script != nil && err == nil {
		h.count()
	}
	return res, err
}

// harness runs the closure of a Check: it gives every execution its testing.TB
// and tells the failures that this one, or the outer test, has heard of.
type harness struct {
	outer testing.TB
	plain func() // also where f is a function of outer
	with  func(testing.TB)
	from  origin

	native unsafe.Pointer // the test of package testing that outer is, nil if it is none
	within bool           // its methods are called by gopor, and mean the test

	wasFailed, wasSkipped bool // the outer test, before the search

	contexts testctx.Source
	judge    Judge // of what calls do, may be nil

	session *sharer     // the one that runs, or ran last
	left    atomic.Bool // a search was asked for inside of an execution

	ran, skipped int64  // executions of the session that are over
	reason       string // why the latest skipped one was, if it said so

	mu       sync.Mutex
	poisoned bool         // the outer test was failed during the search
	tb       *executionTB // of the execution that runs, or ran last
	lazy     trace.Run    // of which a TB is made when it is asked for, nil if none is
	recorded bool         // the execution of lazy is recorded
	dir      string       // holds the temporary directories of executions

	announced map[string]bool
}

func NewHarness(t testing.TB, f any) (*harness, error) {
	keepArtifacts()
	h := &harness{outer: t, wasFailed: t.Failed(), wasSkipped: t.Skipped()}
	if _, ok := t.(explore.Existing); !ok && hook.Instrumented() {
		h.native = explore.NativeTest(t)
	}
	switch f := f.(type) {
	case func():
		h.plain = f
	case func(testing.TB):
		h.with = f
	case func(*testing.T):
		test, ok := t.(*testing.T)
		if !ok {
			return nil, fmt.Errorf("por: Check: the closure is a %T, but the test a %T; give a func() or a func(testing.TB)", f, t)
		}
		h.plain = func() { f(test) }
	case nil:
		return nil, fmt.Errorf("por: Check: the closure is nil; give a func(), a func(testing.TB) or a func(*testing.T)")
	default:
		if typ := reflect.TypeOf(f); typ.Kind() != reflect.Func || typ.NumIn() != 1 || typ.NumOut() != 0 || typ.In(0) != reflect.TypeOf(t) {
			return nil, fmt.Errorf("por: Check: the closure is a %T; give a func(), a func(testing.TB) or a func(*testing.T)", f)
		}
		h.plain = func() { reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(t)}) }
	}
	if reflect.ValueOf(f).IsNil() {
		return nil, fmt.Errorf("por: Check: the closure is a nil %T; give one that does something", f)
	}
	return h, nil
}

// Subject returns what a session needs to know of the closure.
func (h *harness) Subject() explore.Subject {
	s := explore.Subject{
		Program: func(o exec.Options) trace.Program {
			o.Probe, o.Owner = h.probe, h
			if h.plain != nil && h.native == nil {
				return NewClosure(h.plain, o, h.from)
			}
			var c *exec.Closure
			run := h.execute
			if h.plain != nil {
				run = h.executePlain
			}
			c = NewClosure(func() { run(c, o.Record) }, o, h.from)
			return c
		},
		Outer:      h.outer,
		Poisoned:   h.outerFailed,
		Poisonable: h.plain != nil && h.native == nil,
		Log:        h.log,
		Restore:    h.restore,
		Count:      h.count,
	}
	if h.judge != nil {
		s.Prepare, s.Checked, s.Undecided, s.Draw = h.judge.Prepare, h.judge.Checked, h.judge.Undecided, h.judge.Draw
	}
	return s
}

// early reports whether the execution is the first of the search, or its second run:
// their logs are compared.
func (h *harness) early() bool { return h.session.Executions.Load() == 0 }

// execute is the closure of one execution, r.
func (h *harness) execute(r trace.Run, recorded bool) {
	h.restore()
	tb := h.newTB(r, recorded)
	h.mu.Lock()
	h.tb = tb
	h.mu.Unlock()
	defer tb.finish()
	h.with(tb)
}

// newTB returns the TB of an execution.
func (h *harness) newTB(r trace.Run, recorded bool) *executionTB {
	tb := &executionTB{TB: h.outer, run: r, logging: recorded || h.early(), fresh: h.fresh, tempDirs: h.tempDir, contexts: &h.contexts}
	if recorded {
		tb.out = &h.session.Out
	}
	if h.session.Cfg.ShowOutput {
		tb.show = func(text string) { h.toTest(func() { h.outer.Log(text) }) }
	}
	tb.ctx.Begin(tb.contexts)
	return tb
}

// executePlain is the closure of one execution, r, of a function that may use the test
// around Check: a TB is made when it does.
func (h *harness) executePlain(r trace.Run, recorded bool) {
	h.restore()
	h.mu.Lock()
	h.tb, h.lazy, h.recorded = nil, r, recorded
	h.mu.Unlock()
	defer func() {
		if tb := h.latest(); tb != nil {
			tb.finish()
		}
	}()
	h.plain()
}

// InTest implements [hook.Tester].
func (h *harness) InTest(test unsafe.Pointer) any {
	if h.native != test || test == nil || h.within {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tb == nil {
		if h.lazy == nil {
			return nil
		}
		h.tb = h.newTB(h.lazy, h.recorded)
	}
	return h.tb
}

// toTest calls f, in which methods of the test around Check mean that, although a
// controlled goroutine may be the one that calls them.
func (h *harness) toTest(f func()) {
	before := h.within
	h.within = true
	defer func() { h.within = before }()
	f()
}

// restore ends what the latest execution has left behind.
func (h *harness) restore() {
	if tb := h.latest(); tb != nil {
		tb.restore()
	}
}

func (h *harness) latest() *executionTB {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tb
}

// probe returns the failures that the latest execution has reported.
func (h *harness) probe() []trace.Failure {
	var failures []trace.Failure
	if tb := h.latest(); tb != nil {
		tb.mu.Lock()
		tb.sealed = true
		failures = tb.failures
		tb.mu.Unlock()
	}
	if h.contexts.IsLate() {
		h.session.CutShort()
	}
	if len(failures) == 0 && h.outerFailed() {
		failures = []trace.Failure{explore.OuterFailure}
	}
	if h.judge != nil {
		failures = append(failures, h.judge.Verdict(h.session.Session)...)
	}
	return failures
}

// count notes whether the latest execution was skipped.
func (h *harness) count() {
	tb := h.latest()
	if tb == nil || !tb.Skipped() {
		h.ran++
		return
	}
	h.skipped++
	h.reason = tb.reason
}

// outerFailed reports whether the outer test was failed since the search began.
func (h *harness) outerFailed() bool {
	if h.wasFailed {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.toTest(func() { h.poisoned = h.poisoned || h.outer.Failed() })
	return h.poisoned
}

// log returns what the latest execution has logged.
func (h *harness) log() string {
	tb := h.latest()
	if tb == nil {
		return ""
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return string(tb.log)
}

// fresh reports whether no execution has announced a text before, and notes that one does.
func (h *harness) fresh(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.announced[text] {
		return false
	}
	if h.announced == nil {
		h.announced = make(map[string]bool)
	}
	h.announced[text] = true
	return true
}

// tempDir makes a temporary directory for one execution. The first has the same name in every one,
// and so on, since those before it are gone: nothing that a program does with the name tells
// executions apart.
func (h *harness) tempDir() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dir == "" {
		h.toTest(func() { h.dir = h.outer.TempDir() })
		if whole, err := filepath.Abs(h.dir); err == nil {
			hook.AddOwnFolder(whole)
		}
	}
	for n := 1; ; n++ {
		dir := filepath.Join(h.dir, fmt.Sprintf("%03d", n))
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}
