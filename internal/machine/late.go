package machine

// Named returns how many objects of the execution have their numbers from their first use.
func (m *Machine) Named() int { return m.Store.named }

// Silent reports whether g, which has come to the machine once and made its first request, has done nothing besides, and
// the request is to an object that had its number when so many had one. If g begins later, the execution is the same then,
// as long as its first request is.
func (g *Goroutine) Silent(named int) bool {
	if g.Nobj > 0 || g.Nagents > 0 || len(g.M.parts.names) > 1 {
		return false
	}
	o := g.Req.Obj
	if o == nil {
		return false
	}
	if _, isMemory := o.(*Block); isMemory {
		for _, x := range g.Req.Mem.pieces {
			if !hadNumber(x.Id, named) {
				return false
			}
		}
		return true
	}
	return hadNumber(o.Head().Id, named)
}

// hadNumber reports whether the object of that number had it when so many had one, or is not numbered by its first use.
func hadNumber(id int32, named int) bool { return id&1 == 0 || id < int32(2*named+1) }
