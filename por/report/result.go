package report

import (
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Result is what a search has found.
type Result struct {
	Stats trace.Stats
	// Exhaustive says that everything was covered, and that nothing was met which
	// could change the result and was not explored, apart from what por.Grant allows.
	Exhaustive bool
	// Verdict says more. Its String is one line for people.
	Verdict Verdict
	// Failures are the distinct failures found, at most as many as por.KeepGoing
	// asks for, in the order in which they were found.
	Failures []Failure
}

// Failure is one failure, with the simplest execution found that shows it.
type Failure struct {
	Kind trace.FailureKind
	Msg  string
	// All is everything that is wrong with the execution; Kind and Msg are of
	// the most telling one.
	All []trace.Failure
	// Schedule leads a program with the same numbering of goroutines from its
	// start to the end of the execution. Replay is for other processes.
	Schedule trace.Schedule
	// Preemptions and Steps measure the execution up to where it fails.
	Preemptions, Steps int
	// Fewest says that no execution with fewer preemptions fails in this way.
	Fewest bool
	// Unsteady says that the failure did not show again when the schedule was run a
	// second time, so that something besides the schedule has to do with it.
	Unsteady bool
	// Always says, where that is so, that other schedules fail as well, and how many of
	// them were tried: "in every schedule (all 6)".
	Always string
	// Time says how time passes in the execution.
	Time sched.TimeMode
	// Delay is by how much code is late in the execution, at the most, in [sched.TimeLag]:
	// less was tried, and did not show the failure.
	Delay exec.Delay
	// Execution is the number of the execution in which the failure was found,
	// from 1, or 0 in a replay.
	Execution int64
	// Entries is the execution line by line. Of a long one, that is some ten
	// thousand lines, what is far from its beginning, its end and its failure is
	// left out: see [exec.Entry.Omitted].
	Entries []exec.Entry
	// Output is what the closure has logged to its own testing.TB, and, where native code
	// is under control, has written to the standard files, in the order of the execution.
	Output []Output
	// Log is the text of all that.
	Log string
	// Replay is the string that replays the execution.
	Replay string
	// Saved is the file in which the schedule is saved, from the folder of the test's
	// package, "" if it is not.
	Saved string
	// Diagnosis is the report as data, Report the text for people.
	Diagnosis *Diagnosis
	Report    string
	// Order are two places in the program for which the order matters, of operations that conflict,
	// each with what it does; nil if none is known.
	Order []string
}

// Output is something that an execution has written, and when.
type Output struct {
	// Step is the number of the event after which it was written, -1 before the first one.
	Step int
	// G is the goroutine that has written it, -1 if that is not known, and Name what
	// reports call that.
	G    trace.ID
	Name string
	// Stream is "stdout", "stderr" or "log", which is the log of the closure's testing.TB.
	Stream string
	// Text is what was written, line breaks included.
	Text string
}
