package por

import (
	"slices"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// named gives the objects of a report the names that the program has for them, and
// returns the trial with them, and what has found them.
func (rep *FailureReport) named(t *trial.Trial) (*trial.Trial, *naming.Search) {
	n := naming.New()
	rename, ok := n.Apply(rep.Entries)
	if !ok {
		return t, n
	}
	u := *t
	u.Primary = renamed(t.Primary, rename)
	rep.Msg = rename(rep.Msg)
	rep.All = slices.Clone(rep.All)
	for i, f := range rep.All {
		rep.All[i] = renamed(f, rename)
	}
	return &u, n
}

// renamed returns a failure in which objects go by other names, unless its words are
// the program's own.
func renamed(f trace.Failure, rename func(string) string) trace.Failure {
	switch f.Kind {
	case trace.FailDeadlock, trace.FailLeak, trace.FailRace, trace.FailSteps, trace.FailStarved, trace.FailLong:
		f.Msg, f.Stack = rename(f.Msg), rename(f.Stack)
	}
	return f
}
