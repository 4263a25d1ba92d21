// Package lostupdate shows the oldest bug of all: two goroutines read a number,
// add one, and write it back, and one of the additions is lost.
package lostupdate

import "github.com/gopor/gopor/sched"

// Counter counts.
type Counter interface {
	Inc()
	Value() int64
}

// Torn reads and writes in two steps. Each of them is atomic, so there is no
// data race that a race detector could find.
type Torn struct{ n sched.Int64 }

// Inc adds one, or less.
func (c *Torn) Inc() { c.n.Store(c.n.Load() + 1) }

// Value returns the number.
func (c *Torn) Value() int64 { return c.n.Load() }

// Racy is Torn in plain memory: a data race besides.
type Racy struct{ n sched.Var[int64] }

// Inc adds one, or less.
func (c *Racy) Inc() { c.n.Store(c.n.Load() + 1) }

// Value returns the number.
func (c *Racy) Value() int64 { return c.n.Load() }

// Locked is Racy under a mutex.
type Locked struct {
	mu sched.Mutex
	n  sched.Var[int64]
}

// Inc adds one.
func (c *Locked) Inc() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n.Store(c.n.Load() + 1)
}

// Value returns the number.
func (c *Locked) Value() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n.Load()
}

// Added does it in one step.
type Added struct{ n sched.Int64 }

// Inc adds one.
func (c *Added) Inc() { c.n.Add(1) }

// Value returns the number.
func (c *Added) Value() int64 { return c.n.Load() }
