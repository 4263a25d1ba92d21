package machine

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/internal/unreached"
)

// This file forgets accesses of objects that the program cannot reach any more. No later access
// races with these. So what is kept of accesses does not grow with the length of an execution.
//
// Accesses keep their objects alive, so that the memory is not used for something else. A survey
// lets go of all objects, and has the garbage collector free those that nothing else reaches. The
// others are kept alive again. All goroutines of the program are stopped meanwhile.

// firstSurvey is how many objects accesses keep alive before the first survey of an execution. The
// next one comes when there are twice as many as the survey has left, and goroutineObjects more for
// each goroutine. Goroutines that have ended stay in the heap, and a survey looks at all of that.
const firstSurvey = 1 << 17

// For how many objects these count: the first object in a page, since the page has cells, the part
// of a large access in a page, and a goroutine.
const pageObjects, spanObjects, goroutineObjects = 16, 32, 1

// Crowded reports whether it is time for a survey.
func (s *shadowMemory) Crowded() bool { return s.kept >= firstSurvey && s.kept >= s.mostKept }

// Survey forgets the accesses of objects that nothing else reaches.
func (m *Machine) Survey() {
	s := &m.Memory.Shadow
	pages := s.pages.all[:s.pages.Len()]
	objects, spans := make([][]unreached.Held, len(pages)), make([][]unreached.Held, len(pages))
	for i, pg := range pages {
		objects[i], spans[i] = pg.letGo()
	}
	unreached.Collect()
	n := renumbering{old: s.epochs, numbers: make([]int32, len(s.epochs)), spilled: s.spilled}
	s.epochs, s.spilled, s.kept = []epoch{{}}, nil, 0
	for i, pg := range pages {
		pg.takeBack(objects[i], spans[i])
		s.kept += len(pg.objects) + min(len(pg.objects), 1)*(pageObjects-1) + spanObjects*(len(pg.reads)+len(pg.writes))
		for used := pg.used; used != 0; used &= used - 1 {
			line := pg.cells[bits.TrailingZeros64(used)*(lineSize/8):][:lineSize/8]
			if !slices.ContainsFunc(line, func(c shadowCells) bool { return c != shadowCells{} }) {
				pg.used &^= used & -used
			}
			for k := range line {
				n.cells(s, &line[k])
			}
		}
	}
	s.mostKept = 2*s.kept + goroutineObjects*len(m.Goroutines)
	for _, g := range m.Goroutines {
		g.view.epoch = 0
	}
}

// letGo lets go of the objects of a page, and returns them.
func (pg *page) letGo() (objects, spans []unreached.Held) {
	slices.SortFunc(pg.objects, func(a, b unsafe.Pointer) int { return cmp.Compare(uintptr(a), uintptr(b)) })
	for _, p := range slices.Compact(pg.objects) {
		objects = append(objects, unreached.LetGo(p))
	}
	clear(pg.objects)
	pg.objects = pg.objects[:0]
	for k, list := range [...][]span{pg.writes, pg.reads} {
		if cap(list) > 1 {
			pg.few[k] = span{} // the list has outgrown it
		}
		for i := range list {
			h := unreached.LetGo(list[i].p)
			if spans = append(spans, h); h.Base != 0 {
				list[i].p = nil
			}
		}
	}
	return objects, spans
}

// takeBack keeps the objects of a page alive that have not been freed, and forgets the accesses of
// the others. Every word with cells is in one of the objects, or in none of the heap.
func (pg *page) takeBack(objects, spans []unreached.Held) {
	for i := range objects {
		if p := objects[i].Pointer(); p != nil {
			pg.objects = append(pg.objects, p)
			continue
		}
		end := pg.at + pageSize
		if i+1 < len(objects) {
			end = objects[i+1].Base
		}
		clear(pg.cells[(max(objects[i].Base, pg.at)-pg.at)/8 : (end-pg.at)/8])
	}
	pg.writes, spans = takeBackSpans(pg.writes, spans)
	pg.reads, _ = takeBackSpans(pg.reads, spans)
}

// takeBackSpans is takeBack for the large accesses of a list. It returns what is left of both.
func takeBackSpans(list []span, spans []unreached.Held) ([]span, []unreached.Held) {
	keep := list[:0]
	for i, a := range list {
		if spans[i].Base != 0 {
			a.p = spans[i].Pointer()
		}
		if a.p != nil {
			keep = append(keep, a)
		}
	}
	clear(list[len(keep):])
	return keep, spans[len(list):]
}

// renumbering gives the epochs of cells new numbers, from 1 on, and spilled words new places.
type renumbering struct {
	old     []epoch
	numbers []int32 // by old number, 0 if no cell has been found with it
	spilled []word
}

func (n *renumbering) cells(s *shadowMemory, c *shadowCells) {
	if c[0]&cells.Spilled != 0 {
		*c = shadowCells{cells.Spilled | shadowCell(s.spill(&n.spilled[c[0]&^cells.Spilled]))}
		return
	}
	for i, x := range c {
		if x == 0 {
			return
		}
		number := &n.numbers[x>>cells.EpochShift]
		if *number == 0 {
			*number = int32(len(s.epochs))
			s.epochs = append(s.epochs, n.old[x>>cells.EpochShift])
		}
		c[i] = x&(1<<cells.EpochShift-1) | shadowCell(*number)<<cells.EpochShift
	}
}
