// Package share has what processes say to each other that share one search: which part of it is to be
// explored, and what has come of it. What is given out is a batch of items of package search, which
// means the same in all processes of one program.
package share

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Protocol is another one whenever what is said means something else.
const Protocol = 3

// Message is something that is said: one of its fields.
type Message struct {
	Hello  *Hello  `json:",omitempty"`
	Job    *Job    `json:",omitempty"`
	Result *Result `json:",omitempty"`
	// Workers is how many there are, as far as whoever gives out jobs knows.
	Workers int `json:",omitempty"`
	// Lost says why the search cannot be brought to its end.
	Lost string `json:",omitempty"`
	// Stop asks for the search to be ended with what there is.
	Stop bool `json:",omitempty"`
	// Done says that nothing is left of a search.
	Done bool `json:",omitempty"`
}

// Assignment is what a process is started for that shares a search with others. It is told in the
// environment.
type Assignment struct {
	Name string // of the Check; "" for the first one
	// Existing says that it is the one that por test makes of a test, and not one that the test has.
	Existing bool `json:",omitempty"`
	// Serve says that the process is to have the search explored by others; else it is a worker.
	Serve    bool           `json:",omitempty"`
	Time     sched.TimeMode // how time passes
	Locks    bool           `json:",omitempty"` // sched.ModelLock is explored, whatever the options say
	Focus    bool           `json:",omitempty"` // only one part of the program is to be explored: see Part
	Part     string         // the name of the part that is to be explored
	Contexts bool           // contexts are cancelled at the end of executions
	Memory   int64          // the limit of memory, in bytes, 0 for none
	Slice    time.Duration  // how long workers explore a job, if there are many; 0 for a second
	Limit    time.Duration  // of a search that is served: how long it may take, 0 for ever
	Nice     bool           `json:",omitempty"` // others come first
	// MaxClock is the limit of virtual time that holds without an option, 0 for that of this process.
	MaxClock time.Duration `json:",omitempty"`
}

// Hello is what a process says first: which search it has come to.
type Hello struct {
	Protocol int
	Name     string // of the Check
	Options  string // those that the search depends on, in words
	First    string // what tells the first execution from others
}

// Job is a batch to explore.
type Job struct {
	ID    string // of the batch, see [ID]
	Batch search.Batch
	// What is left after so long, or so many executions, is to be returned; 0 for no limit. At least
	// one execution is to be explored.
	Time       time.Duration
	Executions int64
	Parts      int // into how many batches, at the most, what is left is to be divided; 0 is as 1
	// Keep is after how many distinct failures the search ends. With more than one, executions that
	// fail are found on the way; 0 is as 1.
	Keep int `json:",omitempty"`
	// For says what a worker has to be started for that explores it, nil if that was done.
	For *Assignment `json:",omitempty"`
}

// Result is what has come of a job.
type Result struct {
	ID    string
	Stats trace.Stats
	Left  []search.Batch `json:",omitempty"` // what remains to be explored, in order
	// Failed is the execution that has failed, the last one. Then nothing is left.
	Failed *Failed `json:",omitempty"`
	// Found are executions that are to be known of, in order, though the search goes on after them. Enough says that
	// it ends with the last of them at the latest. Then nothing is left.
	Found  []Found `json:",omitempty"`
	Enough bool    `json:",omitempty"`
	// Error says why the job could not be done, "" if it could, and Died how several workers have
	// ended that were to do it.
	Error string `json:",omitempty"`
	Died  string `json:",omitempty"`

	Unfair      int64              `json:",omitempty"` // of the executions, those that tell nothing
	Long        bool               `json:",omitempty"` // some of these were too long to explore
	Ran         int64              `json:",omitempty"` // executions that were not skipped
	Skipped     int64              `json:",omitempty"` // executions that were skipped
	Reason      string             `json:",omitempty"` // why one of the skipped executions was skipped
	Timed       bool               `json:",omitempty"` // some have waited for the clock
	Contexts    bool               `json:",omitempty"` // some have asked for a context that they do not cancel
	Memory      bool               `json:",omitempty"` // the limit of memory was reached
	Undecided   bool               `json:",omitempty"` // some were not judged, though they were complete
	Assumptions []sched.Assumption `json:",omitempty"`
	Felt        string             `json:",omitempty"` // what the worker has done that other processes may feel
}

// Found is an execution that was found on the way.
type Found struct {
	*Failed
	Late bool   `json:",omitempty"` // it fails only since code is late, and is no failure
	At   Totals // what of the job was done when it was over
}

// Failed is an execution that has failed.
type Failed struct {
	Names    [][]int32       // the paths of goroutines
	Schedule trace.Schedule  // whose goroutines are places in Names
	Failures []trace.Failure // as well, or -1
}

// MostDeaths is how many workers may end while they explore one job: then it is an error.
const MostDeaths = 3

// ID returns what a batch is known by in a search: two have the same one if they are the same.
func ID(search string, b []byte) string {
	h := sha256.New()
	h.Write([]byte(search))
	h.Write([]byte{0})
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// NewFailed returns an execution with goroutines that have paths.
func NewFailed(path func(trace.ID) []int32, s trace.Schedule, failures []trace.Failure) *Failed {
	f := new(Failed)
	places := make(map[trace.ID]trace.ID)
	place := func(g trace.ID) trace.ID {
		if g < 0 {
			return -1
		}
		n, ok := places[g]
		if !ok {
			n = trace.ID(len(f.Names))
			places[g] = n
			f.Names = append(f.Names, path(g))
		}
		return n
	}
	for _, c := range s {
		f.Schedule = append(f.Schedule, trace.Choice{G: place(c.G), Alt: c.Alt})
	}
	for _, x := range failures {
		x.G = place(x.G)
		f.Failures = append(f.Failures, x)
	}
	return f
}

// With returns the schedule and the failures with the numbers of a program that knows the paths.
func (f *Failed) With(lookup func([]int32) trace.ID) (s trace.Schedule, failures []trace.Failure) {
	number := func(g trace.ID) trace.ID {
		if g < 0 || int(g) >= len(f.Names) {
			return -1
		}
		return lookup(f.Names[g])
	}
	for _, c := range f.Schedule {
		s = append(s, trace.Choice{G: number(c.G), Alt: c.Alt})
	}
	for _, x := range f.Failures {
		x.G = number(x.G)
		failures = append(failures, x)
	}
	return s, failures
}
