package machine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/sched/trace"
)

// This file finds data races on memory that is known by address, byte by byte.

// Names of package cells that are used throughout.
type (
	accessKind  = cells.Kind
	byteRange   = cells.Range
	shadowCell  = cells.Cell
	shadowCells = cells.Cells
)

const (
	PlainRead, PlainWrite, AtomicRead, AtomicWrite = cells.PlainRead, cells.PlainWrite, cells.AtomicRead, cells.AtomicWrite
	ChanSend, ChanClose, GroupAdd, GroupWait       = cells.ChanSend, cells.ChanClose, cells.GroupAdd, cells.GroupWait
)

// stamp is an access of some bytes of a word.
type stamp struct {
	g     trace.ID
	time  int32 // of g's clock
	site  int32 // index of its position, 0 if it has none
	epoch int32 // the number of its epoch, see [cellTable]
	kind  accessKind
	mask  uint8 // the bytes
}

// word has the accesses of eight bytes, by what they may race with.
type word struct{ reads, writes, atomics []stamp }

// of returns those that an access of that kind belongs to.
func (w *word) of(kind accessKind) *[]stamp {
	switch {
	case cells.AtomicKinds>>kind&1 == 1:
		return &w.atomics
	case kind.Writes():
		return &w.writes
	}
	return &w.reads
}

func (w *word) empty() bool { return len(w.reads)+len(w.writes)+len(w.atomics) == 0 }

// written reports whether w has an access that writes.
func (w *word) written() bool {
	return len(w.writes) > 0 || slices.ContainsFunc(w.atomics, func(a stamp) bool { return a.kind.Writes() })
}

const shortWord = 16 // accesses of which all are looked at every time

// shadowMemory holds the accesses that a later one may race with: of every word
// that was used (eight aligned bytes), and large ones by pages. An access is
// forgotten when a later one covers it, so a word has a few.
type shadowMemory struct {
	cellTable
	pages pageTable

	sites  []uintptr         // positions of accesses, in recorded executions
	siteOf map[uintptr]int32 // their places in sites

	kept     int // objects that accesses keep alive, some counted several times
	mostKept int // of these before the next survey, if more than firstSurvey
}

// CheckRange records an access of g, and fails the execution if it races with
// an earlier one.
func (m *Machine) CheckRange(g *Goroutine, p unsafe.Pointer, size uintptr, kind accessKind, pc uintptr) {
	procPin() // see [ReadRange]
	a, raced := m.findRace(g, p, size, kind, pc)
	procUnpin()
	if raced {
		m.reportRace(g, p, a, kind, pc)
	}
}

// reportRace says that an access by g races with an earlier one.
func (m *Machine) reportRace(g *Goroutine, p unsafe.Pointer, a stamp, kind accessKind, pc uintptr) {
	if m.Memory.Places && pc == 0 {
		pc = m.Exec.Caller(g)
	}
	m.Memory.Races.race(m.NameMemory(p), access{g: a.g, time: a.time, pc: m.Memory.Shadow.sites[a.site]}, a.kind, access{g: g.ID, pc: pc}, kind)
}

// racing is an earlier access that races with the one now, if there is any.
type racing struct {
	stamp
	found bool
}

// with says that access a does. Of several it keeps the same one wherever the memory lies, which is
// elsewhere in another execution.
func (r *racing) with(a *stamp) {
	if !r.found || cmp.Or(cmp.Compare(a.g, r.g), cmp.Compare(a.time, r.time), cmp.Compare(a.site, r.site), cmp.Compare(a.kind, r.kind)) < 0 {
		*r = racing{*a, true}
	}
}

// findRace records an access of g. It returns an earlier one that races with it.
func (m *Machine) findRace(g *Goroutine, p unsafe.Pointer, size uintptr, kind accessKind, pc uintptr) (a stamp, raced bool) {
	s := &m.Memory.Shadow
	if s.pages.Epoch != m.Epoch {
		s.cellTable.turn()
		s.pages.turn(m.Epoch, &s.near)
		s.sites = append(s.sites[:0], 0)
		clear(s.siteOf)
	}
	now := stamp{g: g.ID, time: g.view.time, kind: kind, mask: 0xff}
	if pc != 0 {
		now.site = s.site(pc)
		m.Memory.Races.watch.seen(g, now.time, pc)
	}
	s.enter(g, &now)
	var r racing
	switch rest := pageSize - uintptr(p)&(pageSize-1); {
	case size >= pageSize:
		s.large(g, p, size, now, &r)
	case size > rest:
		s.small(g, p, rest, now, &r)
		s.small(g, unsafe.Add(p, rest), size-rest, now, &r)
	default:
		s.small(g, p, size, now, &r)
	}
	return r.stamp, r.found
}

// Used reports whether the execution has used the memory at p, or only whether it has written it.
func (m *Machine) Used(p unsafe.Pointer, written bool) bool {
	s := &m.Memory.Shadow
	if s.pages.Epoch != m.Epoch {
		return false
	}
	pg := s.pages.find(p)
	if pg == nil {
		return false
	}
	if w := s.wordAt(pg, p); !written && !w.empty() || w.written() {
		return true
	}
	return holdsByte(pg.writes, p) || !written && holdsByte(pg.reads, p)
}

// site returns the index of a position.
func (s *shadowMemory) site(pc uintptr) int32 {
	i, ok := s.siteOf[pc]
	if !ok {
		if s.siteOf == nil {
			s.siteOf = make(map[uintptr]int32)
		}
		i = int32(len(s.sites))
		s.sites, s.siteOf[pc] = append(s.sites, pc), i
	}
	return i
}

// holds reports whether w has the access of g at that time of these bytes, or one
// that covers it. Of very many it looks at the latest.
func (w *word) holds(g trace.ID, time int32, mask uint8, kind accessKind) bool {
	return holds(w.writes, g, time, mask, kind) ||
		(cells.ReadKinds|1<<AtomicRead)>>kind&1 == 1 && holds(latest(w.reads), g, time, mask, kind) ||
		cells.AtomicKinds>>kind&1 == 1 && holds(latest(w.atomics), g, time, mask, kind)
}

func latest(list []stamp) []stamp { return list[max(0, len(list)-shortWord):] }

func holds(list []stamp, g trace.ID, time int32, mask uint8, kind accessKind) bool {
	for i := range list {
		a := &list[i]
		if a.g == g && a.time == time && mask&^a.mask == 0 && a.kind.Covers(kind) {
			return true
		}
	}
	return false
}

// small records an access of one page word by word.
func (s *shadowMemory) small(g *Goroutine, p unsafe.Pointer, size uintptr, now stamp, r *racing) {
	pg, lines := s.pageWithCells(p), uint64(0)
	for i := uintptr(0); i < size; {
		at := unsafe.Add(p, i)
		off := uintptr(at) & 7
		n := min(8-off, size-i)
		i += n
		now.mask = uint8(0xff>>(8-n)) << off
		if s.record(g, at, pg, &now, r) {
			lines |= lineOf(uintptr(at))
		}
	}
	if pg.lines |= lines; lines != 0 && len(pg.reads)+len(pg.writes) > 0 {
		pg.race(g, &span{now, p, size}, r)
	}
}

// room empties the stamps that an earlier execution has left. If there is no room for n, which are
// few, it makes room.
func (t *cellTable) room(w []stamp, n int) []stamp {
	const usual = 8
	if cap(w) >= n {
		return w[:0]
	}
	if len(t.slab) < usual {
		t.slab = make([]stamp, 128*usual)
	}
	w, t.slab = t.slab[:0:usual], t.slab[usual:]
	return w
}

// race looks in w for accesses that race with the one now.
func (now *stamp) race(g *Goroutine, w *word, r *racing) {
	with := cells.Conflicting[now.kind]
	if with&cells.WriteKinds != 0 {
		now.raceWith(g, w.writes, r)
	}
	if with&cells.ReadKinds != 0 {
		now.raceWith(g, w.reads, r)
	}
	if with&cells.AtomicKinds != 0 {
		now.raceWith(g, w.atomics, r)
	}
}

func (now *stamp) raceWith(g *Goroutine, list []stamp, r *racing) {
	for i := range list {
		a := &list[i]
		if a.mask&now.mask != 0 && a.kind.Conflicts(now.kind) && !g.M.Memory.Races.orders(g, a.g, a.time) {
			r.with(a)
		}
	}
}

// forget removes from w what the access now covers.
func (now *stamp) forget(g *Goroutine, w *word) {
	w.reads = now.forgetFew(g, w.reads, cells.ReadKinds)
	w.writes = now.forgetFew(g, w.writes, cells.WriteKinds)
	w.atomics = now.forgetFew(g, w.atomics, cells.AtomicKinds)
}

// forgetFew removes from a list of accesses of some kinds what the access now covers. A long list
// that cannot race with it is looked at only when it is full, so that no access is looked at often.
func (now *stamp) forgetFew(g *Goroutine, list []stamp, kinds uint8) []stamp {
	if cells.Covering[now.kind]&kinds == 0 {
		return list
	}
	if n := len(list); n < shortWord || n == cap(list) || cells.Conflicting[now.kind]&kinds != 0 {
		return now.forgetIn(g, list)
	}
	return list
}

func (now *stamp) forgetIn(g *Goroutine, list []stamp) []stamp {
	mm, covered, n := g.M.Memory.Races, cells.Covering[now.kind], 0
	known, taken := mm.clocks.Reader(g.view.clock), mm.m.Memory.Lines.taken
	for i := range list {
		a := &list[i]
		if covered>>a.kind&1 == 1 && (a.g == g.ID || known.At(int32(a.g)) > a.time && !(taken && mm.exposes(g, a.g, a.time))) {
			if a.mask &^= now.mask; a.mask == 0 {
				continue
			}
		}
		if n < i {
			list[n] = *a
		}
		n++
	}
	return list[:n]
}

// Clear gives up all accesses, and their memory.
func (s *shadowMemory) Clear() {
	s.cellTable = cellTable{}
	s.pages.clear()
	s.sites, s.siteOf = nil, nil
}
