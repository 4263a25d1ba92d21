package explore

import (
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/sched/trace"
)

// Sharing has others explore for a session: goroutines of this process, or other processes.
type Sharing interface {
	// Processes returns the engine that searches in the place of e by processes, if there are any,
	// and Goroutines the one that does so by several goroutines.
	Processes(e trace.Engine) trace.Engine
	Goroutines(e trace.Engine) trace.Engine
	// Alone says why one explores where several were asked for, "" if it is not so.
	Alone() string
	// Lost says why a search that others explore cannot be brought to its end.
	Lost() string
	// Ending reports whether nothing is left to explore, and others are being ended.
	Ending() bool
}

// unshared is the Sharing of a session for which no other process or goroutine explores.
type unshared struct{}

func (unshared) Processes(e trace.Engine) trace.Engine  { return e }
func (unshared) Goroutines(e trace.Engine) trace.Engine { return e }
func (unshared) Alone() string                          { return "" }
func (unshared) Lost() string                           { return "" }
func (unshared) Ending() bool                           { return false }

// Assigned is what another process has started this one for, nil if none has. It is set when the
// process starts.
var Assigned *share.Assignment

// IsWorker reports whether this process explores for another one.
func IsWorker() bool { return Assigned != nil && !Assigned.Serve }
