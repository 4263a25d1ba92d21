package hook

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/machine"
)

// This file has the clock while the packages of a test program of por test -check are initialised.
// A package-level variable often has the time in it from which on a package counts, and
// with the real one the executions, whose clock begins at a fixed moment, would come before that. So it
// is a second before the clock of executions begins, and every look is a microsecond later: what is
// seen is the same every time, and who waits for a time to come sees it come. From [TestsBegin] on, in
// TestMain, it is the real clock again that is seen outside of executions.

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
		if t, err := environ.ParseStart(text); err == nil { // the tests say what is wrong with it
			c.start = t
		}
	}
	return c
}

// InitialTime returns the time that is seen while packages are initialised, false if it is the real
// one.
func InitialTime() (time.Time, bool) {
	if initial.over.Load() {
		return time.Time{}, false
	}
	reading := time.Duration(initial.looks.Add(1)) * time.Microsecond
	return machine.WithReading(initial.start.Add(reading-machine.BeforeStart).In(time.Local), reading), true
}

// TestsBegin says that all packages are initialised.
func TestsBegin() { initial.over.Store(true) }
