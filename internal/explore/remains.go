package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells of goroutines that executions leave behind and that something still reaches,
// which is no failure. Those that nothing reaches any more are leaked, see [exec.Leaks].

// remaining is what the executions of a session have left behind.
type remaining struct {
	left    int64    // executions that have left goroutines behind
	reached *Finding // the first execution with goroutines that something reaches
	// The first execution of each key of which that is not known, mostUndecided at most.
	undecided []*Finding
	keys      map[string]bool // of undecided
	more      bool            // whether there were more keys than mostUndecided
	alike     bool            // whether executions were decided by others that are alike
	lines     []string        // what there is to say of one of these
	// Why it is not known of lines that something reaches them, "" if it is.
	why string
}

// mostUndecided is how many kinds of executions are looked at when a search is over that had no
// time for a look.
const mostUndecided = 16

// decidedByOthers reports whether an execution that is alike has decided what is leaked in this
// one.
func decidedByOthers(run trace.Run) bool {
	r, ok := run.(exec.Leaving)
	return ok && r.Remains().Alike
}

// noteRemains looks at what an execution has left behind.
func (s *Session) noteRemains(x *trace.Execution) {
	run, ok := x.Run.(exec.Leaving)
	if !ok {
		return
	}
	left := run.Remains()
	if len(left.Reached) == 0 {
		return
	}
	r := &s.Findings.Remaining
	r.left++
	r.alike = r.alike || left.Alike
	switch {
	case left.Why != "":
		r.doubt(s, x, left.Key)
	case left.Why == "" && r.reached == nil:
		r.reached = s.Finding(x, nil)
	}
}

// doubt keeps an execution of which it is not known whether it leaks, one of each key.
func (r *remaining) doubt(s *Session, x *trace.Execution, key string) {
	switch {
	case r.keys[key]:
		r.alike = true
	case len(r.undecided) == mostUndecided:
		r.more = true
	default:
		if r.keys == nil {
			r.keys = make(map[string]bool)
		}
		r.keys[key] = true
		r.undecided = append(r.undecided, s.Finding(x, nil))
	}
}

// examineRemains finds out what there is to say of what executions have left behind. It looks
// through the memory after one of them: if that shows a leak, since it was not decided during the
// search or decided for another execution, it is a failure. What stays unknown takes the word
// exhaustive away.
func (s *Session) examineRemains(p trace.Program) {
	r := &s.Findings.Remaining
	if len(s.Findings.Found) > 0 || len(r.lines) > 0 || s.Subject.Borrowed {
		return
	}
	unknown := r.more
	for _, f := range append(slices.Clone(r.undecided), r.reached) {
		if f == nil {
			continue
		}
		if f == r.reached && len(r.lines) > 0 {
			break
		}
		left, failures := s.behind(p, f)
		if slices.ContainsFunc(failures, func(f trace.Failure) bool { return f.Kind == trace.FailLeak }) {
			f.Failures = failures
			s.Take(f)
			return
		}
		unknown = unknown || left.Why != "" || f != r.reached && len(left.Reached) == 0
		if len(left.Reached) > 0 && r.why == "" {
			r.lines, r.why = nil, left.Why
			for i := range left.Reached {
				r.lines = append(r.lines, left.Reached[i].LineOfLeft())
			}
		}
	}
	c, ok := p.(*exec.Closure)
	switch {
	case !ok:
	case unknown:
		c.Note(exec.Assumption{Kind: sched.AssumeCount, What: advice.UndecidedRemains})
	case r.alike:
		c.Note(exec.Assumption{Kind: sched.AssumeCount, What: advice.AlikeRemains})
	}
}

// behind runs an execution once more, and returns what it leaves behind. A report says that as
// well, but it also says what all that the execution does is called, which takes longer than the
// search where the files are large.
func (s *Session) behind(p trace.Program, f *Finding) (left exec.Remains, failures []trace.Failure) {
	t, done := s.rerun(p, f)
	if !done {
		return left, nil
	}
	r := s.Program(true)
	defer s.Dismiss(r)
	c, ok := r.(*exec.Closure)
	if !ok {
		return left, nil
	}
	s.within(r, 2*s.patience(), func() {
		s.Out.Begin()
		if again, err := trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds)); err == nil {
			left, failures = c.Remains(), again.Failures
		}
	})
	var labels []string
	for i := range left.Reached {
		labels = append(labels, left.Reached[i].Objects()...)
	}
	entries := naming.Alike(labels, c.Record())
	s.rest(p)
	s.rest(r)
	names := naming.New().NamesOf(entries)
	for i, w := range left.Reached {
		left.Reached[i] = w.Named(names.Of)
	}
	return left, failures
}

// Note says what executions leave behind, in a verdict.
func (r *remaining) Note(looks int64) string {
	switch {
	case len(r.lines) == 0:
		return ""
	case r.why != "":
		return "leaves goroutines behind, and it is not known whether they are leaked (" + r.why + "): " + strings.Join(r.lines, "; ")
	}
	text := "leaves goroutines behind that something still reaches: " + strings.Join(r.lines, "; ")
	if looks < r.left {
		text += fmt.Sprintf(" (memory looked through after %s of %s that leave some behind)", format.Grouped(looks), format.Counted(r.left, "execution"))
	}
	return text
}
