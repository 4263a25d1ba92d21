// Package server is a server on the loopback interface that can be shut down, as ordinary Go code.
// Its tests have every order explored in which the server, a client and the shutdown can meet.
package server

import (
	"bufio"
	"net"
	"sync"
)

// A Server answers one line on each connection.
type Server struct {
	ln      net.Listener
	answer  func(line string) string
	running sync.WaitGroup // the goroutine that accepts, and one for each connection

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// Start starts a server at a free port.
func Start(answer func(line string) string) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{ln: ln, answer: answer, conns: make(map[net.Conn]bool)}
	s.running.Add(1)
	go s.accept()
	return s, nil
}

// Addr returns the address of the server.
func (s *Server) Addr() string { return s.ln.Addr().String() }

func (s *Server) accept() {
	defer s.running.Done()
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.mu.Unlock()
		s.running.Add(1)
		go s.serve(c)
	}
}

func (s *Server) serve(c net.Conn) {
	defer s.running.Done()
	if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
		c.Write([]byte(s.answer(line)))
	}
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	c.Close()
}

// Shutdown ends the server when it has answered what it has begun to answer.
func (s *Server) Shutdown() {
	s.ln.Close()
	s.running.Wait()
}

// Hasten is a Shutdown that closes connections which have not ended. It means those on which no
// request has come yet, and closes others, too: a request is lost.
func (s *Server) Hasten() {
	s.ln.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// Ask sends a line to a server, and returns the answer.
func Ask(addr, line string) (string, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.Write([]byte(line + "\n")); err != nil {
		return "", err
	}
	return bufio.NewReader(c).ReadString('\n')
}
