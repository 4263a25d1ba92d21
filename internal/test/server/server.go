// Package server is a small library for tests, with goroutines and a lock of its own.
package server

import "github.com/gopor/gopor/sched"

// Server calls handlers.
type Server struct {
	mu      sched.Mutex
	closed  bool
	order   []int
	workers sched.WaitGroup
}

// Start starts n goroutines. Each takes the server's lock, and calls handle with its number and
// with how many were there before.
func (s *Server) Start(n int, handle func(worker, before int)) {
	s.workers.Add(n)
	for i := range n {
		sched.Go(func() {
			s.mu.Lock()
			before := len(s.order)
			s.order = append(s.order, i)
			s.mu.Unlock()
			handle(i, before)
			s.workers.Done()
		})
	}
}

// Wait waits for the goroutines that Start has started.
func (s *Server) Wait() { s.workers.Wait() }

// Serve reports whether the server was still open.
func (s *Server) Serve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed
}

// Close closes the server.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}
