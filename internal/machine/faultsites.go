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

// mostSites is how many sites of an execution are kept.
const mostSites = 1 << 14

// sites are the sites of an execution. In a long one only some are kept, evenly spread.
type sites struct {
	list   []Site
	seen   int
	stride int
}

func (s *sites) reset() { s.list, s.seen, s.stride = s.list[:0], 0, 1 }

func (s *sites) add(x Site) {
	if s.seen++; (s.seen-1)%s.stride != 0 {
		return
	}
	if len(s.list) == mostSites {
		keep := s.list[:0]
		for i := 0; i < len(s.list); i += 2 {
			keep = append(keep, s.list[i])
		}
		s.list = keep
		s.stride *= 2
	}
	s.list = append(s.list, x)
}

// Sites returns the sites of the execution, and whether these are all. They are valid until the
// next execution begins.
func (m *Machine) Sites() (list []Site, all bool) { return m.sites.list, m.sites.stride <= 1 }

// Site is called when g is about to use a socket. Kinds are the faults that make a difference
// there. It returns the fault that comes first, by the plan; its kind is 0 if there is none. The
// number of uses of each goroutine does not depend on kinds.
func (g *Goroutine) Site(kinds faults.Kind) faults.Fault { return g.site(&g.Made.uses, 0, kinds) }

// FileSite is Site for a use of a file, and StopSite for a stop of a node: perform notes whether a
// fault makes a difference there.
func (g *Goroutine) FileSite(kinds faults.Kind) faults.Fault {
	return g.site(&g.Made.fileUses, faults.FileUses, kinds)
}

func (g *Goroutine) StopSite() faults.Fault { return g.site(&g.Made.stops, faults.Stops, 0) }

func (g *Goroutine) site(uses *int32, first int32, kinds faults.Kind) faults.Fault {
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
	n := first + *uses
	*uses++
	if kinds &= m.Faults.Kinds; kinds != 0 {
		m.sites.add(Site{g.ID, n, kinds})
	}
	for i := range m.Faults.Plan {
		if f := &m.Faults.Plan[i]; f.N == n && f.Of(m.Path(g)) {
			return *f
		}
	}
	return faults.Fault{}
}
