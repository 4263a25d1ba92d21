package machine

import "slices"

// An execution may have parts, such as the subtests of a test, that a search is to explore one at a
// time. While a search explores one part, the events of the others come in one order. Each comes
// after all that has happened, and has one alternative. So no engine finds anything there to do
// otherwise.

// parts are those of the executions of a Machine.
type parts struct {
	names []string // in the order of their first use; the first is for what belongs to no other
	phase int32    // the part that what was started outside of parts belongs to
	focus int32    // the part that is explored, and 1; 0 for all
}

// Parts returns the names of the parts met in executions so far. The first one, "", is
// what belongs to no other.
func (m *Machine) Parts() []string {
	if len(m.parts.names) == 0 {
		return []string{""}
	}
	return m.parts.names
}

// Focus lets executions be explored in one part only, or in all if part is negative. It
// is for the time between executions.
func (m *Machine) Focus(part int) { m.parts.focus = int32(max(part, -1) + 1) }

// partNamed returns the part of that name.
func (m *Machine) partNamed(name string) int32 {
	i := slices.Index(m.Parts(), name)
	if i < 0 {
		m.parts.names = append(m.Parts(), name)
		i = len(m.parts.names) - 1
	}
	return int32(i)
}

// Phase lets those goroutines belong to a part, until the phase changes again, that belong
// to none by their start. It returns the part that they have belonged to.
func (m *Machine) Phase(name string) (before string) {
	before = m.Parts()[m.parts.phase]
	m.parts.phase = m.partNamed(name)
	return before
}

// Join makes g, and the goroutines that it will start, belong to a part.
func (g *Goroutine) Join(name string) { g.Origin.part = g.M.partNamed(name) }

// partOf returns the part that g belongs to.
func (m *Machine) partOf(g *Goroutine) int32 {
	if g != nil && g.Origin.part != 0 {
		return g.Origin.part
	}
	return m.parts.phase
}

// apart reports whether g belongs to a part that is not explored.
func (m *Machine) apart(g *Goroutine) bool {
	return m.parts.focus != 0 && m.partOf(g) != m.parts.focus-1
}

// Others reports whether the execution has, or had, goroutines besides main.
func (m *Machine) Others() bool { return m.Goroutines[MainID].Made.Children > 0 }

// inTurn returns which of n alternatives is number alt of a select or choice. Where states are told
// apart they keep their places, since states would have to tell of habits.
func (g *Goroutine) inTurn(alt, n int32) int32 {
	if n < 2 || g.M.Keyed {
		return alt
	}
	return g.loops().habit.InTurn(alt, n)
}
