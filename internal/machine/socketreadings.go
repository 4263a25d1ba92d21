package machine

// readings says how many pieces of a way are gone for certain when a goroutine reads from it. Which
// piece a Read gets is not known when it is made: Reads of other goroutines may wait before it, and
// a Read takes a piece whole or in part. So only those Reads count here that the goroutine has made
// itself, or that a goroutine has made before it started this one. Then the number follows from
// what happens before the Read, and no event of another goroutine changes it.
type readings struct {
	ring    [16]reader // the latest Reads
	n       int        // of all Reads
	emptied int32      // pieces of which nothing is left
}

// reader is a Read.
type reader struct {
	g       *Goroutine
	ev      int32
	emptied int32 // pieces of which it is known that it has left nothing, or earlier Reads
}

// taken returns how many pieces are gone when g reads.
func (r *readings) taken(g *Goroutine) int32 {
	for i := r.n - 1; i >= max(0, r.n-len(r.ring)); i-- {
		if read := &r.ring[i%len(r.ring)]; g.knowsOf(read.g, read.ev) {
			return read.emptied
		}
	}
	return 0
}

// knowsOf reports whether g is by, or was started by it after event ev, or by a goroutine that was.
func (g *Goroutine) knowsOf(by *Goroutine, ev int32) bool {
	for upTo := ev; ; upTo, g = g.Origin.since, g.Origin.parent {
		if g == by {
			return ev <= upTo
		}
		if g.Origin.parent == nil {
			return false
		}
	}
}

// add notes that g reads.
func (r *readings) add(g *Goroutine) {
	r.ring[r.n%len(r.ring)] = reader{g, g.M.current(), r.taken(g)}
	r.n++
}

// took notes what is gone when a Read of g has got something, which is the latest one of g.
func (r *readings) took(g *Goroutine) {
	for i := r.n - 1; i >= max(0, r.n-len(r.ring)); i-- {
		if read := &r.ring[i%len(r.ring)]; read.g == g {
			read.emptied = r.emptied
			return
		}
	}
}
