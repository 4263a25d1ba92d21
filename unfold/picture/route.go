package picture

import (
	"cmp"
	"fmt"
	"slices"
)

// route is the path of a line from an event to one in the same row or further down. The line
// goes sideways in the gap below the one and in the gap above the other. In between it goes
// down a gutter, or the column of the event that it leads to where that is free.
type route struct {
	from, to int
	conflict bool
	gutter   int // or -1
	lane     int // its position in the gutter
	turns    []turn
}

// turn is the path of a line through a gap, downwards from one x to another. It is a curve, or
// goes along a track, since many long curves in one gap cannot be told apart.
type turn struct {
	from, to int
	track    int // -1: a curve
}

// A curve is long if it goes at least longCurve pixels sideways. More than manyLong long curves
// are many.
const (
	longCurve = 190
	manyLong  = 4
)

// setRoutes finds the lines that need a gutter.
func (l *layout) setRoutes() {
	add := func(from, to int, conflict bool) {
		if l.row[from] > l.row[to] {
			from, to = to, from
		}
		r := route{from: from, to: to, conflict: conflict, gutter: -1}
		if l.row[to] > l.row[from]+1 && (conflict || l.before[to] != from) {
			r.gutter = l.column[to]
			if l.column[from] >= l.column[to] {
				r.gutter++
			}
		}
		l.routes = append(l.routes, r)
	}
	for i, e := range l.Events {
		for _, c := range e.Causes {
			add(c, i, false)
		}
	}
	for _, c := range l.Conflicts {
		add(c[0], c[1], true)
	}
}

// setLanes assigns lanes in gutters such that lines do not meet. It returns the number of lanes
// of each gutter.
func (l *layout) setLanes() []int {
	type stretch struct{ gutter, lane, row int }
	taken := make(map[stretch]bool)
	count := make([]int, len(l.taken)+1)
	for i := range l.routes {
		r := &l.routes[i]
		if r.gutter < 0 {
			continue
		}
		free := func() bool {
			for y := l.row[r.from] + 1; y < l.row[r.to]; y++ {
				if taken[stretch{r.gutter, r.lane, y}] {
					return false
				}
			}
			return true
		}
		for !free() {
			r.lane++
		}
		for y := l.row[r.from] + 1; y < l.row[r.to]; y++ {
			taken[stretch{r.gutter, r.lane, y}] = true
		}
		count[r.gutter] = max(count[r.gutter], r.lane+1)
	}
	return count
}

// setTurns computes the turns of lines, after the positions of columns. It returns the size of
// the gap below each row.
func (l *layout) setTurns() []int {
	long := make([][]*turn, l.rows)
	for i := range l.routes {
		r := &l.routes[i]
		x1, x2 := l.attach(r, r.from, r.to), l.attach(r, r.to, r.from)
		switch {
		case l.row[r.from] == l.row[r.to]:
			continue
		case l.row[r.from]+1 == l.row[r.to]:
			r.turns = []turn{{x1, x2, -1}}
		case r.gutter < 0:
			r.turns = []turn{{x1, x2, -1}, {x2, x2, -1}}
		default:
			x := l.lanes[r.gutter] + r.lane*laneWidth
			r.turns = []turn{{x1, x, -1}, {x, x2, -1}}
		}
		for n := range r.turns {
			gap := l.row[r.from]
			if n > 0 {
				gap = l.row[r.to] - 1
			}
			if t := &r.turns[n]; max(t.from, t.to)-min(t.from, t.to) > longCurve {
				long[gap] = append(long[gap], t)
			}
		}
	}
	gaps := make([]int, l.rows)
	for gap, turns := range long {
		gaps[gap] = rowGap + 4*len(turns)
		if len(turns) > manyLong {
			gaps[gap] = rowGap + trackHeight*shareTracks(turns)
		}
	}
	return gaps
}

// shareTracks assigns tracks to the turns through one gap such that they do not meet. Turns
// from one point may share a track. It returns the number of tracks.
func shareTracks(turns []*turn) int {
	// Lines do not cross at their beginning if those that begin further back stay below.
	slices.SortStableFunc(turns, func(a, b *turn) int {
		right := func(t *turn) int { return cmp.Compare(t.from, t.to) }
		if c := cmp.Compare(right(a), right(b)); c != 0 {
			return c
		}
		return right(a) * cmp.Compare(a.from, b.from)
	})
	const apart = 14
	var tracks [][]*turn
	for _, t := range turns {
		meets := func(u *turn) bool {
			return t.from != u.from && min(t.from, t.to) < max(u.from, u.to)+apart && min(u.from, u.to) < max(t.from, t.to)+apart
		}
		n := slices.IndexFunc(tracks, func(track []*turn) bool { return !slices.ContainsFunc(track, meets) })
		if n < 0 {
			n = len(tracks)
			tracks = append(tracks, nil)
		}
		t.track = n
		tracks[n] = append(tracks[n], t)
	}
	return len(tracks)
}

// attach returns the x at which a line meets an event at one of its ends. A goroutine's own
// line meets it in the middle. Other lines meet it on the side of the other end, where they can
// be told from the lines of the event above or below.
func (l *layout) attach(r *route, e, other int) int {
	x, percent := l.centre[l.column[e]], 0
	switch comes := e == r.from; {
	case !r.conflict && l.before[r.to] == r.from:
		return x
	case !r.conflict && comes:
		percent = 12
	case !r.conflict:
		percent = 21
	case comes:
		percent = 31
	default:
		percent = 40
	}
	part := l.width[l.column[e]] * percent / 100
	if l.centre[l.column[other]] < x || r.gutter == l.column[e] {
		return x - part
	}
	return x + part
}

// path returns the path of a line in SVG.
func (l *layout) path(r *route) string {
	if l.row[r.from] == l.row[r.to] {
		return l.across(r)
	}
	first, last := l.row[r.from], l.row[r.to]-1 // gaps, by the row above
	text := fmt.Sprintf("M%d,%d", r.turns[0].from, l.top[first]+eventHeight) + l.through(first, r.turns[0])
	if len(r.turns) > 1 {
		text += fmt.Sprintf(" L%d,%d", r.turns[1].from, l.top[last]+eventHeight) + l.through(last, r.turns[1])
	}
	return text
}

// through returns the path through the gap below a row.
func (l *layout) through(row int, t turn) string {
	top, bottom := l.top[row]+eventHeight, l.top[row+1]
	switch {
	case t.from == t.to:
		return fmt.Sprintf(" L%d,%d", t.to, bottom)
	case t.track < 0:
		bend := (bottom - top) * 3 / 5
		return fmt.Sprintf(" C%d,%d %d,%d %d,%d", t.from, top+bend, t.to, bottom-bend, t.to, bottom)
	}
	const round = 6
	y, side := top+rowGap/3+t.track*trackHeight, round
	if t.to < t.from {
		side = -round
	}
	return fmt.Sprintf(" L%d,%d Q%d,%d %d,%d L%d,%d Q%d,%d %d,%d L%d,%d", t.from, y-round, t.from, y, t.from+side, y,
		t.to-side, y, t.to, y, t.to, y+round, t.to, bottom)
}

// across is path for a line within a row: straight if possible, else above the row.
func (l *layout) across(r *route) string {
	e, f := r.from, r.to
	if l.column[e] > l.column[f] {
		e, f = f, e
	}
	y := l.top[l.row[e]]
	if l.neighbours(e, f) {
		x1, x2 := l.centre[l.column[e]]+l.width[l.column[e]]/2, l.centre[l.column[f]]-l.width[l.column[f]]/2
		return fmt.Sprintf("M%d,%d L%d,%d", x1, y+eventHeight/2, x2, y+eventHeight/2)
	}
	x1, x2 := l.attach(r, e, f), l.attach(r, f, e)
	return fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", x1, y, x1, y-rowGap*4/5, x2, y-rowGap*4/5, x2, y)
}

// neighbours reports whether no event is between two events of a row.
func (l *layout) neighbours(e, f int) bool {
	from, to := min(l.column[e], l.column[f]), max(l.column[e], l.column[f])
	for c := from + 1; c < to; c++ {
		if l.taken[c][l.row[e]] {
			return false
		}
	}
	return true
}
