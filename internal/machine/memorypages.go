package machine

import (
	"math/bits"
	"unsafe"

	"github.com/gopor/gopor/internal/addrtable"
	"github.com/gopor/gopor/internal/cells"
)

// This file keeps large accesses, such as copies of buffers: once for each page that they
// touch, where word by word would be five hundred times.

const (
	pageSize = 4096 // bytes; an access of as many is a large one
	lineSize = pageSize / 64
)

// span is a large access, or as much of it as is in one page. Its pointer keeps the memory alive,
// which is not to be used for something else within the execution.
type span struct {
	stamp
	p    unsafe.Pointer
	size uintptr
}

func (a *span) bytes() byteRange { return cells.At(a.p, a.size) }

// cut takes the bytes of s away from a. Each of the two begins or ends where its page does, or is
// what was left of such a span. So what is left is in one piece. If it were not, a would stay as it
// is.
func (a *span) cut(s byteRange) {
	switch r := a.bytes(); {
	case !r.Overlaps(s):
	case s.Contains(r):
		a.size = 0
	case s.From <= r.From:
		a.p, a.size = unsafe.Add(a.p, s.To-r.From), r.To-s.To
	case s.To >= r.To:
		a.size = s.From - r.From
	}
}

// page has the large accesses of a page, as a word has its own. It also says where in the page
// words were used singly: a large access that meets none of these need not look for them.
type page struct {
	reads, writes []span
	lines         uint64  // a bit for each sixty-fourth of the page
	few           [2]span // room for the first two

	at      uintptr
	cells   *pageCells       // of the words that were used singly, nil if none ever was
	used    uint64           // the lines with cells that were set
	objects []unsafe.Pointer // that the words belong to
}

// lineOf returns the bit of the line that an address is in.
func lineOf(at uintptr) uint64 { return 1 << (at / lineSize & 63) }

func pageOf(p unsafe.Pointer) uintptr { return uintptr(p) &^ (pageSize - 1) }

// reset forgets what an execution has left.
func (pg *page) reset() {
	if cap(pg.writes) == 0 {
		pg.writes, pg.reads = pg.few[0:0:1], pg.few[1:1:2]
	}
	clear(pg.few[:]) // which the lists may have outgrown
	clear(pg.reads)
	clear(pg.writes)
	pg.reads, pg.writes, pg.lines = pg.reads[:0], pg.writes[:0], 0
	clear(pg.objects)
	pg.objects = pg.objects[:0]
	for ; pg.used != 0; pg.used &= pg.used - 1 {
		first := bits.TrailingZeros64(pg.used) * (lineSize / 8)
		clear(pg.cells[first : first+lineSize/8])
	}
}

// of returns those that an access of that kind belongs to.
func (pg *page) of(kind accessKind) *[]span {
	if kind.Writes() {
		return &pg.writes
	}
	return &pg.reads
}

// holds reports whether a span is known already, or one that covers it. Of very many it looks at
// the latest.
func (pg *page) holds(now *span) bool {
	return holdsSpan(pg.writes, now) ||
		!now.kind.Writes() && holdsSpan(pg.reads[max(0, len(pg.reads)-shortWord):], now)
}

func holdsSpan(list []span, now *span) bool {
	for i := range list {
		a := &list[i]
		if a.g == now.g && a.time == now.time && a.bytes().Contains(now.bytes()) && a.kind.Covers(now.kind) {
			return true
		}
	}
	return false
}

// holdsByte reports whether there is a span of the byte at p.
func holdsByte(list []span, p unsafe.Pointer) bool {
	for i := range list {
		if list[i].bytes().Overlaps(cells.At(p, 1)) {
			return true
		}
	}
	return false
}

// race looks for large accesses that race with the one now.
func (pg *page) race(g *Goroutine, now *span, r *racing) {
	now.raceWithSpans(g, pg.writes, r)
	if now.kind.Writes() {
		now.raceWithSpans(g, pg.reads, r)
	}
}

func (now *span) raceWithSpans(g *Goroutine, list []span, r *racing) {
	for i := range list {
		a := &list[i]
		if a.kind.Conflicts(now.kind) && a.bytes().Overlaps(now.bytes()) && !g.M.Memory.Races.orders(g, a.g, a.time) {
			r.with(&a.stamp)
		}
	}
}

// forget is [stamp.forget] for the spans of a page.
func (pg *page) forget(g *Goroutine, now *span) {
	if n := len(pg.reads); n < shortWord || n == cap(pg.reads) || now.kind.Writes() {
		pg.reads = now.forgetSpans(g, pg.reads)
	}
	if now.kind.Writes() {
		pg.writes = now.forgetSpans(g, pg.writes)
	}
}

func (now *span) forgetSpans(g *Goroutine, list []span) []span {
	keep := list[:0]
	for i := range list {
		a := list[i]
		if now.kind.Covers(a.kind) && g.M.Memory.Races.covers(g, a.g, a.time) {
			a.cut(now.bytes())
		}
		if a.size != 0 {
			keep = append(keep, a)
		}
	}
	clear(list[len(keep):])
	return keep
}

// pageTable has the pages that an execution has used.
type pageTable struct {
	addrtable.Table[uintptr, *page]
	all []*page // the first n are in the table
}

// turn begins an execution. What pages hold is not left there until others take their place: it
// keeps buffers alive, which may be large, and every execution has its own.
func (t *pageTable) turn(epoch uint64, near *[nearPages]nearPage) {
	for _, pg := range t.all[:t.Len()] {
		near[pg.at/pageSize%nearPages] = nearPage{}
		pg.reset()
	}
	t.Turn(epoch)
}

// at returns the page that p is in.
func (t *pageTable) at(p unsafe.Pointer) *page {
	pg, fresh := t.At(pageOf(p))
	if fresh {
		if t.Len() > len(t.all) {
			some := make([]page, 16)
			for i := range some {
				some[i].reset()
				t.all = append(t.all, &some[i])
			}
		}
		*pg = t.all[t.Len()-1]
		(*pg).at = pageOf(p)
	}
	return *pg
}

// find returns the page that p is in, nil if there is none.
func (t *pageTable) find(p unsafe.Pointer) *page {
	if pg := t.Find(pageOf(p)); pg != nil {
		return *pg
	}
	return nil
}

// pageWithCells returns the page that p is in. It has cells.
func (s *shadowMemory) pageWithCells(p unsafe.Pointer) *page {
	near := s.nearAt(p)
	if near.at != pageOf(p) {
		pg := s.pages.at(p)
		if pg.cells == nil {
			pg.cells = new(pageCells)
		}
		*near = nearPage{pg.at, pg.cells, pg}
	}
	return near.page
}

// wordAt returns the accesses of the word that p is in, which were recorded singly.
func (s *shadowMemory) wordAt(pg *page, p unsafe.Pointer) word {
	if pg.cells == nil {
		return word{}
	}
	return *s.read(pg.cells.of(p))
}

func (t *pageTable) clear() { *t = pageTable{Table: addrtable.Table[uintptr, *page]{Epoch: t.Epoch}} }

// large records an access page by page.
func (s *shadowMemory) large(g *Goroutine, p unsafe.Pointer, size uintptr, now stamp, r *racing) {
	for i := uintptr(0); i < size; {
		at := unsafe.Add(p, i)
		n := min(pageSize-uintptr(at)&(pageSize-1), size-i)
		i += n
		here, pg := span{now, at, n}, s.pages.at(at)
		if pg.holds(&here) {
			continue
		}
		pg.race(g, &here, r)
		s.absorb(g, pg, &here, r)
		pg.forget(g, &here)
		list := pg.of(now.kind)
		*list = append(*list, here)
		s.kept += spanObjects
	}
}

// absorb compares a span with the words of its page that were used singly. What it covers is
// forgotten there, and so are lines of which nothing is left.
func (s *shadowMemory) absorb(g *Goroutine, pg *page, now *span, r *racing) {
	first, bytes := WordOf(now.p), now.bytes()
	for i := uintptr(0); pg.lines != 0 && i < bytes.To-uintptr(first); {
		p := unsafe.Add(first, i)
		line := byteRange{From: uintptr(p), To: uintptr(p)&^(lineSize-1) + lineSize}
		i += line.To - line.From
		if pg.lines&lineOf(line.From) == 0 {
			continue
		}
		left := s.absorbLine(g, pg, p, min(line.To, bytes.To)-line.From, now, r)
		whole := byteRange{From: line.To - lineSize, To: line.To}
		if !left && bytes.Contains(whole) {
			pg.lines &^= lineOf(line.From)
		}
	}
}

// absorbLine is absorb for the words from p on, up to so many bytes. It reports whether anything is
// left of them.
func (s *shadowMemory) absorbLine(g *Goroutine, pg *page, p unsafe.Pointer, size uintptr, now *span, r *racing) (left bool) {
	bytes, part := now.bytes(), now.stamp
	for i := uintptr(0); i < size; i += 8 {
		at := unsafe.Add(p, i)
		if c := pg.cells.of(at); c[0] != 0 {
			w := s.read(c)
			part.mask = bytes.Mask(uintptr(at))
			part.race(g, w, r)
			part.forget(g, w)
			s.write(c, w)
			left = left || !w.empty()
		}
	}
	return left
}
