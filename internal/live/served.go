package live

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// This file knows the servers of package net/http that goroutines have started outside of
// executions: for each port the listener, and what serves it in an execution.

// EarlierServer begins the note of an execution with a connection to a goroutine that is not under
// control. The address follows.
const EarlierServer = "a connection to a server that was started before the test, at "

// server is what listens on a port.
type server struct {
	listener unsafe.Pointer // a *net.netFD
	serve    func()
}

var servers struct {
	lock   int32
	byPort map[int]server
}

// withServers calls f while no other goroutine does.
func withServers(f func(byPort map[int]server)) {
	for !atomic.CompareAndSwapInt32(&servers.lock, 0, 1) {
		runtime.Gosched()
	}
	defer atomic.StoreInt32(&servers.lock, 0)
	if servers.byPort == nil {
		servers.byPort = make(map[int]server)
	}
	f(servers.byPort)
}

// Serves records that a server serves a port. Serve serves the listener in an execution.
func Serves(port int, serve func()) {
	withServers(func(byPort map[int]server) {
		byPort[port] = server{serve: serve}
	})
}

// Accepts records the listener of a port.
func Accepts(port int, listener unsafe.Pointer) {
	withServers(func(byPort map[int]server) {
		if s := byPort[port]; s.listener != listener {
			byPort[port] = server{listener, s.serve}
		}
	})
}

// Served returns the listener of a port, and what serves it in an execution, or nil.
func Served(port int) (listener unsafe.Pointer, serve func()) {
	withServers(func(byPort map[int]server) {
		if s := byPort[port]; s.listener != nil {
			listener, serve = s.listener, s.serve
		}
	})
	return listener, serve
}

// AwaitServed is Served for an execution that is about to dial. A goroutine that was started just
// before the test may not have come to accept yet. AwaitServed lets it go on.
func AwaitServed(port int) (listener unsafe.Pointer, serve func()) {
	for range settles {
		if listener, serve = Served(port); listener != nil {
			break
		}
		runtime.Gosched()
	}
	return listener, serve
}

// settles is how often AwaitServed lets other goroutines go on, at most.
const settles = 100

// IsServed reports whether a listener is that of a server which Served returns.
func IsServed(port int, listener unsafe.Pointer) bool {
	l, serve := Served(port)
	return l == listener && serve != nil
}
