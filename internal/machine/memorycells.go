package machine

import (
	"unsafe"

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

// shadowCell is an access of a word: the bytes, the kind, the number of the epoch. No access is 0.
type shadowCell uint32

const (
	kindShift  = 8
	epochShift = 11
	epochLimit = 1 << 20 // numbers of epochs that a cell has room for
	spilled    = shadowCell(1 << 31)
	late       = -1 // what has no number, since there are too many
)

// shadowCells has the accesses of a word that a later one may race with. If there are too many, the
// first cell is the place in the list of spilled words, with a mark that no access has. The others
// are the latest accesses then.
type shadowCells [4]shadowCell

// pageCells has the cells of the words of a page.
type pageCells [pageSize / 8]shadowCells

func (all *pageCells) of(p unsafe.Pointer) *shadowCells { return &all[uintptr(p)%pageSize/8] }

// epoch is a goroutine at a time of its clock, at a position if that is known.
type epoch struct {
	g    trace.ID
	time int32
	site int32
}

func newCell(epoch int32, kind accessKind, mask uint8) shadowCell {
	return shadowCell(epoch)<<epochShift | shadowCell(kind)<<kindShift | shadowCell(mask)
}

func (c shadowCell) kind() accessKind {
	return accessKind(c >> kindShift & (1<<(epochShift-kindShift) - 1))
}

// covers reports whether x is an access of the same epoch that covers one.
func (x shadowCell) covers(now shadowCell) bool {
	return (x^now)>>epochShift == 0 && uint8(now)&^uint8(x) == 0 && x.kind().covers(now.kind())
}

// covers reports whether one of the cells covers an access of the same epoch.
func (c *shadowCells) covers(now shadowCell) bool {
	return c[0].covers(now) || c[1].covers(now) || c[2].covers(now) || c[3].covers(now)
}

// nearPages is how many pages are found without a look into the table.
const nearPages = 256

type nearPage struct {
	at    uintptr // 0 if there is none
	cells *pageCells
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
	c, now := page.cells.of(p), newCell(epoch, kind, 0xff>>(8-size)<<off)
	return c[0] == now || c[1] == now || c[2] == now || c[3] == now || c.covers(now)
}

// turn begins an execution.
func (t *cellTable) turn() {
	t.epochs, t.spilled = append(t.epochs[:0], epoch{}), t.spilled[:0]
	if t.limit == 0 {
		t.limit = epochLimit
	}
}

// enter gives the access now, which is by g, the number of its epoch. Where there are too many
// epochs it is late.
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
	if c[0]&spilled != 0 {
		return &t.spilled[c[0]&^spilled]
	}
	w := &t.scratch
	w.reads, w.writes, w.atomics = t.lists[0][:0], t.lists[1][:0], t.lists[2][:0]
	for _, x := range c {
		if x == 0 {
			break
		}
		e := &t.epochs[x>>epochShift]
		a := stamp{g: e.g, time: e.time, site: e.site, epoch: int32(x >> epochShift), kind: x.kind(), mask: uint8(x)}
		list := w.of(a.kind)
		*list = append(*list, a)
	}
	return w
}

// write sets cells to what w says, which was read from them.
func (t *cellTable) write(c *shadowCells, w *word) {
	if c[0]&spilled != 0 {
		return
	}
	n := 0
	for _, list := range [...][]stamp{w.writes, w.reads, w.atomics} {
		for i := range list {
			a := &list[i]
			if n == len(c) || a.epoch == late {
				*c = shadowCells{spilled | shadowCell(t.spill(w))}
				return
			}
			c[n] = newCell(a.epoch, a.kind, a.mask)
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

// latest notes the access now as one of the latest of a word that is spilled.
func (c *shadowCells) latest(now *stamp) {
	if c[0]&spilled != 0 && now.epoch != late {
		c[1], c[2], c[3] = newCell(now.epoch, now.kind, now.mask), c[1], c[2]
	}
}

// extend adds an access to a word that has none of other epochs, so that none races with it. It
// reports false if there are others, or if there is no room.
func (c *shadowCells) extend(now shadowCell) bool {
	all, n := *c, 0
	for _, x := range all {
		if x != 0 && (x^now)>>epochShift != 0 {
			return false
		}
		if x.kind() == now.kind() {
			now |= x & 0xff
		} else if now.kind().covers(x.kind()) {
			x &^= now & 0xff
		}
		if x.kind() != now.kind() && uint8(x) != 0 {
			all[n] = x
			n++
		}
	}
	if n == len(all) {
		return false
	}
	all[n] = now
	clear(all[n+1:])
	*c = all
	return true
}

// replace adds an access to a word in place of those that it covers, as what follows in record does
// with lists. It leaves the word alone if there is a race, or if there is no room.
func (s *shadowMemory) replace(g *Goroutine, c *shadowCells, now *stamp) (known, fits bool) {
	var left shadowCells
	n, mm := 0, g.M.Memory.Races
	for _, x := range c {
		if x == 0 {
			break
		}
		e, kind := &s.epochs[x>>epochShift], x.kind()
		if e.g == now.g && e.time == now.time && now.mask&^uint8(x) == 0 && kind.covers(now.kind) {
			return true, true
		}
		switch {
		case mm.m.Memory.Lines.taken && mm.exposes(g, e.g, e.time):
			return false, false
		case !mm.knows(g, e.g, e.time):
			if uint8(x)&now.mask != 0 && kind.conflicts(now.kind) {
				return false, false
			}
		case now.kind.covers(kind):
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
	left[n] = newCell(now.epoch, now.kind, now.mask)
	*c = left
	return false, true
}

// record adds the access now of the word at p. It reports false if the access is known.
func (s *shadowMemory) record(g *Goroutine, p unsafe.Pointer, pg *page, now *stamp, r *racing) bool {
	c := pg.cells.of(p)
	if c[0] == 0 {
		s.kept += pg.keepAlive(p)
		if now.epoch != late {
			c[0] = newCell(now.epoch, now.kind, now.mask)
			return true
		}
	}
	if cell := newCell(now.epoch, now.kind, now.mask); now.epoch != late && c.covers(cell) {
		return false
	} else if now.epoch != late && c.extend(cell) {
		return true
	} else if now.epoch != late && c[0]&spilled == 0 {
		if known, fits := s.replace(g, c, now); fits {
			return !known
		}
	}
	w := s.read(c)
	if known := w.holds(now.g, now.time, now.mask, now.kind); known {
		c.latest(now)
		return false
	}
	now.race(g, w, r)
	now.forget(g, w)
	list := w.of(now.kind)
	*list = append(*list, *now)
	s.write(c, w)
	c.latest(now)
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
