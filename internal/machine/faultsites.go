package machine

import (
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/sched/trace"
)

// Faults says which faults an execution has. The zero value stands for none.
type Faults struct {
	Kinds faults.Kind // sites of these kinds are noted
	Plan  faults.Plan
}

// Site is a use of a socket at which a fault may come: the N-th one of goroutine G, counted from 0.
type Site struct {
	G     trace.ID
	N     int32
	Kinds faults.Kind
}

// Sites returns the sites of the execution, and whether these are all. They are valid until the
// next execution begins.
func (m *Machine) Sites() (list []Site, all bool) { return m.sites.List, m.sites.All() }

// Site is called when g is about to use a socket. Kinds are the faults that make a difference
// there. It returns the fault that comes first, by the plan; its kind is 0 if there is none. The
// number of uses of each goroutine does not depend on kinds.
func (g *Goroutine) Site(kinds faults.Kind) faults.Fault {
	if g.M.Faults.Kinds == 0 && len(g.M.Faults.Plan) == 0 {
		return faults.Fault{}
	}
	return g.M.site(g, kinds)
}

func (m *Machine) site(g *Goroutine, kinds faults.Kind) faults.Fault {
	if m.Parallel != nil {
		m.Parallel.Refuse(g, "a plan of faults")
	}
	n := g.Made.uses
	g.Made.uses++
	if kinds &= m.Faults.Kinds; kinds != 0 {
		m.sites.Add(Site{g.ID, n, kinds})
	}
	for i := range m.Faults.Plan {
		if f := &m.Faults.Plan[i]; f.N == n && f.Of(m.Path(g)) {
			return *f
		}
	}
	return faults.Fault{}
}
