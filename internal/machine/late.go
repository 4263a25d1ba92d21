package machine

import "github.com/gopor/gopor/sched/trace"

// Named returns how many objects of the execution have their numbers from their first use.
func (m *Machine) Named() int { return m.Store.named }

// named reports whether others may just have used what the goroutine that runs believed to be the
// first to use, since they were let begin. Memory may be a part of what one of them uses, or have
// more parts than one.
func (m *Machine) named(whole bool) bool {
	if m.Numbers.Kept == 0 {
		return false
	}
	m.Exec.Naming(whole)
	return m.Numbers.Given == 0
}

// NextNumber returns the number of the next object that gets one from its first use.
func (m *Machine) NextNumber() int32 { return int32(2*m.Store.named + 1) }

// Reserve sets the next number aside and returns it.
func (m *Machine) Reserve() int32 {
	id := m.NextNumber()
	m.Store.named++
	return id
}

// Uses reports whether g has made its first request, to the object of that number and no other, and
// nothing else.
func (g *Goroutine) Uses(number int32) bool {
	if g.Req.Obj == nil || g.Op.Kind == trace.OpTransfer || !g.plain() {
		return false
	}
	if _, isMemory := g.Req.Obj.(*Block); isMemory {
		p := g.Req.Mem.pieces
		return len(p) == 1 && p[0].ID == number
	}
	return g.Req.Obj.Head().ID == number
}

// plain reports whether g has made no objects, and the part that it belongs to does not matter.
func (g *Goroutine) plain() bool {
	return g.Made.Objects == 0 && g.Made.Agents == 0 && len(g.M.parts.names) <= 1
}

// IsFirst reports whether g's request is to one object only, and is the first use of that object.
// No other object may have got a number since named objects had theirs.
func (g *Goroutine) IsFirst(named int) bool {
	return g.M.Store.named == named+1 && g.Uses(int32(2*named+1))
}

// Silent is for g that has come to the machine once and made its first request. It reports whether
// g has done nothing besides, and the request is to an object that had its number when that many
// had one. If g begins later, the execution is the same then, as long as its first request is.
func (g *Goroutine) Silent(named int) bool {
	o := g.Req.Obj
	if o == nil || !g.plain() {
		return false
	}
	if _, isMemory := o.(*Block); isMemory {
		for _, x := range g.Req.Mem.pieces {
			if !hadNumber(x.ID, named) {
				return false
			}
		}
		return true
	}
	if g.Op.Kind == trace.OpTransfer && !hadNumber(g.Req.From.ID, named) {
		return false
	}
	return hadNumber(o.Head().ID, named)
}

// hadNumber reports whether the object of that number had it when so many had one, or is not
// numbered by its first use.
func hadNumber(id int32, named int) bool { return id&1 == 0 || id < int32(2*named+1) }
