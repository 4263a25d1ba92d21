package live

import (
	"runtime"
	"sync/atomic"
)

// This file has what package net asks of the network of an execution besides its functions.

// Sockets reports whether the sockets that the caller makes are those of an execution.
func Sockets() bool {
	return In()
}

// bound has the names that executions of this process have bound in memory.
var bound struct {
	lock  int32
	names map[string]bool
}

// Bound records that an execution binds a name of a socket in memory.
func Bound(name string) {
	lockBound()
	if bound.names == nil {
		bound.names = make(map[string]bool)
	}
	bound.names[name] = true
	atomic.StoreInt32(&bound.lock, 0)
}

// IsBound reports whether an execution of this process has ever bound a name in memory. Another
// name may be that of a socket outside.
func IsBound(name string) bool {
	lockBound()
	is := bound.names[name]
	atomic.StoreInt32(&bound.lock, 0)
	return is
}

func lockBound() {
	for !atomic.CompareAndSwapInt32(&bound.lock, 0, 1) {
		runtime.Gosched()
	}
}

// readsOn are functions that read from a connection until they have what they need. It makes no
// difference to them how much a Read returns.
var readsOn = map[string]bool{
	"io.ReadAll": true, "io.ReadAtLeast": true, "io.copyBuffer": true, "io.discard.ReadFrom": true,
	"bytes.(*Buffer).ReadFrom": true, "bufio.(*Scanner).Scan": true, "bufio.(*Reader).fill": true,
	"bufio.(*Reader).Read": true, "crypto/tls.(*atLeastReader).Read": true,
	"crypto/tls.(*Conn).readFromUntil": true, // it reads by itself since Go 1.27
}

// Joins reports whether the function that reads from a connection reads on until it has what it
// needs. The caller is package net. Functions of packages io and net/http that hand a Read on to
// the connection are passed over.
func Joins() bool {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if readsOn[f.Function] {
			return true
		}
		if !handsOn(f.Function) {
			return false
		}
	}
	return false
}

// handsOn reports whether a function hands a Read on.
func handsOn(function string) bool {
	switch function {
	case "io.(*LimitedReader).Read", "io.(*teeReader).Read", "net/http.(*connReader).Read", "net/http.(*persistConn).Read":
		return true
	}
	return hasPrefix(function, "net.") || hasPrefix(function, "github.com/gopor/gopor/")
}
