package sched_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// gate is a Locker whose Unlock waits, by a Cond of its own, until it is opened.
type gate struct {
	mu   sched.Mutex
	cond *sched.Cond
	at   *sched.Chan[int] // tells that somebody has come to Unlock
	open bool
}

func newGate() *gate {
	o := &gate{at: sched.NewChan[int](1)}
	o.cond = sched.NewCond(&o.mu)
	return o
}

func (o *gate) Lock() {}

func (o *gate) Unlock() {
	o.mu.Lock()
	o.at.Send(1)
	for !o.open {
		o.cond.Wait()
	}
	o.mu.Unlock()
}

func (o *gate) unlock() {
	o.mu.Lock()
	o.open = true
	o.mu.Unlock()
	o.cond.Signal()
}

// TestCondInUnlock has a Locker that waits in a Cond while it is unlocked by the
// Wait of another one. Each is woken by its own signals, and only by them.
func TestCondInUnlock(t *testing.T) {
	tests := []struct {
		name     string
		deadlock bool
		f        func(o *gate, c *sched.Cond)
	}{
		{"never signalled", true, func(o *gate, c *sched.Cond) { o.at.Recv(); o.unlock() }},
		{"signalled before the gate opens", false, func(o *gate, c *sched.Cond) { o.at.Recv(); c.Signal(); o.unlock() }},
		{"signalled after it is opened", false, func(o *gate, c *sched.Cond) { o.at.Recv(); o.unlock(); c.Signal() }},
		{"broadcast", false, func(o *gate, c *sched.Cond) { o.at.Recv(); c.Broadcast(); o.unlock() }},
		{"never opened", true, func(o *gate, c *sched.Cond) { o.at.Recv(); c.Signal() }},
		{"signalled perhaps too early", true, func(o *gate, c *sched.Cond) { c.Signal(); o.unlock() }},
	}
	for _, test := range tests {
		found := closures.Exact(t, exec.Options{}, func() string {
			o := newGate()
			c := sched.NewCond(o)
			h := sched.Go(c.Wait)
			test.f(o, c)
			h.Join()
			return ""
		})
		if _, failed := found.Failures[trace.FailDeadlock]; failed != test.deadlock {
			t.Errorf("%s: %v", test.name, found.Failures)
		}
		if all := found.Failing == found.Traces; test.deadlock && all == (test.name == "signalled perhaps too early") {
			t.Errorf("%s: %d of %d traces fail", test.name, found.Failing, found.Traces)
		}
	}
}

// panicky is a Locker whose first Unlock panics.
type panicky struct {
	sched.Mutex
	calls int
}

func (p *panicky) Unlock() {
	if p.calls++; p.calls == 1 {
		panic("no")
	}
	p.Mutex.Unlock()
}

// TestCondLeft leaves a Wait by a panic. As in Go the call keeps its place in the
// queue, and the signal that reaches it reaches nobody.
func TestCondLeft(t *testing.T) {
	for signals := range 3 {
		found := closures.Exact(t, exec.Options{}, func() string {
			p := new(panicky)
			c := sched.NewCond(p)
			ready := sched.NewChan[int](0)
			p.Lock()
			left := closures.Caught(func() string { c.Wait(); return "" })
			h := sched.Go(func() { ready.Send(1); p.Lock(); p.Mutex.Unlock() })
			ready.Recv()
			sched.Go(func() {
				p.Lock() // when the Wait has unlocked
				for range signals {
					c.Signal()
				}
				p.Mutex.Unlock()
			})
			c.Wait()
			p.Mutex.Unlock()
			h.Join()
			return fmt.Sprint(left)
		})
		if _, failed := found.Failures[trace.FailDeadlock]; failed != (signals < 2) {
			t.Errorf("%d signals: %v", signals, found.Failures)
		}
	}
}
