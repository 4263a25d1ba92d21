package sched

import (
	"slices"
	"strconv"

	"github.com/gopor/gopor/sched/trace"
)

// nameOf returns how reports call g: "main", "g1", the second child of g1
// "g1.2", a timer "timer 1".
func (m *Machine) nameOf(g *goroutine) string {
	switch {
	case g.id == mainID:
		return "main"
	case g.id == clockID:
		return "clock"
	case g.parent == nil:
		return "g?" + strconv.Itoa(int(g.id))
	}
	name := "g"
	switch {
	case g.place < 0:
		name = "cancel "
	case g.pseudo:
		name = "timer "
	}
	for i, place := range m.path(g) {
		if i > 0 {
			name += "."
		}
		if place < 0 {
			place = firstAgent - place
		}
		name += strconv.Itoa(int(place) + 1)
	}
	return name
}

// firstAgent is the place in a path of the agent that cancels the first context
// that a goroutine has made; those of the others are below that.
const firstAgent = -2

// agentOf returns the goroutine that cancels the number-th context that g has made.
func (m *Machine) agentOf(g *goroutine, number int) *goroutine {
	for number >= len(g.agents) {
		a := m.goroutineOf(trace.ID(len(m.gs)))
		a.parent, a.place = g, int32(firstAgent-len(g.agents))
		g.agents = append(g.agents, a.id)
	}
	return m.gs[g.agents[number]]
}

// path returns g's place among its parent's children, after its parent's path.
// Main has the empty path, the clock the path -1. Places from firstAgent down are
// those of agents.
func (m *Machine) path(g *goroutine) []int32 {
	if g.id == mainID {
		return nil
	}
	if g.id == clockID {
		return []int32{-1}
	}
	return append(m.path(g.parent), g.place)
}

// lookup returns the goroutine of that path, naming it if it is new.
func (m *Machine) lookup(path []int32) *goroutine {
	g := m.gs[mainID]
	for _, place := range path {
		switch {
		case place == -1:
			return m.clock
		case place <= firstAgent:
			return m.agentOf(g, int(firstAgent-place))
		}
		for int(place) >= len(g.kids) {
			kid := m.goroutineOf(trace.ID(len(m.gs)))
			kid.parent, kid.place = g, int32(len(g.kids))
			g.kids = append(g.kids, kid.id)
		}
		g = m.gs[g.kids[place]]
	}
	return g
}

// doing says in words what g does between events.
func (m *Machine) doing(g *goroutine) string {
	switch g.state {
	case stateUnborn:
		return "does not exist"
	case stateEnded:
		return "has ended"
	case stateReady:
		return "is about to " + g.op.Kind.String()
	case stateYielding:
		return "lets the others go first"
	case stateWaiting:
		return m.waitsFor(g)
	}
	return "runs"
}

// waitsFor says what g waits for, and because of whom.
func (m *Machine) waitsFor(g *goroutine) string {
	switch g.op.Kind {
	case trace.OpJoin:
		return "waits for the end of " + m.nameOf(m.gs[g.req.arg])
	case trace.OpSleep:
		return "sleeps"
	case trace.OpSelect:
		if len(g.req.cases) == 0 {
			return "waits in a select without cases"
		}
		return "waits in a select" + m.casesOf(g)
	}
	if g.req.obj == nil {
		return "waits for ever"
	}
	text := "waits in " + g.op.Kind.String() + " of " + m.labelOf(g.req.obj)
	if why := g.req.obj.blame(m); why != "" {
		text += ", " + why
	}
	return text
}

// outsiders adds to lines, once for each, the channels that g waits for and that
// are known outside of the execution.
func (m *Machine) outsiders(g *goroutine, lines []string) []string {
	add := func(c *chanState) {
		if c == nil || c.outside == "" {
			return
		}
		line := m.labelOf(c) + " " + c.outside + " outside of the execution: a goroutine or timer that is not under control may be what is waited for"
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if g.op.Kind == trace.OpSelect {
		for i := range g.req.cases {
			add(g.req.cases[i].ch)
		}
	} else if c, ok := g.req.obj.(*chanState); ok {
		add(c)
	}
	return lines
}

// labelOf returns what reports call an object.
func (m *Machine) labelOf(o object) string {
	if m.label != nil {
		return m.label(o)
	}
	return o.kind() + " #" + strconv.Itoa(int(o.head().id))
}

// casesOf lists what the select that g waits in waits for.
func (m *Machine) casesOf(g *goroutine) string {
	text, sep := "", " for "
	for i := range g.req.cases {
		k := &g.req.cases[i]
		if k.ch == nil {
			continue
		}
		verb := "receive from "
		if k.send {
			verb = "send on "
		}
		text += sep + verb + m.labelOf(k.ch)
		sep = ", "
	}
	if text == "" {
		return " of nil channels"
	}
	return text
}

// outsider stands for whoever has locked something before the execution began.
// It is the clock, which locks nothing.
const outsider = clockID

// holder names who holds a lock.
func (m *Machine) holder(id trace.ID) string {
	if id == outsider {
		return "somebody since before the execution began"
	}
	return m.nameOf(m.gs[id])
}
