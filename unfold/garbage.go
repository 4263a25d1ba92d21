package unfold

import (
	"fmt"
	"slices"
)

// tidy removes from U the events that are not needed any more (line 13): all but C, D, the
// events known to be in conflict with one of them, and the histories of all these. It returns
// false if too many events are left.
func (x *explorer) tidy() bool {
	if x.live < x.full {
		return true
	}
	x.roots = append(x.roots[:0], x.a...)
	n := len(x.Events)
	for k := range n + 1 {
		f := x.frames.At(k)
		if k < n {
			x.roots = append(append(x.roots, f.event), f.conflicts...)
		}
		for i := range f.sleep {
			x.roots = append(x.roots, f.sleep[i].Event)
		}
		if f.fitted {
			for _, u := range f.fit {
				x.roots = append(x.roots, u.event)
			}
		}
	}
	x.collect(x.roots)
	limit := x.limit()
	if x.live > limit {
		x.Err = fmt.Errorf("unfold: the search needs more than %d events of the unfolding at a time; make the program smaller, raise Tree.MaxEvents, or take an engine that keeps less, such as engine.Source", limit)
		return false
	}
	x.full = min(max(leastFull, 2*x.live), limit+1)
	return true
}

// limit returns the number of events that may be live.
func (x *explorer) limit() int {
	if x.most > 0 {
		return x.most
	}
	const gigabyte, fixed = 1 << 30, 200
	return gigabyte / (fixed + 4*x.width + 8*x.words)
}

// leastFull is the number of live events below which no garbage is collected.
var leastFull = 1 << 14

// collect removes all events but roots and their histories.
func (s *structure) collect(roots []id) {
	s.marks = append(s.marks[:0], make([]bool, len(s.events))...)
	s.marks[bottom] = true
	s.stack = s.stack[:0]
	mark := func(e id) {
		if !s.marks[e] {
			s.marks[e] = true
			s.stack = append(s.stack, e)
		}
	}
	for _, e := range roots {
		mark(e)
	}
	for len(s.stack) > 0 {
		e := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		mark(s.nodes[e].parent)
		for _, p := range s.at(e) {
			mark(p)
		}
	}
	for e := range s.events {
		if v := &s.events[e]; !s.marks[e] && s.nodes[e].depth > 0 {
			s.dropSkips(id(e))
			*v, s.nodes[e] = event{}, node{}
			s.free = append(s.free, id(e))
			s.live--
		}
	}
	s.rehash(len(s.table))
	s.collectObjects()
}

// collectObjects removes identities that are not used any more, after events were removed.
func (s *structure) collectObjects() {
	t := &s.objects
	t.begin()
	for e := range s.events {
		if s.marks[e] {
			for _, x := range s.events[e].uses.list() {
				t.mark(x.object)
			}
		}
	}
	for a, done := range s.actions {
		if !s.marks[a.parent] || slices.ContainsFunc(done.order, func(e id) bool { return !s.marks[e] }) {
			delete(s.actions, a)
		} else {
			for _, o := range done.objects {
				t.mark(o)
			}
		}
	}
	t.collect()
}
