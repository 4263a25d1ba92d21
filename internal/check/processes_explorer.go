package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// explorer explores jobs of a search, for a session of the process of the test or of a worker.
type explorer struct {
	*search.Explorer
	s    *sharer
	p    trace.Program
	told int // assumptions that were told

	result *share.Result // of the job that is being explored
	job    *share.Job
	keys   map[explore.FailureKey]bool // that it has found
	// nil in the process of the test, which counts what was skipped itself.
	worker *harness
}

// do explores a job. The error says that the search cannot go on, and is not in the result.
func (e *explorer) do(job *share.Job) (*share.Result, error) {
	begin, n := time.Now(), int64(0)
	e.begin(job)
	r := e.result
	left, stats, err := e.Explore(job.Batch, e.visit, func() bool {
		n++
		return (job.Executions == 0 || n < job.Executions) && (job.Time == 0 || time.Since(begin) < job.Time) && !e.s.Over()
	})
	r.Stats = stats
	switch {
	case errors.Is(err, trace.ErrInterrupted) && e.s.Over():
		err = nil
	case err != nil || r.Enough:
	case left != nil:
		r.Left, err = left.Split(max(job.Parts, 1))
	}
	if c, ok := e.p.(*exec.Closure); ok {
		r.Timed = c.Timed()
		all := c.Assumptions()
		e.told = min(e.told, len(all))
		r.Assumptions = all[e.told:]
		e.told = len(all)
	}
	r.Contexts = e.s.check.contexts.IsLate()
	r.Memory = e.s.Halted() == explore.StopMemory
	r.Undecided = e.s.Undecided() != ""
	if e.worker != nil {
		r.Felt = felt()
	}
	return r, err
}

// begin begins a job.
func (e *explorer) begin(job *share.Job) {
	e.job, e.result, e.keys = job, &share.Result{ID: job.ID}, make(map[explore.FailureKey]bool)
}

// visit looks at an execution. It returns false if the search ends with it.
func (e *explorer) visit(x *trace.Execution) bool {
	s, r := e.s, e.result
	x.Over = s.Over
	if c, ok := x.Run.(trace.Interruptible); ok && c.Interrupted() {
		return false
	}
	failures := x.Run.Outcome()
	if s.Subject.Count != nil {
		s.Subject.Count()
	}
	if e.worker != nil {
		s.Executions.Add(1) // else the coordinator counts them
	}
	if len(failures) > 0 {
		switch k := trial.Primary(failures).Kind; {
		case k == trace.FailStarved:
			r.Unfair++
		case s.Findings.Tally != nil && k == trace.FailLong && !explore.ContainsWrong(failures):
			r.Unfair++
			r.Long = true
		case e.worker == nil && s.SharesPools(x.Run):
			return false
		default:
			return e.fails(x, failures)
		}
	}
	return true
}

// fails notes an execution that fails. It returns false if the search ends with it.
func (e *explorer) fails(x *trace.Execution, failures []trace.Failure) bool {
	s, r := e.s, e.result
	late := s.Findings.Tally.ToleratesLate(s.Session, x, failures)
	failed := share.NewFailed(trial.PathsOf(e.p).Path, x.Schedule, failures)
	switch want, unknown := explore.UnknownOf(failures, e.keys); {
	case late && slices.ContainsFunc(r.Found, func(f share.Found) bool { return f.Late }):
		return true
	case late:
	case e.job.Keep <= 1 || s.Subject.Poisoned != nil && s.Subject.Poisoned():
		r.Failed = failed
		return false
	case !unknown:
		return true
	default:
		e.keys[explore.KeyOf(want)] = true
		r.Enough = len(e.keys) >= e.job.Keep
	}
	at := share.Totals{Stats: *x.Stats, Unfair: r.Unfair}
	if e.worker != nil {
		at.Ran, at.Skipped = e.worker.ran, e.worker.skipped
	}
	r.Found = append(r.Found, share.Found{Failed: failed, Late: late, At: at})
	return !r.Enough
}

// options says what the search depends on besides the program, for processes to compare.
func (s *sharer) options() string {
	o := s.Phase.Run
	o.Time, o.Record = sched.TimeDiscrete, false // it is told otherwise
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s, existing %v", text, s.Findings.Tally != nil)
}

// searchName returns by what name the batches of a search are told from those of others.
func (s *sharer) searchName(focus bool, part string) string {
	return fmt.Sprintf("%s, part %v %q, %s, %v, contexts %v", s.Where.Name, focus, part, s.options(), s.Phase.Run.Time, s.check.contexts.Cancels())
}
