// Package stack has a stack for several goroutines.
package stack

import "sync/atomic"

// Stack holds numbers. The zero value is empty.
type Stack struct{ top atomic.Pointer[node] }

type node struct {
	value int
	next  *node
}

// Push puts v on top.
func (s *Stack) Push(v int) {
	n := &node{value: v, next: s.top.Load()}
	for !s.top.CompareAndSwap(n.next, n) {
		n.next = s.top.Load()
	}
}

// Pop takes the number on top, and reports whether there was one.
func (s *Stack) Pop() (v int, ok bool) {
	n := s.top.Load()
	if n == nil {
		return 0, false
	}
	s.top.Store(n.next)
	return n.value, true
}
