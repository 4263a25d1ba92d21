package sched_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// misuses are programs with operations that have to be ordered. Without sync
// nothing orders them.
var misuses = []raceTest{
	{"send and close", func(sync bool) {
		c := sched.NewChan[int](2)
		h := sched.Go(func() {
			defer func() { recover() }()
			c.Send(1)
		})
		if sync {
			h.Join()
		}
		c.Close()
	}},
	{"receive and close", func(sync bool) {
		c := sched.NewChan[int](0)
		sched.Go(func() {
			defer func() { recover() }()
			c.Send(1)
			if !sync {
				c.Send(2)
			}
		})
		c.Recv()
		c.Close()
	}},
	{"select and close", func(sync bool) {
		c, d := sched.NewChan[int](1), sched.NewChan[int](1)
		h := sched.Go(func() {
			defer func() { recover() }()
			sched.Select(sched.SendCase(c, 1), sched.RecvCase(d, nil, nil))
		})
		if sync {
			h.Join()
		}
		c.Close()
	}},
	{"late add", func(sync bool) {
		var wg sched.WaitGroup
		if sync {
			wg.Add(1)
		}
		sched.Go(func() {
			wg.Add(1)
			wg.Done()
			if sync {
				wg.Done()
			}
		})
		wg.Wait()
	}},
	{"add by another", func(sync bool) {
		var wg sched.WaitGroup
		c := sched.NewChan[int](0)
		sched.Go(func() {
			if !sync {
				c.Send(0)
			}
			wg.Add(1)
			if sync {
				c.Send(0)
			}
			wg.Done()
		})
		c.Recv()
		wg.Wait()
	}},
	{"used again too early", func(sync bool) {
		var wg sched.WaitGroup
		wg.Add(1)
		h := sched.Go(func() { wg.Wait() })
		wg.Done()
		wg.Wait()
		if sync {
			h.Join()
		}
		wg.Add(1)
		wg.Done()
	}},
}

func TestMisuses(t *testing.T) { testRaces(t, misuses) }

func TestMisuseText(t *testing.T) {
	fail := firstFailure(t, trace.FailRace, exec.Options{Record: true}, func() {
		c := sched.NewChan[int](1)
		sched.Go(func() {
			defer func() { recover() }()
			c.Send(1)
		})
		c.Close()
	})
	text := fail.Msg + "\n" + fail.Details()
	for _, want := range []string{"close of chan 1 by main races with send by g1", "misuse_test.go:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	if strings.Count(text, "misuse_test.go:") != 2 {
		t.Errorf("not both positions:\n%s", text)
	}
}

// TestMisuseBothOrders has the two operations of a misuse in either order, each
// in a single execution.
func TestMisuseBothOrders(t *testing.T) {
	send := func(c *sched.Chan[int]) func() { return func() { defer func() { recover() }(); c.Send(1) } }
	shut := func(c *sched.Chan[int]) func() { return func() { defer func() { recover() }(); c.Close() } }
	c, d, e, f := sched.NewChan[int](1), sched.NewChan[int](1), sched.NewChan[int](1), sched.NewChan[int](2)
	var first, last, waits sched.WaitGroup
	add := func(wg *sched.WaitGroup) func() { return func() { wg.Add(1); wg.Done() } }
	for _, test := range []struct {
		name  string
		a, b  func()
		raced bool
	}{
		{"send, close", send(c), shut(c), true},
		{"close, send", shut(d), send(d), true},
		{"close, close", shut(e), shut(e), false},
		{"send, send", send(f), send(f), false},
		{"add, wait", add(&first), first.Wait, true},
		{"wait, add", last.Wait, add(&last), true},
		{"wait, wait", waits.Wait, waits.Wait, false},
	} {
		if raced := oneByOne(t, test.a, test.b); raced != test.raced {
			t.Errorf("%s: race %v, want %v", test.name, raced, test.raced)
		}
	}
}
