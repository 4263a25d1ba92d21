package hook

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/monotonic"
)

// This file has the clock while the packages of a test program of por check are
// initialised. A package-level variable often has the time from which a package counts. With
// the real time, the executions would come before that, since their clock begins at a fixed
// moment. So the clock begins a second before that of executions, and every read is a
// microsecond later. The times are the same in every run, and a loop that waits for a time
// ends. From [TestsBegin] on, in TestMain, code outside of executions sees the real clock
// again.

var initial = newInitialClock()

type initialClock struct {
	start time.Time
	looks atomic.Int64
	over  atomic.Bool
}

func newInitialClock() *initialClock {
	c := &initialClock{start: machine.StartTime}
	_, checked := syscall.Getenv(environ.CheckRecord)
	c.over.Store(!checked || environ.Within())
	if text, ok := syscall.Getenv(environ.CheckStart); ok {
		if t, err := environ.ParseStart(text); err == nil { // the tests report the error
			c.start = t
		}
	}
	return c
}

// InitialTime returns the time while packages are initialised. It returns false if the real
// clock is used.
func InitialTime() (time.Time, bool) {
	if initial.over.Load() {
		return time.Time{}, false
	}
	at := time.Duration(initial.looks.Add(1)) * time.Microsecond
	return monotonic.In(initial.start.Add(at-machine.BeforeStart).In(time.Local), at), true
}

// TestsBegin says that all packages are initialised.
func TestsBegin() { initial.over.Store(true) }
