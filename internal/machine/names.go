package machine

import (
	"slices"
	"strconv"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/trace"
)

// NameOf returns how reports call g: "main", "g1", the second child of g1
// "g1.2", a timer "timer 1".
func (m *Machine) NameOf(g *Goroutine) string {
	switch {
	case g.ID == MainID:
		return "main"
	case g.ID == clockID:
		return "clock"
	case g.Origin.parent == nil:
		return "g?" + strconv.Itoa(int(g.ID))
	}
	name := "g"
	switch {
	case g.Origin.place < 0:
		name = "cancel "
	case g.Pseudo:
		name = "timer "
	}
	for i, place := range m.Path(g) {
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
func (m *Machine) agentOf(g *Goroutine, number int) *Goroutine {
	for number >= len(g.Waits.agentIDs) {
		a := m.goroutineOf(trace.ID(len(m.Goroutines)))
		w := g.waiting()
		a.Origin.parent, a.Origin.place = g, int32(firstAgent-len(w.agentIDs))
		w.agentIDs = append(w.agentIDs, a.ID)
	}
	return m.Goroutines[g.Waits.agentIDs[number]]
}

// Path returns g's place among its parent's children, after its parent's path.
// Main has the empty path, the clock the path -1. Places from firstAgent down are
// those of agents.
func (m *Machine) Path(g *Goroutine) []int32 {
	if g.ID == MainID {
		return nil
	}
	if g.ID == clockID {
		return []int32{-1}
	}
	return append(m.Path(g.Origin.parent), g.Origin.place)
}

// Less reports whether g's path comes before h's.
func (m *Machine) Less(g, h *Goroutine) bool {
	if m.orderly() {
		return g.ID < h.ID
	}
	return m.comparePaths(g, h) < 0
}

// comparePaths is slices.Compare of paths, which it does not make.
func (m *Machine) comparePaths(g, h *Goroutine) int {
	deeper := m.depth(g) - m.depth(h)
	for range deeper {
		g = m.above(g)
	}
	for range -deeper {
		h = m.above(h)
	}
	if g == h {
		return deeper
	}
	for m.above(g) != m.above(h) {
		g, h = m.above(g), m.above(h)
	}
	return int(g.Origin.place) - int(h.Origin.place)
}

// above returns the goroutine with the path of g but for its last place.
func (m *Machine) above(g *Goroutine) *Goroutine {
	if g.Origin.parent != nil {
		return g.Origin.parent
	}
	return m.Goroutines[MainID]
}

func (m *Machine) depth(g *Goroutine) (n int) {
	for ; g.ID != MainID; g = m.above(g) {
		n++
	}
	return n
}

// orderly reports whether all goroutines have numbers in the order of their paths, as they do where
// each starts its own before another one starts any.
func (m *Machine) orderly() bool {
	for ; m.paths.sorted < len(m.Goroutines) && !m.paths.disorder; m.paths.sorted++ {
		n := m.paths.sorted
		m.paths.disorder = n > 0 && m.comparePaths(m.Goroutines[n-1], m.Goroutines[n]) > 0
	}
	return !m.paths.disorder
}

// Lowest returns the goroutine of the lowest path among those of the operations, nil if there are
// none.
func (m *Machine) Lowest(ops []*trace.Op) (lowest *Goroutine) {
	for _, op := range ops {
		if g := m.Goroutines[op.G]; lowest == nil || m.Less(g, lowest) {
			lowest = g
		}
		if m.orderly() {
			break // operations are in the order of numbers
		}
	}
	return lowest
}

// Latest returns the goroutine that has moved last among those of the operations, nil if none has
// moved.
func (m *Machine) Latest(ops []*trace.Op) (latest *Goroutine) {
	last := int32(-1)
	for _, op := range ops {
		if g := m.Goroutines[op.G]; g.last > last {
			last, latest = g.last, g
		}
	}
	return latest
}

// Lookup returns the goroutine of that path, naming it if it is new.
func (m *Machine) Lookup(path []int32) *Goroutine {
	g := m.Goroutines[MainID]
	for _, place := range path {
		switch {
		case place == -1:
			return m.Clock.G
		case place <= firstAgent:
			return m.agentOf(g, int(firstAgent-place))
		}
		for int(place) >= len(g.Made.childIDs) {
			kid := m.goroutineOf(trace.ID(len(m.Goroutines)))
			kid.Origin.parent, kid.Origin.place = g, int32(len(g.Made.childIDs))
			g.Made.childIDs = append(g.Made.childIDs, kid.ID)
		}
		g = m.Goroutines[g.Made.childIDs[place]]
	}
	return g
}

// Doing says in words what g does between events.
func (m *Machine) Doing(g *Goroutine) string {
	switch g.State {
	case StateUnborn:
		return "does not exist"
	case StateEnded:
		return "has ended"
	case stateDead:
		return "has stopped with its node"
	case stateReady:
		return "is about to " + g.Op.Kind.String()
	case stateHeld:
		return "begins after " + m.NameOf(g.line.ahead)
	case stateYielding:
		return "lets the others go first"
	case StateWaiting:
		w := m.WaitOf(g)
		return w.Text()
	}
	return "runs"
}

// WaitOf returns what g does, which has not ended, as failures say it.
func (m *Machine) WaitOf(g *Goroutine) trace.Wait {
	w := trace.Wait{G: g.ID, Name: m.NameOf(g), Op: g.Op.Kind, At: PositionOf(g.Op.PC)}
	if g.State != StateWaiting {
		w.Otherwise = m.Doing(g)
		return w
	}
	w.Polls = g.loop.poll.waits || g.loop.turns.waits
	if g.Req.Obj != nil && g.Op.Kind != trace.OpSelect {
		w.Object = m.labelOf(g.Req.Obj)
	}
	if nilChannel, op := g.OnNil(); nilChannel && !w.Polls {
		w.Nil, w.Op = true, op
		return w
	}
	switch {
	case g.Op.Kind == trace.OpSelect:
		w.All, w.Cases = len(g.Req.Cases), m.casesOf(g)
	case g.Op.Kind == trace.OpJoin:
		w.Of = m.NameOf(m.Goroutines[g.Req.Arg])
	case w.Object != "" && !w.Polls:
		w.Why = g.Req.Obj.blame(m)
	}
	return w
}

// PositionOf returns the line of the call at pc; zero if that is zero.
func PositionOf(pc uintptr) (p trace.Position) {
	if pc != 0 {
		p.File, p.Line, p.Func = format.Place(pc)
	}
	return p
}

// Outsiders adds to list, once for each, the channels that g waits for and that are known outside
// of the execution.
func (m *Machine) Outsiders(g *Goroutine, list []trace.Outside) []trace.Outside {
	add := func(c *ChanState) {
		if c == nil || c.Outside == "" && !c.OutsideTimer {
			return
		}
		o := trace.Outside{Object: m.labelOf(c), Timer: c.OutsideTimer}
		if !o.Timer {
			o.How = c.Outside
		}
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if g.Op.Kind == trace.OpSelect {
		for i := range g.Req.Cases {
			add(g.Req.Cases[i].Ch)
		}
	} else if c, ok := g.Req.Obj.(*ChanState); ok {
		add(c)
	}
	return list
}

// labelOf returns what reports call an object.
func (m *Machine) labelOf(o Object) string {
	if label := m.Exec.Label(o); label != "" {
		return label
	}
	return o.Kind() + " #" + strconv.Itoa(int(o.Head().ID))
}

// casesOf returns the cases of the select that g waits in, without those of nil channels.
func (m *Machine) casesOf(g *Goroutine) (cases []trace.Case) {
	for i := range g.Req.Cases {
		if k := &g.Req.Cases[i]; k.Ch != nil {
			cases = append(cases, trace.Case{Send: k.Send, Object: m.labelOf(k.Ch)})
		}
	}
	return cases
}

// Outsider stands for the owner of a lock that was locked before the execution began. It is the
// clock, which locks nothing.
const Outsider = clockID

// holder says which goroutine holds a lock.
func (m *Machine) holder(o Object, id trace.ID) string {
	if id == Outsider && o.Head().copied {
		return "no goroutine: it is a copy of one that was locked"
	}
	if id == Outsider {
		return "code that ran before the execution"
	}
	return m.NameOf(m.Goroutines[id])
}
