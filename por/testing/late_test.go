package testing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// quietTB is a test that keeps to itself what it is told.
type quietTB struct {
	*testing.T
	errors, logs string
}

func (t *quietTB) Errorf(format string, args ...any) { t.errors += fmt.Sprintf(format, args...) }
func (t *quietTB) Logf(format string, args ...any)   { t.logs += fmt.Sprintf(format, args...) }

// TestLate uses tests that are over, or may be.
func TestLate(t *testing.T) {
	late := func(use func(t *T)) func(t *T) {
		return func(t *T) { sched.Go(func() { use(t) }) }
	}
	sub := func(f func(t *T)) func(t *T) {
		return func(t *T) { t.Run("sub", f) }
	}
	const traces = "all 2 traces explored, none fails (exhaustive"
	for _, test := range []struct {
		name  string
		f     func(t *T)
		fails string
		says  string
	}{
		{"Log", late(func(t *T) { t.Log("x", 1) }), "panic: Log in goroutine after TestLate has completed: x 1\n", ""},
		{"Logf", late(func(t *T) { t.Logf("%d", 1) }), "panic: Log in goroutine after TestLate has completed: 1\n", ""},
		{"Error", late(func(t *T) { t.Error("x") }), "panic: Fail in goroutine after TestLate has completed\n", ""},
		{"Output", late(func(t *T) { t.Output() }), "panic: Output called after TestLate has completed\n", ""},
		{"of a subtest", sub(late(func(t *T) { t.Log("x") })), "panic in TestLate/sub: Log in goroutine after TestLate/sub has completed: TestLate/sub: x\n", ""},
		{"fail a subtest", func(t *T) {
			var kept *T
			t.Run("sub", func(t *T) { kept = t })
			kept.Fail()
		}, "panic: Fail in goroutine after TestLate/sub has completed\n", ""},
		{"in time", func(t *T) { sched.Go(func() { t.Log("x") }).Join() }, "", "the only trace explored, it does not fail (exhaustive"},
		{"cleanup", func(t *T) { t.Cleanup(sched.Go(func() { t.Log("x") }).Join) }, "", "the only trace"},
		{"by itself", func(t *T) { t.Log("x"); t.Cleanup(func() { t.Log("y") }) }, "", "the only trace"},
		{"no matter", late(func(t *T) { t.Name(); t.Failed() }), "", "the only trace"},
		{"beside", func(t *T) {
			var x sched.Int32
			h := sched.Go(func() { t.Log("x"); x.Add(1) })
			x.Load()
			h.Join()
		}, "", traces},
	} {
		q := &quietTB{T: t}
		por.Check(q, func(tb testing.TB) {
			x := newExecuted(tb, t)
			x.name = "TestLate"
			x.run(test.f)
		}, por.Direct())
		if (q.errors == "") != (test.fails == "") || !strings.Contains(q.errors, test.fails) || !strings.Contains(q.logs, test.says) {
			t.Errorf("%s: failures are %q, want %q; says %q", test.name, q.errors, test.fails, q.logs)
		}
	}
}
