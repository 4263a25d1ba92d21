//go:build gopor

// Package http is a part of the standard library's package of that name, for programs under
// control. It is compiled together with the files of the library. A server that was started before
// an execution, by TestMain or for a variable of a package, has real connections. An execution that
// dials its address has a server of its own, with the same handler.
package http

import (
	"net"

	"github.com/gopor/gopor/internal/live"
)

// goporServe is at the beginning of Server.Serve.
func goporServe(srv *Server, l net.Listener) {
	if live.Sockets() {
		return
	}
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		// Nothing has used srv to serve yet, unless it serves another listener as well. What it
		// does with the state of a connection, such as to count them, is about real ones.
		first := *srv
		first.listeners, first.activeConn, first.ConnState = nil, nil, nil
		live.Serves(addr.Port, func() {
			twin := first
			twin.Serve(l)
		})
	}
}
