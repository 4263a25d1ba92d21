package testing

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
		{"Error", late(func(t *T) { t.Error("x") }), "panic: Log in goroutine after TestLate has completed: x\n", ""},
		{"Errorf", late(func(t *T) { t.Errorf("%d", 1) }), "panic: Log in goroutine after TestLate has completed: 1\n", ""},
		{"Fatal", late(func(t *T) { t.Fatal("x") }), "panic: Log in goroutine after TestLate has completed: x\n", ""},
		{"Fatalf", late(func(t *T) { t.Fatalf("%d", 1) }), "panic: Log in goroutine after TestLate has completed: 1\n", ""},
		{"Fail", late(func(t *T) { t.Fail() }), "panic: Fail in goroutine after TestLate has completed\n", ""},
		{"FailNow", late(func(t *T) { t.FailNow() }), "panic: Fail in goroutine after TestLate has completed\n", ""},
		{"Skip", late(func(t *T) { t.Skip("x") }), "panic: Log in goroutine after TestLate has completed: x\n", ""},
		{"Skipf", late(func(t *T) { t.Skipf("%d", 1) }), "panic: Log in goroutine after TestLate has completed: 1\n", ""},
		{"Output", late(func(t *T) { t.Output() }), "panic: Output called after TestLate has completed\n", ""},
		{"Write", func(t *T) {
			w := t.Output()
			sched.Go(func() { fmt.Fprintln(w, "x") })
		}, "panic: Write called after TestLate has completed\n", ""},
		{"Run of Cleanup", func(t *T) { t.Cleanup(func() { t.Run("sub", func(*T) {}) }) }, "panic: testing: t.Run called during t.Cleanup\n", ""},
		{"bubble of Cleanup", func(t *T) { t.Cleanup(func() { Gopor__Bubble(t, func(*T) {}) }) }, "panic: testing: synctest.Run called during t.Cleanup\n", ""},
		{"Run after Cleanup", func(t *T) {
			var kept *T
			t.Run("sub", func(t *T) { kept = t })
			kept.Run("sub", func(*T) {})
		}, "", "the only trace explored"},
		{"of a subtest", sub(late(func(t *T) { t.Log("x") })), "panic in TestLate/sub: Log in goroutine after TestLate/sub has completed: TestLate/sub: x\n", ""},
		{"of a subtest in time", func(t *T) {
			var h sched.Handle
			t.Run("sub", func(t *T) { h = sched.Go(func() { t.Log("x"); t.Output() }) })
			h.Join()
		}, "", "all 3 traces"},
		{"of a bubble", func(t *T) { Gopor__Bubble(t, late(func(t *T) { t.Log("x"); t.Output() })) }, "", "none fails"},
		{"fail a bubble", func(t *T) { Gopor__Bubble(t, late(func(t *T) { t.Fail() })) }, "panic: Fail in goroutine after TestLate has completed\n", ""},
		{"fail a subtest", func(t *T) {
			var kept *T
			t.Run("sub", func(t *T) { kept = t })
			kept.Fail()
		}, "panic: Fail in goroutine after TestLate/sub has completed\n", ""},
		{"fail a subtest and say why", func(t *T) {
			var kept *T
			t.Run("sub", func(t *T) { kept = t })
			kept.Error("x")
		}, "panic: Fail in goroutine after TestLate/sub has completed\n", ""},
		{"of a subtest of this test", func(t *T) {
			var kept *T
			t.Run("sub", func(t *T) { kept = t })
			kept.Log("x")
			sched.Go(func() { kept.Log("y"); kept.Output().Write([]byte("z")) }).Join()
		}, "", "the only trace explored, it does not fail (exhaustive"},
		{"of a subtest of a subtest", func(t *T) {
			t.Run("sub", func(t *T) {
				h := sched.Go(func() {})
				t.Run("sub", func(t *T) { h = sched.Go(func() { t.Log("x") }) })
				h.Join()
			})
		}, "", traces},
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

// TestCleanupOrders has functions of Cleanup that goroutines register. What a goroutine does before
// it registers one is ordered before that function is called. What it does later is not.
func TestCleanupOrders(t *testing.T) {
	for _, early := range []bool{true, false} {
		q := &quietTB{T: t}
		por.Check(q, func(tb testing.TB) {
			x := newExecuted(tb, t)
			x.name = "TestOrders"
			x.run(func(t *T) {
				n := sched.NewVar(0)
				sched.Go(func() {
					if early {
						n.Store(1)
					}
					t.Cleanup(func() { n.Load() })
					if !early {
						n.Store(1)
					}
				})
				sched.Sleep(time.Millisecond)
			})
		}, por.Direct(), por.Time(sched.TimeDiscrete))
		if raced := strings.Contains(q.errors, "data race"); raced == early {
			t.Errorf("the store comes before Cleanup: %v; failures are %q", early, q.errors)
		}
	}
}
