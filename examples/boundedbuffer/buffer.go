// Package boundedbuffer holds a queue of limited length made of a mutex and
// condition variables, once right, and once with the mistake that most people
// make at first: a single condition, and Signal.
package boundedbuffer

import "github.com/gopor/gopor/sched"

// Buffer is a first-in-first-out queue with room for a number of values. Put
// waits while it is full, Get while it is empty.
type Buffer struct {
	mu       sched.Mutex
	notFull  *sched.Cond
	notEmpty *sched.Cond
	items    []int
	room     int
}

// New returns an empty buffer with room for n values.
func New(n int) *Buffer {
	b := &Buffer{room: n}
	b.notFull = sched.NewCond(&b.mu)
	b.notEmpty = sched.NewCond(&b.mu)
	return b
}

// NewOneCond returns a buffer that does not work. A Put that waits for room and a Get
// that waits for a value wait on one condition. So a Signal meant for a Put may wake
// another Get, which waits again and wakes no other goroutine.
func NewOneCond(n int) *Buffer {
	b := New(n)
	b.notEmpty = b.notFull
	return b
}

// Put adds a value at the end.
func (b *Buffer) Put(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == b.room {
		b.notFull.Wait()
	}
	b.items = append(b.items, v)
	b.notEmpty.Signal()
}

// Get removes the first value.
func (b *Buffer) Get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 {
		b.notEmpty.Wait()
	}
	v := b.items[0]
	b.items = b.items[1:]
	b.notFull.Signal()
	return v
}
