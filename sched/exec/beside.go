package exec

import (
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// This file notices executions beside which goroutines of the program may run that are not under
// control, or in which goroutines meet in the network. Another order of what these do is no other
// schedule, so that a single execution, or all traces, says little of such a test.

// beside is what executions so far have met of that. The zero value has met nothing.
type beside struct {
	serving Assumption // the call after which a goroutine of net/http may call the program's code
	calling Assumption // the call after which goroutines of net/http may work for the program
	sockets Assumption // the call of package net, or of one that uses it
	crowded bool       // an execution with sockets has had several goroutines
}

// The packages and functions of the three kinds.
var (
	servers = []string{"net/http/httptest.", "net/http/httputil.", "net/http.Serve", "net/http.ListenAndServe", "net/http.Server.", "net/http.TimeoutHandler"}
	clients = []string{"net/http."}
	lookups = []string{"net.Lookup"}
	network = []string{"net.", "net/", "crypto/tls.", "log/syslog."}
)

// outsiderMet is the assumption that something which an execution uses was used by a goroutine that
// is not under control.
const outsiderMet = "a goroutine that is not under control, which uses what the execution uses"

func hasPrefix(what string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(what, p) {
			return true
		}
	}
	return false
}

// noteBeside notes a call after which code may run that is not under control. The lock of c.assumed
// is held.
func (c *Closure) noteBeside(g *machine.Goroutine, what string) {
	var first *Assumption
	switch {
	case hasPrefix(what, servers):
		first = &c.beside.serving
	case hasPrefix(what, clients):
		first = &c.beside.calling
	case hasPrefix(what, network) && !hasPrefix(what, lookups):
		first = &c.beside.sockets
	default:
		return
	}
	if first.What == "" {
		file, line, _ := format.Place(c.userPC(g))
		*first = Assumption{Kind: sched.AssumeCode, What: what, File: file, Line: line}
	}
}

// judgeBeside looks at an execution that is over.
func (c *Closure) judgeBeside() {
	if c.beside.sockets.What != "" && !c.beside.crowded {
		c.beside.crowded = c.m.Crowded()
	}
}

// Beside returns the first call of an execution after which goroutines that take part in the test
// were not under control, or have met in the network; its What is "" if there was none. It is for
// the time between executions.
func (c *Closure) Beside() Assumption {
	if a := c.Wakers(); a.What != "" {
		return a
	}
	if c.beside.crowded {
		return c.beside.sockets
	}
	return Assumption{}
}

// Wakers returns the first call of an execution after which goroutines that are not under control
// may have done something for which controlled ones wait; its What is "" if there was none.
func (c *Closure) Wakers() Assumption {
	a := &c.assumed
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.beside.serving.What != "" {
		return c.beside.serving
	}
	for _, x := range a.list {
		switch {
		case x.Is(hook.EarlierServer):
			return x
		case x.What == outsiderMet && c.beside.calling.What != "":
			return c.beside.calling
		}
	}
	return Assumption{}
}
