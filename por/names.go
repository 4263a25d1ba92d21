package por

import (
	"slices"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/trial"
)

// named gives the objects of a report the names that the program has for them, and
// returns the trial with them, and what has found them.
func (rep *FailureReport) named(t *trial.Trial) (*trial.Trial, *naming.Search) {
	n := naming.New()
	name, ok := n.Apply(rep.Entries)
	if !ok {
		return t, n
	}
	u := *t
	u.Primary = t.Primary.Named(name)
	rep.Msg = u.Primary.Msg
	rep.All = slices.Clone(rep.All)
	for i, f := range rep.All {
		rep.All[i] = f.Named(name)
	}
	return &u, n
}
