package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/internal/unreached"
	"github.com/gopor/gopor/sched/trace"
)

// This file keeps small accesses: those of a word (eight aligned bytes) in four cells, sixteen
// bytes beside it. Where they are follows from the address. So an access that was seen before is
// recognised by reading one shadowCell, without a search.
//
// The layout is that of ThreadSanitizer, version 3, which throws an access away where there is no
// room for another. Here none is lost: a word that needs more is spilled to a list.
//
// An access that a cell covers needs no work. The cell was written by the same goroutine, which has
// published nothing since: its epoch would be another one. So every clock that knows one of the two
// accesses knows both, and what would race with the later one races with the cell. That is the rule
// "same epoch" of Flanagan and Freund, "FastTrack" (PLDI 2009). It holds for as long as the epoch
// lasts, even if another access has taken the place of the one in the cell. That access covers the
// earlier one, and comes after it. So it is one of the same goroutine: another goroutine's would
// know the epoch as published.

// late stands for the number of an epoch that has none, since there are too many.
const late = -1

// pageCells has the cells of the words of a page.
type pageCells [pageSize / 8]shadowCells

func (all *pageCells) of(p unsafe.Pointer) *shadowCells { return &all[uintptr(p)%pageSize/8] }

// epoch is a goroutine at a time of its clock, at a position if that is known.
type epoch struct {
	g    trace.ID
	time int32
	site int32
}

// nearPages is how many pages are found without a look into the table.
const nearPages = 256

type nearPage struct {
	at    uintptr // 0 if there is none
	cells *pageCells
	page  *page
}

// cellTable has what belongs to the cells of all pages.
type cellTable struct {
	near    [nearPages]nearPage
	epochs  []epoch // by their numbers; the first has none
	limit   int32   // how many there may be
	spilled []word
	slab    []stamp // room for the stamps of spilled words

	scratch word // what cells say, as lists
	lists   [3][len(shadowCells{}) + 1]stamp
}

// nearAt returns where the page of p is if it is near.
func (t *cellTable) nearAt(p unsafe.Pointer) *nearPage {
	return &t.near[uintptr(p)/pageSize%nearPages]
}

// knows reports whether a cell of the word at p is that access. A cell of an epoch is of this
// execution, whatever is near; of no epoch, which is 0, there is none.
func (t *cellTable) knows(p unsafe.Pointer, now shadowCell) bool {
	page := t.nearAt(p)
	if page.at != pageOf(p) {
		return false
	}
	c := page.cells.of(p)
	return c[0] == now || c[1] == now || c[2] == now || c[3] == now
}

// again reports whether it is known already that a goroutine accesses these bytes in that epoch, or
// does what covers that. Most accesses are such, so this one is quick. It leaves alone what is in
// several words.
func (t *cellTable) again(epoch int32, p unsafe.Pointer, size uintptr, kind accessKind) bool {
	off := uintptr(p) & 7
	if epoch == 0 || off+size > 8 {
		return false
	}
	page := t.nearAt(p)
	if page.at != pageOf(p) {
		return false
	}
	c, now := page.cells.of(p), cells.New(epoch, kind, 0xff>>(8-size)<<off)
	return c[0] == now || c[1] == now || c[2] == now || c[3] == now || c.Covers(now)
}

// turn begins an execution.
func (t *cellTable) turn() {
	t.epochs, t.spilled = append(t.epochs[:0], epoch{}), t.spilled[:0]
	if t.limit == 0 {
		t.limit = cells.EpochLimit
	}
}

// enter gives the access now, by g, the number of its epoch, or late if there are too many.
func (t *cellTable) enter(g *Goroutine, now *stamp) {
	if e := g.view.epoch; e != 0 && t.epochs[e].site == now.site {
		now.epoch = e
		return
	}
	if now.epoch = late; len(t.epochs) < int(t.limit) {
		now.epoch = int32(len(t.epochs))
		t.epochs = append(room.ForOne(t.epochs), epoch{now.g, now.time, now.site})
		g.view.epoch = now.epoch
	}
}

// read returns what cells say, as lists. These are valid until the next call.
func (t *cellTable) read(c *shadowCells) *word {
	if c[0]&cells.Spilled != 0 {
		return &t.spilled[c[0]&^cells.Spilled]
	}
	w := &t.scratch
	w.reads, w.writes, w.atomics = t.lists[0][:0], t.lists[1][:0], t.lists[2][:0]
	for _, x := range c {
		if x == 0 {
			break
		}
		e := &t.epochs[x>>cells.EpochShift]
		a := stamp{g: e.g, time: e.time, site: e.site, epoch: int32(x >> cells.EpochShift), kind: x.Kind(), mask: uint8(x)}
		list := w.of(a.kind)
		*list = append(*list, a)
	}
	return w
}

// write sets cells to what w says, which was read from them.
func (t *cellTable) write(c *shadowCells, w *word) {
	if c[0]&cells.Spilled != 0 {
		return
	}
	n := 0
	for _, list := range [...][]stamp{w.writes, w.reads, w.atomics} {
		for i := range list {
			a := &list[i]
			if n == len(c) || a.epoch == late {
				*c = shadowCells{cells.Spilled | shadowCell(t.spill(w))}
				return
			}
			c[n] = cells.New(a.epoch, a.kind, a.mask)
			n++
		}
	}
	clear(c[n:])
}

// spill keeps what w says in a list, and returns its place there.
func (t *cellTable) spill(w *word) int {
	n := len(t.spilled)
	if n < cap(t.spilled) {
		t.spilled = t.spilled[:n+1]
	} else {
		t.spilled = append(t.spilled, word{})
	}
	to := &t.spilled[n]
	to.reads = append(t.room(to.reads, len(w.reads)), w.reads...)
	to.writes = append(t.room(to.writes, len(w.writes)), w.writes...)
	to.atomics = append(t.room(to.atomics, len(w.atomics)), w.atomics...)
	return n
}

// noteLatest notes the access now as one of the latest of a word that is spilled.
func noteLatest(c *shadowCells, now *stamp) {
	if c[0]&cells.Spilled != 0 && now.epoch != late {
		c[1], c[2], c[3] = cells.New(now.epoch, now.kind, now.mask), c[1], c[2]
	}
}

// replace adds an access to a word in place of those that it covers, as what follows in record does
// with lists. It leaves the word alone if there is a race, or if there is no room.
func (s *shadowMemory) replace(g *Goroutine, c *shadowCells, now *stamp) (there, fits bool) {
	var left shadowCells
	n, mm, known := 0, g.M.Memory.Races, g.M.Memory.Races.clocks.Reader(g.view.clock)
	for _, x := range c {
		if x == 0 {
			break
		}
		e, kind := &s.epochs[x>>cells.EpochShift], x.Kind()
		if e.g == now.g && e.time == now.time && now.mask&^uint8(x) == 0 && kind.Covers(now.kind) {
			return true, true
		}
		switch {
		case mm.m.Memory.Lines.taken && mm.exposes(g, e.g, e.time):
			return false, false
		case e.g != g.ID && known.At(int32(e.g)) <= e.time:
			if uint8(x)&now.mask != 0 && kind.Conflicts(now.kind) {
				return false, false
			}
		case now.kind.Covers(kind):
			x &^= shadowCell(now.mask)
		}
		if uint8(x) != 0 {
			left[n] = x
			n++
		}
	}
	if n == len(left) {
		return false, false
	}
	left[n] = cells.New(now.epoch, now.kind, now.mask)
	*c = left
	return false, true
}

// record adds the access now of the word at p. It reports false if the access is known.
func (s *shadowMemory) record(g *Goroutine, p unsafe.Pointer, pg *page, now *stamp, r *racing) bool {
	c := pg.cells.of(p)
	if c[0] == 0 {
		s.kept += pg.keepAlive(p)
		if now.epoch != late {
			c[0] = cells.New(now.epoch, now.kind, now.mask)
			return true
		}
	}
	if cell := cells.New(now.epoch, now.kind, now.mask); now.epoch != late && c.Covers(cell) {
		return false
	} else if now.epoch != late && c.Extend(cell) {
		return true
	} else if now.epoch != late && c[0]&cells.Spilled == 0 {
		if there, fits := s.replace(g, c, now); fits {
			return !there
		}
	}
	w := s.read(c)
	if known := w.holds(now.g, now.time, now.mask, now.kind); known {
		noteLatest(c, now)
		return false
	}
	now.race(g, w, r)
	now.forget(g, w)
	list := w.of(now.kind)
	*list = append(*list, *now)
	s.write(c, w)
	noteLatest(c, now)
	return true
}

// keepAlive keeps the object that p points into for as long as the execution lasts, so that its
// memory is not used for something else. What is in no object of the heap is not freed. The result
// is for how many objects that counts: 0 if the object is known.
func (pg *page) keepAlive(p unsafe.Pointer) int {
	pg.used |= lineOf(uintptr(p))
	base := unreached.Base(p)
	if base == 0 {
		return 0
	}
	object := unsafe.Add(p, -int(uintptr(p)-base))
	if n := len(pg.objects); n > 0 && pg.objects[n-1] == object {
		return 0
	}
	pg.objects = append(pg.objects, object)
	if len(pg.objects) == 1 {
		return pageObjects
	}
	return 1
}
