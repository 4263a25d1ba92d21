// Package share has the messages between processes that share one search: which part of it to
// explore, and the results. The unit of work is a batch of items of package search, which means
// the same in all processes of one program.
package share

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Protocol changes with the meaning of messages.
const Protocol = 3

// Message is a message. One of its fields is set.
type Message struct {
	Hello  *Hello  `json:",omitempty"`
	Job    *Job    `json:",omitempty"`
	Result *Result `json:",omitempty"`
	// Workers is the number of workers that the sender of jobs knows of.
	Workers int `json:",omitempty"`
	// Lost says why the search cannot be completed.
	Lost string `json:",omitempty"`
	// Stop asks to end the search with the results so far.
	Stop bool `json:",omitempty"`
	// Done says that nothing is left of a search.
	Done bool `json:",omitempty"`
}

// Assignment is the purpose of a process that shares a search. It is passed in the environment.
type Assignment struct {
	Name string // of the Check; "" for the first one
	// Existing says that the Check is the one that por test makes of a test, rather than one in
	// the test.
	Existing bool `json:",omitempty"`
	// Serve says that the process distributes the search to others. Otherwise it is a worker.
	Serve bool           `json:",omitempty"`
	Time  sched.TimeMode // the time model
	Locks bool           `json:",omitempty"` // sched.ModelLock is explored
	Pools bool           `json:",omitempty"` // each goroutine has Pools of its own
	// Library says which races inside libraries are left, see [sched.LibraryMode].
	Library  sched.LibraryMode `json:",omitempty"`
	Focus    bool              `json:",omitempty"` // only Part of the program is explored
	Part     string            // name of the part
	Contexts bool              // contexts are cancelled at the end of executions
	Memory   int64             // the limit of memory in bytes, 0 for none
	Slice    time.Duration     // time per job with many workers; 0 for a second
	Limit    time.Duration     // of a search with Serve, 0 for none
	Nice     bool              `json:",omitempty"` // run with low priority
	// MaxClock is the default limit of virtual time, 0 for that of this process.
	MaxClock time.Duration `json:",omitempty"`
}

// Hello is the first message of a process. It identifies the search.
type Hello struct {
	Protocol int
	Name     string // of the Check
	Options  string // the options that the search depends on, as text
	First    string // identifies the first execution
}

// Job is a batch to explore.
type Job struct {
	ID    string // of the batch, see [ID]
	Batch search.Batch
	// Time and Executions limit the job; 0 is no limit. The worker explores at least one
	// execution and returns what is left.
	Time       time.Duration
	Executions int64
	// Parts is the maximal number of batches into which the remainder is divided; 0 counts as
	// 1.
	Parts int
	// Keep is the number of distinct failures that ends the search; 0 counts as 1. If it is
	// more than one, failing executions are found on the way.
	Keep int `json:",omitempty"`
	// For is the assignment of a worker that has yet to be started for the job, nil if the
	// worker runs.
	For *Assignment `json:",omitempty"`
}

// Result is the result of a job.
type Result struct {
	ID    string
	Stats trace.Stats
	Left  []search.Batch `json:",omitempty"` // the remainder, in order
	// Failed is the execution that has failed, the last one. Then nothing is left.
	Failed *Failed `json:",omitempty"`
	// Found are executions that do not end the search by themselves, in order. Enough says that
	// the search ends with the last of them at the latest. Then nothing is left.
	Found  []Found `json:",omitempty"`
	Enough bool    `json:",omitempty"`
	// Error says why the job could not be done, "" if it was done. Died says how several
	// workers have ended during the job.
	Error string `json:",omitempty"`
	Died  string `json:",omitempty"`

	Unfair      int64             `json:",omitempty"` // number of inconclusive executions
	Long        bool              `json:",omitempty"` // some of these were too long to explore
	Ran         int64             `json:",omitempty"` // number of executions that were not skipped
	Skipped     int64             `json:",omitempty"` // number of executions that were skipped
	Reason      string            `json:",omitempty"` // of one that was skipped
	Timed       bool              `json:",omitempty"` // some have waited for the clock
	Contexts    bool              `json:",omitempty"` // some need their contexts cancelled
	Memory      bool              `json:",omitempty"` // the limit of memory was reached
	Undecided   bool              `json:",omitempty"` // some complete executions were not judged
	Assumptions []exec.Assumption `json:",omitempty"`
	Felt        string            `json:",omitempty"` // external effects of the worker
}

// Found is an execution that was found on the way.
type Found struct {
	*Failed
	Late bool   `json:",omitempty"` // it fails only because code is late, and counts as no failure
	At   Totals // totals of the job at its end
}

// Failed is an execution that has failed.
type Failed struct {
	Names    [][]int32       // the paths of goroutines
	Schedule trace.Schedule  // with indexes in Names as goroutines
	Failures []trace.Failure // with indexes in Names as goroutines, or -1
}

// MostDeaths is the number of workers that may die during one job before that is an error.
const MostDeaths = 3

// ID returns the ID of a batch in a search. Equal batches have equal IDs.
func ID(search string, b []byte) string {
	h := sha256.New()
	h.Write([]byte(search))
	h.Write([]byte{0})
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// NewFailed returns a failed execution with goroutines identified by path.
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

// With returns the schedule and the failures with the goroutine numbers of a program.
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
