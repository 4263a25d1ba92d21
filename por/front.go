package por

import (
	"testing"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/sched"
	controlled "github.com/gopor/gopor/sched/std/context"
)

// Check runs f under every schedule that matters, or under as many as the limits
// allow, and fails the test at the first execution that fails: one that panics,
// deadlocks, reports an error through its testing.TB, leaks goroutines (see [AllowLeaks]),
// has a data race, misuses a primitive or does not end. The report shows a
// schedule with few preemptions that fails in the same way, and the command that
// replays it.
//
// f is a func(), a func(testing.TB) or a func(*testing.T). The second kind gets a TB of
// its own in every execution: what it logs is shown only for the failing execution, its
// Context is cancelled and its Cleanup functions run when the closure returns,
// FailNow ends the calling goroutine. Skip ends the execution, and the test around
// Check is skipped if every execution was. The third kind, for helpers that ask for a
// *testing.T, gets t itself, and a func() may use it. Where native code is under control
// its methods, when the closure calls them, do to the execution what those of a TB of its
// own do, and Run runs a function as a part of the execution. In tests that use primitives
// of package sched, t stays the test around Check: a failure stops the search as well, but
// cannot be minimised, since a test once failed stays failed, and a test once skipped stays
// skipped. (The parameter is an any, since por check has another type for T, so that
// no constraint could list the three.)
//
// What the closure writes to os.Stdout and os.Stderr, also by packages fmt, log and
// log/slog, is shown for the failing execution only, unless [ShowOutput] is given. That
// holds for native code under control; the functions print and println are left alone.
//
// Native go statements, channels, locks, atomics, timers and contexts are under
// control, in the package under test and in all packages outside the standard
// library: the test binary that go test has built replaces itself by one that
// was built so, which is kept for the next time. Tests that use primitives of
// package sched are left as they are; see [Direct].
//
// All nondeterminism of f has to come from what is under control. f must not wait
// for anything else, such as the network: an execution that makes no step for
// the time of the [Watchdog] fails the test, and its goroutines stay behind.
//
// Under -v the test's log says how much was covered. A search that a limit has
// stopped passes the test; see [Exhaustive].
func Check(t testing.TB, f any, opts ...Option) {
	if !check.IsNil(t) {
		t.Helper()
	}
	check.Check(t, "Check", f, nil, opts)
}

// TestContext returns t.Context() as a context of package sched, for closures that use the
// primitives of that package; native code waits for t.Context() itself. In the closure of a [Check]
// with the TB t, it is cancelled when the closure has returned, before the cleanup functions run
// and before goroutines count as left behind. That of another test is not cancelled while the
// closure runs.
func TestContext(t testing.TB) sched.Context { return controlled.Inner(t.Context()) }
