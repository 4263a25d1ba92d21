package search

import (
	"math/bits"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// plan is what is known of a section: its events, in the order in which they were performed the
// first time.
type plan struct {
	Section
	start   int // where it begins
	events  []planned
	members []member
	// Objects below this number mean the same in all executions that come to the start.
	known int32
	after SleepSet
	slept uint64 // members that slept at the start, by their first event
	order []int32
}

// planned is an event of a section.
type planned struct {
	Performed
	order []int32 // as in trace.Event: events before the section
	sure  bool    // it need not be compared with the operation that is pending
}

// member is a goroutine that was enabled where a section begins.
type member struct {
	g     trace.ID
	last  int  // its latest event in the section, or -1
	left  int  // how many more events it may have there
	slept bool // it slept at the start
	bound bool // it has an event that depends on an event of another member
}

func (p *plan) member(g trace.ID) *member {
	for i := range p.members {
		if p.members[i].g == g {
			return &p.members[i]
		}
	}
	return nil
}

// has reports whether the section has events of g.
func (p *plan) has(g trace.ID) bool {
	m := p.member(g)
	return m != nil && m.last >= 0
}

// ordered reports whether order is that of the plan.
func (e *planned) ordered(order []int32) bool { return slices.Equal(e.order, order) }

// advance makes next the state after what is explored in st.
func (p *plan) advance(st, next *eagerStep) {
	next.start, next.known, next.scheduled, next.shown, next.done = st.start, p.known, true, false, 0
	next.place = p.After(st.place, st.done, st.pick)
	next.choices = p.Choices(next.place)
	next.pick = bits.TrailingZeros64(next.choices)
}

// open begins a section in state k, with c as its first choice.
func (s *eager) open(k int, ops []*trace.Op, c trace.Choice) {
	at := slices.IndexFunc(ops, func(op *trace.Op) bool { return op.G == c.G })
	if !s.plannable(ops[at]) {
		return
	}
	f, p := s.frames.Get(k), s.plans.At(k)
	p.Clear()
	p.start, p.events, p.members, p.slept, p.order = k, p.events[:0], p.members[:0], 0, p.order[:0]
	s.known = KnownBelow(s.known, ops)
	p.known = s.known
	quota := max(1, MaxSection/len(ops))
	for _, op := range ops {
		m := member{g: op.G, last: -1, left: quota, slept: f.sleep.Has(trace.Choice{G: op.G})}
		if op.Alts > 1 { // even if it has one alternative later: others of them may sleep
			m.left = 0 // also where it has fewer later: others of them may sleep
		}
		p.members = append(p.members, m)
	}
	if s.fits(p, &p.members[at], ops[at]) {
		s.planning = p
	}
}

// plannable reports whether an operation may be part of a section. It must have one
// alternative, and depend on its objects whatever precedes it.
func (s *eager) plannable(op *trace.Op) bool {
	if op.Alts > 1 || op.Footprint < trace.SteadyFootprint || len(s.branches.ops) > 0 && s.branches.ops[branch{op.G, op.Kind, unfit}] {
		return false
	}
	for _, a := range op.Accesses() {
		if a.Obj == trace.Everything || trace.Dependence.Masked(a.Mode) {
			return false
		}
	}
	return true
}

// extend returns the next choice for the section under construction: the goroutine that moved
// last if its part is not over, else the first enabled one that does not sleep. It returns
// false at the end of the section.
func (s *eager) extend(sleep SleepSet, ops []*trace.Op) (trace.Choice, bool) {
	p := s.planning
	mover := s.Mover()
	for _, op := range ops {
		if m := p.member(mover); op.G == mover && m != nil && s.fits(p, m, op) {
			return trace.Choice{G: mover}, true
		}
	}
	for _, op := range ops {
		if m := p.member(op.G); m != nil && !sleep.Has(trace.Choice{G: op.G}) && s.fits(p, m, op) {
			return trace.Choice{G: op.G}, true
		}
	}
	return trace.Choice{}, false
}

// fits adds an operation to the section under construction and reports whether it may be part
// of it. If not, no later operation of its goroutine is part of it either.
func (s *eager) fits(p *plan, m *member, op *trace.Op) bool {
	if m.left == 0 || p.Len() == MaxSection {
		return false
	}
	p.events = append(p.events, planned{})
	e := &p.events[len(p.events)-1]
	e.Choice, e.Alts, e.Kind, e.Footprint = trace.Choice{G: op.G}, op.Alts, op.Kind, op.Footprint
	e.Uses.Set(op.Accesses())
	e.sure = m.last < 0 && op.Footprint == trace.FixedFootprint
	if !s.plannable(op) || e.Uses.LazilyNumbered(p.known) {
		m.left = 0
		p.events = p.events[:len(p.events)-1]
		return false
	}
	var depend uint64
	for i := range p.events[:len(p.events)-1] {
		if x := &p.events[i]; x.G != e.G && s.Dependent(&x.Uses, &e.Uses) {
			depend |= 1 << i
		}
	}
	if s.Short && !p.short(m, depend) {
		m.left = 0
		p.events = p.events[:len(p.events)-1]
		return false
	}
	i := p.Add(m.last, depend)
	if m.slept && m.last < 0 {
		p.slept |= 1 << i
	}
	m.last = i
	m.left--
	if s.branches.has(e) {
		m.left = 0
	}
	return true
}

// short reports whether the section stays a short one when it gets an event of m on which
// others depend.
func (p *plan) short(m *member, depend uint64) bool {
	if depend == 0 {
		return true
	}
	if m.bound {
		return false
	}
	for d := depend; d != 0; d &= d - 1 {
		i := bits.TrailingZeros64(d)
		if x := p.member(p.events[i].G); x.bound && p.depend[i] == 0 || d&(d-1) != 0 && p.rest[i]&(d&(d-1)) != 0 {
			return false
		}
	}
	m.bound = true
	for d := depend; d != 0; d &= d - 1 {
		p.member(p.events[bits.TrailingZeros64(d)].G).bound = true
	}
	return true
}

// confirm reports whether the latest event of the section, which was performed, is part of it,
// and removes it if not. An event is not part of a section if its Order names an event of
// another goroutine in that section.
func (p *plan) confirm(ev *trace.Event) bool {
	e := &p.events[len(p.events)-1]
	for _, o := range ev.Order {
		if int(o) >= p.start {
			p.events = p.events[:len(p.events)-1]
			p.Remove()
			return false
		}
	}
	n := len(p.order)
	p.order = append(p.order, ev.Order...)
	e.order = p.order[n:len(p.order):len(p.order)]
	return true
}

// close ends the section under construction, if any, with the latest performed event. A section
// without dependent events has one trace; its states stay as they are, without a schedule.
func (s *eager) close() {
	p := s.planning
	if p == nil {
		return
	}
	s.planning = nil
	if p.start > 0 {
		s.pay.spend()
	}
	if p.Pairs() == 0 {
		for j := range p.events {
			s.steps.Get(p.start + j).start = p.start + j
		}
		return
	}
	n := p.Len()
	for j := range n {
		s.countPairs(j, j)
	}
	s.Stats.Unsatisfiable += 1<<min(p.Pairs(), 62) - 1
	p.after = append(p.after[:0], s.frames.Get(p.start+p.Len()).sleep...)
	st := s.steps.Get(p.start)
	st.start, st.scheduled, st.shown, st.done = p.start, true, false, 0
	st.place = p.Begin(p.slept)
	st.choices = p.Choices(st.place)
	st.pick = 0
	for j := 1; j < p.Len(); j++ {
		p.advance(s.steps.Get(p.start+j-1), s.steps.Get(p.start+j))
		if s.steps.Get(p.start+j).pick != j {
			panic("search: what was performed of a section is not its first solution")
		}
	}
}

// branches has the operations after which plans have failed.
type branches struct {
	ops   map[branch]bool
	kinds [256]uint8
}

type branch struct {
	g    trace.ID
	kind trace.Kind
	obj  int32
}

// unfit stands for the object in a branch that has operations of no section.
const unfit = -2

// failures is the number of branching operations of one kind from which on all operations of
// that kind count as branching.
const failures = 4

// straight has the kinds of operations with results that do not decide, in most programs, what
// the goroutine does next. After other kinds the goroutine may wait or branch on the result.
// With loads and swaps among them plans fail so often that branching(7) abandons 4,417
// executions instead of 1,675. Without them, no plan fails on any program of package paper.
const straight = 1<<trace.OpNone | 1<<trace.OpWrite | 1<<trace.OpUpdate | 1<<trace.OpTransfer |
	1<<trace.OpStore | 1<<trace.OpAdd | 1<<trace.OpAnd | 1<<trace.OpOr |
	1<<trace.OpUnlock | 1<<trace.OpRUnlock

func (b *branches) clear() {
	clear(b.ops)
	clear(b.kinds[:])
}

func branchOf(e *planned) branch {
	b := branch{g: e.G, kind: e.Kind, obj: -1}
	if e.Uses.n > 0 {
		b.obj = e.Uses.Access(0).Obj
	}
	return b
}

// has reports whether a goroutine's part of a section ends with e.
func (b *branches) has(e *planned) bool {
	return straight>>e.Kind&1 == 0 || b.kinds[e.Kind] >= failures || len(b.ops) > 0 && b.ops[branchOf(e)]
}

// blame notes that event i of p is not as planned. The operation of its goroutine before it
// becomes a branching one.
func (b *branches) blame(p *plan, i int) {
	if b.ops == nil {
		b.ops = make(map[branch]bool)
	}
	prev := p.prev[i]
	if prev < 0 {
		b.ops[branch{p.events[i].G, p.events[i].Kind, unfit}] = true
		return
	}
	e := &p.events[prev]
	b.ops[branchOf(e)] = true
	b.kinds[e.Kind]++
}

// purse tells an adaptive search whether sections pay. Making one costs about as much as two
// solutions save. Solutions fill the purse and sections empty it. The first section of an
// execution does not count, since a search has one only.
type purse struct {
	content int
	refused int
}

// The initial and the largest content of a purse, the cost of a section, the gain of a
// solution, and the number of sections that are refused before one is tried again.
const (
	purseBegin   = 64
	purseMost    = 256
	sectionPrice = 3
	solutionGain = 4
	refusals     = 64
)

func (p *purse) worth() bool {
	if p.content > 0 {
		return true
	}
	p.refused++
	return p.refused%refusals == 0
}

func (p *purse) spend() { p.content -= sectionPrice }
func (p *purse) earn()  { p.content = min(p.content+solutionGain, purseMost) }
