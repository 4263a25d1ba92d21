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

// Site is a use at which a fault may come: the one with number N of goroutine G. Package faults
// says what numbers there are.
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
func (g *Goroutine) Site(kinds faults.Kind) faults.Fault { return g.site(0, kinds) }

// FileSite is Site for a use of a file, and StopSite for a stop of a node: perform notes whether a
// fault makes a difference there.
func (g *Goroutine) FileSite(kinds faults.Kind) faults.Fault {
	return g.site(faults.FileUses, kinds)
}

func (g *Goroutine) StopSite() faults.Fault { return g.site(faults.Stops, 0) }

func (g *Goroutine) site(first int32, kinds faults.Kind) faults.Fault {
	m := g.M
	if m.Faults.Kinds == 0 && len(m.Faults.Plan) == 0 {
		return faults.Fault{}
	}
	if m.Parallel != nil {
		m.Parallel.Refuse(g, "a plan of faults")
	}
	if first == faults.FileUses && m.Keys != nil {
		m.Keys.lacks("what was written to a file and not synced")
	}
	uses := &g.waiting().uses
	switch first {
	case faults.FileUses:
		uses = &g.Waits.fileUses
	case faults.Stops:
		uses = &g.Waits.stops
	}
	n := first + *uses
	*uses++
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
