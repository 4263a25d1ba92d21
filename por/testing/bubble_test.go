package testing

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/context"
)

// TestBubble looks at what the goroutines of a bubble have done when it is over.
func TestBubble(t *testing.T) {
	for _, test := range []struct {
		name  string
		f     func(t *T, done func())
		fails string
	}{
		{"a goroutine", func(_ *T, done func()) { sched.Go(done) }, ""},
		{"one that a goroutine starts", func(_ *T, done func()) { sched.Go(func() { sched.Go(done) }) }, ""},
		{"one that sleeps", func(_ *T, done func()) { sched.Go(func() { sched.Sleep(1); done() }) }, ""},
		{"what a timer starts", func(_ *T, done func()) {
			sched.AfterFunc(time.Second, func() { sched.Go(done) })
			sched.Sleep(time.Second)
		}, ""},
		{"what the end of a context starts", func(t *T, done func()) { context.AfterFunc(t.Context(), done) }, ""},
		{"what a context would start", func(t *T, done func()) {
			c, _ := context.WithCancel(context.Background())
			context.AfterFunc(c, func() { t.Error("it has not ended") })
			done()
		}, ""},
		{"one that waits for ever", func(_ *T, done func()) { sched.Go(func() { sched.NewChan[int](0).Recv() }) }, "deadlock"},
		{"nothing", func(*T, func()) {}, "it is not done"},
	} {
		q := &quietTB{T: t}
		por.Check(q, func(tb testing.TB) {
			done := false
			newExecuted(tb, t).run(func(t *T) {
				Gopor__Bubble(t, func(t *T) { test.f(t, func() { done = true }) })
				if !done {
					t.Error("it is not done")
				}
			})
		}, por.Direct())
		if (q.errors == "") != (test.fails == "") || !strings.Contains(q.errors, test.fails) {
			t.Errorf("%s: failures are %q, want %q; says %q", test.name, q.errors, test.fails, q.logs)
		}
	}
}
